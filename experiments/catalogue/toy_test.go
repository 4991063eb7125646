package catalogue

import (
	"testing"

	"dejavu/beyond/ring"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// One line makes an entry that every list, table and figure can show.
func TestToy(t *testing.T) {
	tags := struct { // stands for the package of a strategy
		Sized func(window int, fpr float64) (ring.Config, error)
		New   func(ring.Config) (*ring.Ring, error)
	}{ring.Sized, ring.New}
	toy := []Entry{
		// catalogue example
		windowed("tags", tags.Sized, tags.New, Entry{About: "the last articles, by a tag of each"}),
		// end of the catalogue example
	}[0]
	if toy.Name != results.Beyond+"tags" || !toy.IsBeyond() || toy.Share < 1 || toy.Lives != "" || toy.Sized == nil ||
		toy.Config == nil {
		t.Errorf("%+v", toy)
	}
	s := toy.Subject()
	strategytest.Equal(t, s.Theory.Window(10*SizedWindow), SizedWindow, "a window of")
	strategytest.ErrorSays(t, "a rate of 2", strategytest.ErrorOf(toy.Sized(400, 2)), "fpr is 2")
}
