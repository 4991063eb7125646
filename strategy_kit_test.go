package dejavu_test

// strategy test example
import (
	"testing"

	"dejavu/strategies/strategytest"
)

func TestTags(t *testing.T) {
	tags := strategytest.Value(New(Config{Window: 100}))
	strategytest.Run(t, strategytest.Subject{Strategy: tags, Theory: tags})
}

// end of the strategy test example
