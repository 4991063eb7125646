package daily_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"dejavu/beyond/daily"
	"dejavu/bloom"
	"dejavu/single"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// A model is the strategy in words: the last day that each article was shown
// on, the days that anything was, and how many lanes there are.
type model struct {
	days   int
	shown  []int // by the article's number, never for one to come
	active map[int]bool
	last   int
	lanes  int
}

const never = -1 << 20

func (m *model) record(day int, articles []int) {
	day = max(day, m.last)
	for on := range m.active {
		if on <= day-m.days {
			delete(m.active, on)
		}
	}
	if len(m.active) == 0 {
		m.lanes = 0
	}
	m.active[day] = true
	m.lanes = max(m.lanes, len(m.active))
	m.last = day
	for _, article := range articles {
		m.shown[article] = day
	}
}

// Random lives, of days in a row, days of rest, weeks away and requests from a day that was over: every
// article of the days that are left is recognised, on whichever day one asks, and no other. The filters are
// large (a false positive in 10^10), so that the answers have to be the model's exactly. Asking writes
// nothing, expiry changes no answer, and there are as many lanes as days.
func TestDaysAgainstTheModel(t *testing.T) {
	geometry := bloom.Geometry{Bits: 1201, Hashes: 9}
	for _, days := range []int{2, 3, 7, 30, 32} {
		for life := range uint64(2) {
			f := build(t, daily.Config{Days: days, Geometry: geometry})
			r := rand.New(rand.NewPCG(life, uint64(days)))
			ids := strategytest.IDs(life, 300)
			m := model{days: days, shown: slices.Repeat([]int{never}, len(ids)), active: make(map[int]bool)}
			var history []byte
			day, next := r.IntN(50), 0
			for next < len(ids)-10 {
				switch r.IntN(12) {
				case 0:
					day += r.IntN(days + 2)
				case 1:
					day += r.IntN(3 * days)
				case 2, 3, 4: // the same day again
				default:
					day++
				}
				var articles []int
				for range r.IntN(9) {
					articles, next = append(articles, next), next+1
				}
				if next > 20 && r.IntN(3) == 0 { // one of before once more
					articles = append(articles, next-1-r.IntN(20))
				}
				if len(articles) == 0 {
					continue
				}
				var request []strategies.ID
				for _, article := range articles {
					request = append(request, ids[article])
				}
				on := day
				if r.IntN(6) == 0 {
					on = max(0, day-r.IntN(2*days)) // a late log
				}
				history = f.On(on).Record(history, request)
				m.record(on, articles)
				if err := f.Validate(history); err != nil {
					t.Fatalf("%d days, life %d, day %d: %v", days, life, day, err)
				}
				if want := f.BytesDays(m.lanes); len(history) != want {
					t.Fatalf("%d days, life %d, day %d: %d bytes, want %d for %d lanes", days, life, day, len(history), want, m.lanes)
				}
				for _, later := range []int{0, 1, r.IntN(days), days - 1, days, days + r.IntN(3*days)} {
					if err := m.compare(f, history, m.last+later, ids); err != nil {
						t.Fatalf("%d days, life %d, last day %d: %v", days, life, m.last, err)
					}
				}
			}
		}
	}
}

// compare asks for all articles on a day.
func (m *model) compare(f *daily.Filter, history []byte, day int, ids []strategies.ID) error {
	before := bytes.Clone(history)
	seen := strategytest.Ask(f.On(day), history, ids)
	if !bytes.Equal(history, before) {
		return fmt.Errorf("day %d: asking writes", day)
	}
	for i, id := range ids {
		if want := m.shown[i] > day-m.days; seen[i] != want {
			return fmt.Errorf("day %d: article %d, ID %#x, shown on day %d, is seen: %v", day, i, id, m.shown[i], seen[i])
		}
	}
	if day == m.last && !slices.Equal(strategytest.Ask(f, history, ids), seen) {
		return fmt.Errorf("day %d: without a day the answers are not the last day's", day)
	}
	if earlier := max(0, m.last-5); !slices.Equal(strategytest.Ask(f.On(earlier), history, ids),
		strategytest.Ask(f, history, ids)) {
		return fmt.Errorf("asked on day %d, the answers are not the last day's", earlier)
	}
	expired := f.Expire(before, day)
	if err := f.Validate(expired); err != nil {
		return fmt.Errorf("day %d, after expiry: %w", day, err)
	}
	if !slices.Equal(strategytest.Ask(f, expired, ids), seen) {
		return fmt.Errorf("day %d: expiry changes an answer", day)
	}
	// The next article meets the same lanes, whether or not they were cleared.
	one := []strategies.ID{7}
	a, b := f.On(day).Record(bytes.Clone(history), one), f.On(day).Record(expired, one)
	if !bytes.Equal(a, b) {
		return fmt.Errorf("day %d: expiry changes what is recorded after it", day)
	}
	return nil
}

// Rebuild holds the log, in the memory of the filter before, and nothing else.
func TestRebuild(t *testing.T) {
	f := build(t, daily.Month)
	one := strategytest.Value(single.New(single.Config{Capacity: 1, Geometry: f.One(4500)}))
	ids := strategytest.IDs(4, 2000)
	before := one.Record(nil, ids[1000:])
	filter := daily.Rebuild(one, before, [][]strategies.ID{ids[:100], nil, ids[100:1000]})
	if &filter[0] != &before[0] || !bytes.Equal(filter, one.Record(nil, ids[:1000])) {
		t.Error("the filter is not the log's, in the old memory")
	}
}
