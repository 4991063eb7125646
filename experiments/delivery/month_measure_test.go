package delivery

import (
	"encoding/binary"
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

// nightly is the list of the month alone, made anew from the log.
func nightly(history []byte, log [][]strategies.ID) []byte {
	history = history[:0]
	for _, day := range log {
		history = list{}.Record(history, day)
	}
	return history
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

func measured(t *testing.T, w Way, users measure.Range, workers int) MonthCounts {
	t.Helper()
	population := catalogue.Must(workload.NewMonth(7, 5))
	return strategytest.Value(MonthMeasure(t.Context(), measure.Options{Workers: workers}, w, population, users))
}

// With an exact memory every count is known: nothing unseen is a false positive, no article of the month is
// missed, and those older than it are recognised by the list that forgets nothing alone.
func TestCountsOfAnExactMemory(t *testing.T) {
	const users = 3
	population := catalogue.Must(workload.NewMonth(7, users))
	for _, w := range []Way{{Name: "all", Strategy: list{}}, {Name: "rebuilt", Strategy: list{}, Nightly: nightly}} {
		got := measured(t, w, measure.Range{To: users}, 2)
		for i, days := range Grid {
			p, shown, oldest := got[i], population.Before(days), population.Before(max(0, days-Days))
			held, old := shown, expired // articles in the list; of those expired, recognised
			if w.Nightly != nil {
				held, old = shown-oldest, 0
			}
			want := Point{Days: days, Bytes: int64(8 * users * held), WindowChecks: int64(users * (shown - oldest))}
			want.Held = want.WindowChecks
			for range users {
				want.Fresh.Add(Asked, 0)
				if oldest >= expired {
					want.Expired.Add(expired, old)
				}
			}
			strategytest.Equal(t, p, want, "%s, after %d days", w.Name, days)
		}
	}
}

// A dated strategy is asked as it is on the day: at the end of the day before.
func TestDatedIsAskedOnItsDay(t *testing.T) {
	got := measured(t, Way{Strategy: dated{}}, measure.Range{To: 2}, 1)
	for i, days := range Grid {
		p, all := got[i], (days-1)%2 == 0
		if all && (p.Fresh.Hits != p.Fresh.Queries || p.WindowMisses != 0) ||
			!all && (p.Fresh.Hits != 0 || p.WindowMisses != p.WindowChecks) {
			t.Errorf("after %d days: %+v, the day recognises everything: %v", days, p, all)
		}
	}
}

// By publication, what is new when it is shown counts for a month, and what is a month old for the day alone.
func TestPublication(t *testing.T) {
	const users = 2
	population := catalogue.Must(workload.NewMonth(7, users))
	newest, oldest := make([]int, Days), make([]int, Days)
	newest[0], oldest[Days-1] = 1, 1
	lasting := measured(t, Way{Strategy: list{}, Nightly: nightly, ages: newest}, measure.Range{To: users}, 1)
	fleeting := measured(t, Way{Strategy: list{}, Nightly: nightly, ages: oldest}, measure.Range{To: users}, 1)
	for i, days := range Grid {
		month := population.Before(days) - population.Before(max(0, days-Days))
		p := lasting[i]
		if p.Held != int64(users*month) || p.Bytes != 8*p.Held || p.WindowMisses != 0 || p.Expired.Queries != 0 {
			t.Errorf("new when shown, after %d days: %+v, want %d articles held", days, p, users*month)
		}
		// One day's articles are past on the next.
		past, today := population.Before(days-1)-population.Before(max(0, days-Days)), population.Articles(days-1)
		p = fleeting[i]
		if p.Held != int64(users*today) || p.Bytes != 8*p.Held || p.WindowMisses != 0 ||
			p.Expired.Hits != 0 || (p.Expired.Queries > 0) != (past >= expired) {
			t.Errorf("old when shown, after %d days: %+v, want %d articles held", days, p, users*today)
		}
	}
}
