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

var small = layered.Config{
	Day:  bloom.Geometry{Bits: 83, Hashes: 3},
	Week: bloom.Geometry{Bits: 401, Hashes: 4}, All: bloom.Geometry{Bits: 1200, Hashes: 5},
}

// Without a day everything belongs to one day; on a day, too, as long as it lasts. Over days and weeks nothing is
// forgotten, and the rate is as expected from what the layers hold.
func TestDraw(t *testing.T) {
	strategytest.Draw(t, strategytest.Draws[layered.Config, *layered.Filter]{
		New: layered.New, Presets: []layered.Config{small},
		Digest: "732cb30daba7b4f6",
		Config: func(r strategytest.Random) layered.Config {
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

// A paced user is shown perDay articles a day (strategytest.Paced).
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

func FuzzKit(f *testing.F) { strategytest.Fuzz(f, build(f, small)) }

func TestLayout(t *testing.T) {
	strategytest.Layouts(t, map[string]strategies.Strategy{
		"c95fa18d0a2b580a": build(t, layered.Month),
		"ec8abe612d3be870": newPaced(build(t, layered.Month), 50),
	})
}

func TestNewErrors(t *testing.T) {
	a := bloom.Geometry{Bits: 812, Hashes: 6}
	strategytest.Refuses(t, layered.New, map[string]layered.Config{
		"Day: geometry 0/0: Bits is 0, want 1 to 16777216": {Week: a, All: a},
		"Week: geometry 0/0: Bits is 0":                    {Day: a, All: a},
		"All: geometry 812/65: Hashes is 65, want 1 to 64": {Day: a, Week: a, All: bloom.Geometry{Bits: 812, Hashes: 65}},
	})
}

// Histories damaged by hand. 83, 401 and 1200 bits: 150 bytes of all time, 51 of the week, 11 of the day, 4 of header.
func TestValidate(t *testing.T) {
	ids, f := strategytest.IDs(4, 60), build(t, small)
	says := func(name string, damage func(history []byte), want string) {
		t.Helper()
		history := f.On(7).Record(f.On(6).Record(nil, ids[:2]), ids[2:4])
		damage(history)
		strategytest.ErrorSays(t, name, f.Validate(history), want)
	}
	says("layers", func([]byte) {}, "")
	says("on another day", func(h []byte) { h[212] = 99 }, "")
	says("two layers", func(h []byte) { h[214] = 2 }, "header says 2 layers, want 3")
	says("more layers", func(h []byte) { h[215] = 1 }, "header says 259 layers")
	says("an empty week", func(h []byte) { clear(h[150:201]) }, "the layer Week: no bit is set")
	says("beyond the week", func(h []byte) { h[200] |= 2 }, "Week: a bit is set beyond the last of")
	for _, day := range []int{127, 128, 255, 256, 32_767, 32_768, 65_535} {
		h := f.On(day).Record(nil, ids[:2])
		strategytest.EqualSlices(t, h[212:], []byte{byte(day), byte(day >> 8), 3, 0}, "header of day %d", day)
		strategytest.Must(t, f.Validate(h))
	}
	strategytest.ErrorSays(t, "215 bytes", f.Validate(make([]byte, 215)), "history of 215 bytes, want 0 or one of [216]")
}

// Random lives have days in a row, weeks away and requests from a day that was over: every article is recognised, on
// whichever day one asks, and no other article is. The filters are so large (a false positive in 10^9) that the
// answers must equal the model's. Asking writes nothing.
func TestDaysAgainstTheModel(t *testing.T) {
	g := bloom.Geometry{Bits: 8009, Hashes: 11}
	f := build(t, layered.Config{Day: g, Week: g, All: g})
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
}

// compare asks about all articles on a day.
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

// What the layers hold, by hand: ten articles on each of days 0 to 9, but none on day 8. Day 9 is the third of the
// second week.
func TestHeld(t *testing.T) {
	f, counts := build(t, small), []int{10, 10, 10, 10, 10, 10, 10, 10, 0, 10}
	for days, want := range map[int]layered.Held{
		0: {}, 1: {Day: 10, Week: 10, All: 10}, 2: {Day: 10, Week: 20, All: 20}, 7: {Day: 10, Week: 70, All: 70},
		8: {Day: 10, Week: 10, All: 80}, 10: {Day: 10, Week: 20, All: 90},
	} {
		strategytest.Equal(t, f.Held(counts[:days]), want, "after %d days the layers hold", days)
	}
}

// The union of the layers' rates: golden values computed outside the project, by the recursion of Bose et al. (2008),
// of filters of 812/6 and 4064/6.
func TestFPRHeld(t *testing.T) {
	g := bloom.Geometry{Bits: 812, Hashes: 6}
	f := build(t, layered.Config{Day: g, Week: g, All: bloom.Geometry{Bits: 4064, Hashes: 6}})
	h := layered.Held{Day: 50, Week: 100, All: 500}
	strategytest.Near(t, f.FPRHeld(h), 1-(1-0.000878)*(1-0.020480)*(1-0.020268), 1.5e-6, "all layers")
}

// The preset has a rate of 1 % in each layer.
func TestPreset(t *testing.T) {
	for n, got := range map[int]bloom.Geometry{150: layered.Month.Day, 1050: layered.Month.Week, 4500: layered.Month.All} {
		want, err := bloom.BestGeometry(n, 0.01)
		if err != nil || got != want {
			t.Errorf("a layer of %d articles is %v, want %v (%v)", n, got, want, err)
		}
	}
}
