package layered_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"dejavu/beyond/layered"
	"dejavu/bloom"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

var build = strategytest.Builder(layered.New)

// Small layers in both readings.
var (
	smallAll = layered.Config{
		Day:  bloom.Geometry{Bits: 83, Hashes: 3},
		Week: bloom.Geometry{Bits: 401, Hashes: 4}, All: bloom.Geometry{Bits: 1200, Hashes: 5},
	}
	smallMoved = moved(bloom.Geometry{Bits: 701, Hashes: 4})
)

func moved(g bloom.Geometry) layered.Config {
	return layered.Config{Day: g, Week: g, All: g, Moved: true}
}

// Without a day everything is of one day; on a day, too, as long as it lasts. Through days and weeks nothing is
// forgotten, and the rate is what theory says of what the layers hold.
func TestDraw(t *testing.T) {
	strategytest.Draw(t, strategytest.Draws[layered.Config, *layered.Filter]{
		New: layered.New, Presets: []layered.Config{smallAll, smallMoved},
		Digest: "77d518e4c3b19f8c",
		Config: func(r strategytest.Random) layered.Config {
			if r.IntN(2) == 0 {
				return moved(strategytest.Geometry[bloom.Geometry](r, bloom.MinLaneBits))
			}
			g := func() bloom.Geometry { return strategytest.Geometry[bloom.Geometry](r, 1) }
			return layered.Config{Day: g(), Week: g(), All: g()}
		},
		Subject: func(r strategytest.Random, f *layered.Filter) strategytest.Subject {
			switch r.IntN(3) {
			case 0:
				return strategytest.Subject{Strategy: f, Theory: f, Life: r.Log(1, 3000)}
			case 1:
				return strategytest.Subject{Strategy: f.On(r.IntN(strategies.MaxDay)), Theory: f, Life: r.Log(1, 3000)}
			}
			p := newPaced(f, r.Log(1, 40))
			return strategytest.Subject{Strategy: p, Theory: p, Life: min(20*p.perDay, 1000)}
		},
	})
}

// A paced user is shown so many articles a day (strategytest.Paced).
type paced struct {
	*strategytest.Paced
	filter *layered.Filter
	perDay int
}

func newPaced(f *layered.Filter, perDay int) *paced {
	return &paced{strategytest.NewPaced(f, perDay, nil), f, perDay}
}

func (p *paced) Window(read int) int { return p.filter.Window(read) }

func (p *paced) FPR(read int) float64 {
	var counts []int
	for ; read > 0; read -= p.perDay {
		counts = append(counts, min(read, p.perDay))
	}
	return p.filter.FPRDays(counts)
}

func FuzzKit(f *testing.F)      { strategytest.Fuzz(f, build(f, smallAll)) }
func FuzzKitMoved(f *testing.F) { strategytest.Fuzz(f, newPaced(build(f, smallMoved), 9)) }

func TestLayout(t *testing.T) {
	strategytest.Layouts(t, map[string]strategies.Strategy{
		"c95fa18d0a2b580a": build(t, layered.Month),
		"30819919e028a716": build(t, layered.MonthMoved),
		"ec8abe612d3be870": newPaced(build(t, layered.Month), 50),
		"7106761b45985bbd": newPaced(build(t, layered.MonthMoved), 50),
	})
}

func TestNewErrors(t *testing.T) {
	a, b := bloom.Geometry{Bits: 812, Hashes: 6}, bloom.Geometry{Bits: 812, Hashes: 5}
	strategytest.Refuses(t, layered.New, map[string]layered.Config{
		"Day: geometry 0/0: Bits is 0, want 1 to 16777216": {Week: a, All: a},
		"Week: geometry 0/0: Bits is 0":                    {Day: a, All: a},
		"All: geometry 812/65: Hashes is 65, want 1 to 64": {Day: a, Week: a, All: bloom.Geometry{Bits: 812, Hashes: 65}},
		"Week is 812/5, want 812/6 as All":                 {Day: a, Week: b, All: a, Moved: true},
		"Day: geometry 63/6: Bits is 63, want at least 64": moved(bloom.Geometry{Bits: 63, Hashes: 6}),
	})
}

