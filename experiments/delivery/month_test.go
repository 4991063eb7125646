package delivery

import (
	"encoding/binary"
	"fmt"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/measure"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
	"dejavu/workload"
)

// list remembers every article, eight bytes each.
type list struct{}

func (list) Sizes() []int          { return nil }
func (list) Validate([]byte) error { return nil }

func (list) Record(history []byte, shown []strategies.ID) []byte {
	for _, id := range shown {
		history = binary.LittleEndian.AppendUint64(history, uint64(id))
	}
	return history
}

func (list) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	known := map[uint64]bool{}
	for ; len(history) > 0; history = history[8:] {
		known[binary.LittleEndian.Uint64(history)] = true
	}
	for i, id := range candidates {
		seen[i] = known[uint64(id)]
	}
}

// dated recognises everything on even days, and nothing on odd ones.
type dated struct {
	list
	day int
}

func (d dated) On(day int) strategies.Strategy { return dated{day: day} }

func (d dated) Seen(_ []byte, _ []strategies.ID, seen []bool) {
	for i := range seen {
		seen[i] = d.day%2 == 0
	}
}

func measured(t *testing.T, w way, users measure.Range, workers int) []point {
	t.Helper()
	population := catalogue.Must(workload.NewMonth(7, 5))
	return strategytest.Value(measureMonth(t.Context(), measure.Options{Workers: workers}, w, population, users))
}

// With an exact memory every count is known: there are no false positives, no article of the month is missed, and only
// the list that never forgets recognises older ones.
func TestCountsOfAnExactMemory(t *testing.T) {
	const users = 3
	population := catalogue.Must(workload.NewMonth(7, users))
	for _, w := range []way{{name: "all", strategy: list{}}, {name: "rebuilt", strategy: list{}, nightly: true}} {
		got := measured(t, w, measure.Range{To: users}, 2)
		for i, n := range grid {
			p, shown, oldest := got[i], population.Before(n), population.Before(max(0, n-days))
			kept, old := shown, expired // articles in the list; expired ones recognised
			if w.nightly {
				kept, old = shown-oldest, 0
			}
			want := point{Bytes: int64(8 * users * kept), WindowChecks: int64(users * (shown - oldest))}
			for range users {
				want.Fresh.Add(fresh, 0)
				if oldest >= expired {
					want.Expired.Add(expired, old)
				}
			}
			strategytest.Equal(t, p, want, "%s, after %d days", w.name, n)
		}
	}
}

// A dated strategy is asked as it is on the day: at the end of the day before.
func TestDatedIsFreshOnItsDay(t *testing.T) {
	got := measured(t, way{strategy: dated{}}, measure.Range{To: 2}, 1)
	for i, n := range grid {
		p, all := got[i], (n-1)%2 == 0
		if all && (p.Fresh.Hits != p.Fresh.Queries || p.WindowMisses != 0) ||
			!all && (p.Fresh.Hits != 0 || p.WindowMisses != p.WindowChecks) {
			t.Errorf("after %d days: %+v, the day recognises everything: %v", n, p, all)
		}
	}
}

// recorder is a strategy that notes what is recorded, by day.
type recorder struct {
	list
	day   int
	shown *[]string
}

func (r recorder) On(day int) strategies.Strategy { return recorder{day: day, shown: r.shown} }

func (r recorder) Record(history []byte, shown []strategies.ID) []byte {
	*r.shown = append(*r.shown, fmt.Sprintf("day %d: %d from %d", r.day, len(shown), shown[0]))
	return append(history, 1)
}

// A newcomer's articles are spread over the days of a month, and later ones are the last day's.
func TestFullMonth(t *testing.T) {
	var shown, want []string
	s := fullMonth(recorder{shown: &shown})
	ids := make([]strategies.ID, articles)
	for i := range ids {
		ids[i] = strategies.ID(i)
	}
	history := s.Record(nil, ids)
	s.Record(history[:1], ids[:3])
	for day := range days {
		want = append(want, fmt.Sprintf("day %d: %d from %d", day, workload.PerDay, day*workload.PerDay))
	}
	strategytest.EqualSlices(t, shown, append(want, fmt.Sprintf("day %d: 3 from 0", days-1)), "recorded")
	strategytest.Equal(t, len(history), days, "bytes")
}
