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

// What is moved is one filter's bits, sorted by age: the union of the lanes is the filter of all articles.
func TestMovedIsTheUnion(t *testing.T) {
	p, ids := newPaced(t, smallMoved, 9), strategytest.IDs(3, 200)
	one := strategytest.Value(bloom.NewLanes(smallMoved.All, 1))
	for read := range 200 {
		history := p.Record(nil, ids[:read+1])
		inner, _ := p.Dated(history)
		union, want := make([]byte, one.Bytes()), make([]byte, one.Bytes())
		lanes := 8 * (len(inner) - 4) / one.Geometry().Bits
		for bit := range one.Geometry().Bits * lanes {
			if inner[bit/8]>>(bit%8)&1 == 1 {
				union[bit/lanes/8] |= 1 << (bit / lanes % 8)
			}
		}
		if bloom.Insert(one, want, 1, ids[:read+1]); !bytes.Equal(union, want) {
			t.Fatalf("after %d articles the union of %d lanes is not the filter of all", read+1, lanes)
		}
		if want := p.filter.BytesDays(read/9 + 1); len(inner) != want {
			t.Fatalf("after %d articles: %d bytes, want %d", read+1, len(inner), want)
		}
	}
}
