package dejavu_test

// strategy test example
import (
	"testing"

	"dejavu/strategies/strategytest"
)

func TestTags(t *testing.T) {
	strategytest.Draw(t, strategytest.Draws[Config, *Tags]{
		New: New, Sized: Sized,
		Config: func(r strategytest.Random) Config { return Config{Window: r.Log(1, 500)} },
	})
}

// end of the strategy test example
