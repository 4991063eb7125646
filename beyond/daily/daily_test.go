package daily_test

import (
	"bytes"
	"encoding/binary"
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

var build = strategytest.Builder(daily.New)

var small = daily.Config{Days: 5, Geometry: bloom.Geometry{Bits: 131, Hashes: 3}}

// Without a day everything belongs to one day and one filter; on a day, too, as long as it lasts. Over the days,
// articles inside are remembered at every offset of a day, and expired ones leave no trace.
func TestDraw(t *testing.T) {
	strategytest.Draw(t, strategytest.Draws[daily.Config, *daily.Filter]{
		New: daily.New, Presets: []daily.Config{daily.Month, small},
		Digest: "0b16013e1fc92484",
		Config: func(r strategytest.Random) daily.Config {
			return daily.Config{Days: r.Log(2, 32), Geometry: strategytest.Geometry[bloom.Geometry](r, bloom.MinLaneBits)}
		},
		Subject: func(r strategytest.Random, f *daily.Filter) strategytest.Subject {
			switch r.IntN(3) {
			case 0:
				return strategytest.Subject{Strategy: f, Theory: f, Life: r.Log(1, 3000)}
			case 1:
				return strategytest.Subject{Strategy: f.On(r.IntN(strategies.MaxDay)), Theory: f, Life: r.Log(1, 3000)}
			}
			p := newPaced(f, r.Log(1, 40), r.Log(2, 40))
			return strategytest.Subject{
				Strategy: p, Theory: p, Life: min(2*f.Days*p.perDay+40, 1500),
				Forgets: func(read, age int) bool { return age > p.Window(read) },
			}
		},
	})
}

// A paced user is shown perDay articles a day (strategytest.Paced), and nothing every gap'th day.
type paced struct {
	*strategytest.Paced
	filter *daily.Filter
	perDay int
}

func newPaced(f *daily.Filter, perDay, gap int) *paced {
	day := func(article int) int {
		day := article / perDay
		return day + day/(gap-1)
	}
	return &paced{strategytest.NewPaced(f, perDay, day), f, perDay}
}

// counts returns the articles of each day that is left after read articles.
func (p *paced) counts(read int) (counts []int) {
	if read <= 0 {
		return nil
	}
	today := p.Day(read - 1)
	for article := read - 1; article >= 0 && p.Day(article) > today-p.filter.Days; {
		n := article%p.perDay + 1
		counts, article = append(counts, n), article-n
	}
	return counts
}

func (p *paced) FPR(read int) float64 { return p.filter.FPRDays(p.counts(read)) }

func (p *paced) Window(read int) (n int) {
	for _, count := range p.counts(read) {
		n += count
	}
	return n
}

// A month at the lecture's scale, two hundred users: the rate of thirty full days is the exact one within four
// standard errors, which a correct month misses with a probability of 6e-5, and at most the 1 % promised.
func TestMonth(t *testing.T) {
	p := newPaced(build(t, daily.Month), 150, 1000)
	e := strategytest.MeasureFPR(p, 30*150, 200, 500, 1)
	if theory := p.FPR(30 * 150); e.Z(theory) > 4 || e.Z(theory) < -4 || theory > 0.01 {
		t.Errorf("rate %.6f, want %.6f and at most 0.01: %.1f standard errors apart", e.Rate(), theory, e.Z(theory))
	}
	for lanes, want := range map[int]int{0: 0, 1: 313 + 8, 2: 626 + 8, 30: 9387 + 8} {
		strategytest.Equal(t, p.filter.BytesDays(lanes), want, "bytes of %d lanes of 2503 bits and a header", lanes)
	}
}

func FuzzKit(f *testing.F) { strategytest.Fuzz(f, build(f, small)) }

// Histories of many days, and forged ones that Validate accepts.
func FuzzDays(f *testing.F) { strategytest.Fuzz(f, newPaced(build(f, small), 7, 3)) }

func TestLayout(t *testing.T) {
	strategytest.Layouts(t, map[string]strategies.Strategy{
		"b2d736c83ffa419d": build(t, daily.Month),
		"35fc05115beaa011": newPaced(build(t, daily.Month), 40, 7),
		"bcdf907af3ff5885": newPaced(build(t, small), 3, 2),
	})
}

func TestNewErrors(t *testing.T) {
	strategytest.Refuses(t, daily.New, map[string]daily.Config{
		"Days is 1, want 2 to 32":       {Days: 1, Geometry: small.Geometry},
		"Days is 33, want 2 to 32":      {Days: 33, Geometry: small.Geometry},
		"Bits is 0, want 1 to 16777216": {Days: 30},
		"Hashes is 65, want 1 to 64":    {Days: 30, Geometry: bloom.Geometry{Bits: 812, Hashes: 65}},
		"Bits is 63, want at least 64":  {Days: 30, Geometry: bloom.Geometry{Bits: 63, Hashes: 6}},
	})
}

// Headers damaged by hand: the last day in 16 bits, its lane and the number of
// lanes in a byte each, the days in 32 bits.
func TestValidate(t *testing.T) {
	f, ids := build(t, small), strategytest.IDs(4, 12)
	header := func(day, head, lanes, days uint64) uint64 { return day | head<<16 | lanes<<24 | days<<32 }
	record := func(days ...int) (history []byte) {
		for i, day := range days {
			history = f.On(day).Record(history, ids[2*i:2*i+2])
		}
		return history
	}
	three, four := []int{10, 11, 13}, []int{10, 11, 12, 16}
	says := func(name string, days []int, header uint64, want string) {
		t.Helper()
		history := record(days...)
		binary.LittleEndian.PutUint64(history[len(history)-8:], header)
		strategytest.ErrorSays(t, name, f.Validate(history), want)
	}
	says("three days", three, header(13, 2, 3, 0b1101), "")
	says("as three others", three, header(14, 2, 3, 0b10011), "")
	says("too few lanes", three, header(13, 1, 2, 0b101), "header says 2 lanes in a history of 58 bytes")
	says("no lanes", three, header(13, 0, 0, 0b1101), "header says 0 lanes")
	says("more lanes than days", three, header(13, 2, 6, 0b1101), "header says 6 lanes")
	says("a lane beyond", three, header(13, 3, 3, 0b1101), "the last day has lane 3 of 3")
	says("not the last day", three, header(13, 2, 3, 0b1110), "the last day, 13, has no lane")
	says("an expired day", three, header(13, 2, 3, 0b100011), "a lane is 5 days older than day 13, want 4 at")
	says("a day before all", []int{0, 1, 2}, header(2, 2, 3, 0b1011), "a lane is 3 days older than day 2, want 2 at")
	says("more days than lanes", three, header(13, 2, 3, 0b1111), "header says 4 days in 3 lanes")
	says("fewer days than lanes", three, header(13, 2, 3, 0b101), "a bit is set in lane 0, which belongs to no")
	says("a blank lane", four, header(16, 0, 3, 0b10001), "")
	says("another lane", four, header(16, 1, 3, 0b10001), "a bit is set in lane 2, which belongs to no day")
	history := record(three...)
	lanes := strategytest.Value(bloom.NewLanes(small.Geometry, 3))
	lanes.Clear(history, 1<<1)
	strategytest.ErrorSays(t, "an empty day", f.Validate(history), "no bit is set in lane 1, a day's")
	history = record(three...) // 393 bits: seven of the last byte's are no position
	history[49] |= 0x80
	strategytest.ErrorSays(t, "a bit behind the last", f.Validate(history), "beyond the last of the 131 positions")
	strategytest.ErrorSays(t, "57 bytes", f.Validate(make([]byte, 57)), "history of 57 bytes")
}

// A model describes the strategy in words: the last day that each article was shown on, the days with any article, and
// the number of lanes.
type model struct {
	days   int
	shown  []int // by the article's number, never if not shown yet
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

// Random lives have days in a row, days of rest, weeks away and requests from a day that was over. Every article of
// the days that are left is recognised, on whichever day one asks, and no other. The filters are so large (a false
// positive in 10^10) that the answers must equal the model's. Asking writes nothing, expiry changes no answer, and
// each day has a lane.
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

// compare asks about all articles on a day.
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

// Rebuild makes a filter of the log, in the old filter's memory, and nothing else.
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
