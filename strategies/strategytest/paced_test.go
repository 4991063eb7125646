package strategytest

import (
	"fmt"
	"testing"

	"dejavu/strategies"
)

// onDay is a list that is asked and shown on a day, and keeps which.
type onDay struct {
	*list
	day  int
	days *[]int
}

func (d onDay) On(day int) strategies.Strategy { return onDay{d.list, day, d.days} }

func (d onDay) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	*d.days = append(*d.days, d.day)
	d.list.Seen(history, candidates, seen)
}

func (d onDay) Record(history []byte, shown []strategies.ID) []byte {
	*d.days = append(*d.days, 100+d.day)
	return d.list.Record(history, shown)
}

// A newcomer who is shown nothing is still one.
func TestToleratesNothing(t *testing.T) {
	Must(t, tolerates(newList(3), nil, 0))
	// Who is shown something is none any more, and who is shown nothing stays as they were.
	forgets := faulty{list: newList(3), record: func(*list, []byte, []id) []byte { return nil }}
	for n, history := range [][]byte{newList(3).Record(nil, IDs(1, 1)), nil} {
		want := fmt.Sprintf("recording %d articles makes it 0 bytes long", n)
		ErrorSays(t, fmt.Sprintf("a history of %d bytes is gone", len(history)), tolerates(forgets, history, n), want)
	}
}

// An article is recorded on its own day, and the history asked on the day of the newest, not of the next.
func TestPacedDays(t *testing.T) {
	var days []int
	p := NewPaced(onDay{newList(9), -1, &days}, 3, func(article int) int { return article / 3 })
	ids := IDs(1, 8)
	var history []byte
	seen := []bool{true} // by an earlier request
	p.Seen(nil, ids[:1], seen)
	Equal(t, seen[0], false, "an article is seen by a newcomer:")
	for _, c := range []struct {
		shown int
		want  []int
	}{{2, []int{100, 0}}, {1, []int{100, 0}}, {1, []int{101, 1}}, {3, []int{101, 102, 2}}} {
		days = days[:0]
		history = p.Record(history, ids[:c.shown])
		Ask(p, history, ids)
		if len(days) != len(c.want) {
			t.Fatalf("%d articles: days %v, want %v", c.shown, days, c.want)
		}
		for i, day := range c.want {
			if days[i] != day {
				t.Errorf("%d articles: days %v, want %v", c.shown, days, c.want)
				break
			}
		}
	}
	daily := NewPaced(onDay{newList(9), -1, &days}, 3, nil)
	for article, want := range map[int]int{0: 0, 2: 0, 3: 1, 8: 2, 5999: 1999, 6000: 1999, 9000: 1999} {
		Equal(t, daily.Day(article), want, "article %d is on day", article)
	}
}
