package catalogue

import (
	"errors"
	"testing"

	"dejavu/queue"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// A strategy's package says how it is sized, if it can be: for a window of so many articles at that rate.
type tags struct{ *queue.Queue }

type tagsConfig struct{ Window int }

func sizedTags(window int, fpr float64) (tagsConfig, error) {
	if !(fpr > 0 && fpr < 1) {
		return tagsConfig{}, errors.New("no such rate")
	}
	return tagsConfig{window}, nil
}

func newTags(c tagsConfig) (tags, error) {
	q, err := queue.New(queue.Config{Window: c.Window})
	return tags{q}, err
}

// catalogue example
var toy = windowed("tags", sizedTags, newTags, Entry{About: "the last articles, by a tag of each"})

// end of the catalogue example

// One line makes an entry that every list, table and figure can show.
func TestToy(t *testing.T) {
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