// Histories damaged by hand.
func TestValidate(t *testing.T) {
	ids := strategytest.IDs(4, 60)
	both, lanes := build(t, smallAll), build(t, smallMoved)
	record := func(f *layered.Filter, days ...int) (history []byte) {
		for i, day := range days {
			history = f.On(day).Record(history, ids[2*i:2*i+2])
		}
		return history
	}
	// 83, 401 and 1200 bits: 150 bytes of all time, 51 of the week, 11 of the
	// day, 4 of header. Three lanes of 701 bits are 263 bytes, two 176, one 88.
	one, two, three, late := []int{1}, []int{1, 2}, []int{1, 2, 8}, []int{6, 7}
	says := func(name string, f *layered.Filter, days []int, damage func(history []byte), want string) {
		t.Helper()
		history := record(f, days...)
		damage(history)
		strategytest.ErrorSays(t, name, f.Validate(history), want)
	}
	says("layers", both, late, func([]byte) {}, "")
	says("on another day", both, late, func(h []byte) { h[212] = 99 }, "")
	says("two layers", both, late, func(h []byte) { h[214] = 2 }, "header says 2 layers in a history of 216 bytes")
	says("more layers", both, late, func(h []byte) { h[215] = 1 }, "header says 259 layers")
	says("an empty week", both, late, func(h []byte) { clear(h[150:201]) }, "the layer of week: no bit is set")
	says("beyond the week", both, late, func(h []byte) { h[200] |= 2 }, "week: a bit is set beyond the last of")
	says("three lanes", lanes, three, func([]byte) {}, "")
	says("two lanes", lanes, two, func([]byte) {}, "")
	says("one lane", lanes, one, func([]byte) {}, "")
	says("no lanes", lanes, one, func(h []byte) { h[90] = 0 }, "header says 0 layers in a history of 92 bytes")
	says("an empty lane alone", lanes, one, func(h []byte) { clear(h[:88]) }, "bits are set in the lanes 0, want them")
	says("an empty day's lane", lanes, three, func(h []byte) { lane3.Clear(h, 4) }, "bits are set in the lanes 1")
	says("an empty week's lane", lanes, []int{1, 2, 8, 9}, func(h []byte) { lane3.Clear(h, 2) }, "")
	says("no lane of all time", lanes, three, func(h []byte) { lane3.Clear(h, 1) }, "bits are set in the lanes")
	says("beyond the lanes", lanes, three, func(h []byte) { h[262] |= 0x80 }, "beyond the last of the 701")
	for _, day := range []int{127, 128, 255, 256, 32_767, 32_768, 65_535} {
		h := record(both, day)
		strategytest.EqualSlices(t, h[212:], []byte{byte(day), byte(day >> 8), 3, 0}, "header of day %d", day)
		strategytest.Must(t, both.Validate(h))
	}
	strategytest.ErrorSays(t, "215 bytes", both.Validate(make([]byte, 215)),
		"history of 215 bytes, want 0 or one of [216]")
}

var lane3 = strategytest.Value(bloom.NewLanes(smallMoved.All, 3))

// Random lives, of days in a row, weeks away and requests from a day that was over: every article is
// recognised, on whichever day one asks, and no other article is. The filters are large (a false positive in
// 10^9), so that the answers have to be the model's exactly. Asking writes nothing.
func TestDaysAgainstTheModel(t *testing.T) {
	g := bloom.Geometry{Bits: 8009, Hashes: 11}
	for name, c := range map[string]layered.Config{"all": {Day: g, Week: g, All: g}, "moved": moved(g)} {
		t.Run(name, func(t *testing.T) {
			f := build(t, c)
			for life := range uint64(4) {
				r := rand.New(rand.NewPCG(life, 1))
				ids := strategytest.IDs(life, 300)
				shown := slices.Repeat([]int{-1}, len(ids)) // on which day, the last
				var history []byte
				day, last, next := r.IntN(30), 0, 0
				for next < len(ids)-10 {
					switch r.IntN(10) {
					case 0:
						day += r.IntN(20)
					case 1, 2, 3: // the same day again
					default:
						day++
					}
					on := day
					if next > 0 && r.IntN(6) == 0 {
						on = max(0, day-r.IntN(20)) // a late log
					}
					last = max(last, on)
					var request []strategies.ID
					for range 1 + r.IntN(8) {
						request, shown[next] = append(request, ids[next]), last
						next++
					}
					if again := r.IntN(3 * next); again < next { // one of before once more
						request, shown[again] = append(request, ids[again]), last
					}
					history = f.On(on).Record(history, request)
					if err := f.Validate(history); err != nil {
						t.Fatalf("life %d, day %d: %v", life, last, err)
					}
					for _, today := range []int{last, last + 1, last + r.IntN(9), max(0, last-9)} {
						if err := compare(f, history, today, last, ids, shown); err != nil {
							t.Fatalf("life %d, last day %d, asked on %d: %v", life, last, today, err)
						}
					}
				}
			}
		})
	}
}

// compare asks for all articles on a day.
func compare(f *layered.Filter, history []byte, today, last int, ids []strategies.ID, shown []int) error {
	before := bytes.Clone(history)
	seen := strategytest.Ask(f.On(today), history, ids)
	if !bytes.Equal(history, before) {
		return fmt.Errorf("asking writes")
	}
	if today = max(today, last); today == last && !slices.Equal(strategytest.Ask(f, history, ids), seen) {
		return fmt.Errorf("without a day the answers are not the last day's")
	}
	for i, on := range shown {
		if want := on >= 0; seen[i] != want {
			return fmt.Errorf("article %d, shown on day %d, is seen: %v, want %v", i, on, seen[i], want)
		}
	}
	return nil
}
