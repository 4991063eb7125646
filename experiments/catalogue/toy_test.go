package catalogue

import (
	"errors"
	"testing"

	"dejavu/queue"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// One line makes an entry that every list, table and figure can show.
func TestToy(t *testing.T) {
	var tags struct { // stands for a package that says how its strategy is sized
		Sized func(window int, fpr float64) (queue.Config, error)
		New   func(queue.Config) (*queue.Queue, error)
	}
	tags.New = queue.New
	tags.Sized = func(window int, fpr float64) (queue.Config, error) {
		if !(fpr > 0 && fpr < 1) {
			return queue.Config{}, errors.New("no such rate")
		}
		return queue.Config{Window: window}, nil
	}
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
	if _, err := toy.Sized(400, 2); err == nil {
		t.Error("a rate of 2")
	}
}
