package measure

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/dual"
	"dejavu/internal/golden"
	"dejavu/internal/sysinfo"
	"dejavu/queue"
	"dejavu/single"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
	"dejavu/workload"
)

// forgetful is a strategy that forgets an article in eleven, whatever it promises, and takes one in thirteen for seen.
type forgetful struct{ both }

func (f forgetful) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	f.both.Seen(history, candidates, seen)
	for i, id := range candidates {
		seen[i] = seen[i] && id%11 != 0 || len(history) > 0 && id%13 == 0
	}
}

// promiseless is forgetful, and says that it remembers nothing.
type promiseless struct{ forgetful }

func (promiseless) Window(int) int { return 0 }

// tiny remembers a byte of the newest article.
type tiny struct{ strategies.Strategy }

func (tiny) Record(history []byte, shown []strategies.ID) []byte {
	if len(shown) == 0 {
		return history
	}
	return append(history[:0], byte(shown[len(shown)-1]))
}

func (tiny) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	for i, id := range candidates {
		seen[i] = len(history) > 0 && history[0] == byte(id)
	}
}

func (tiny) Sizes() []int    { return []int{1} }
func (tiny) Bytes(int) int   { return 1 }
func (tiny) FPR(int) float64 { return 1. / 256 }
func (tiny) Window(int) int  { return 1 }

// runs of the same stand in a line of counts as one.
var runs = regexp.MustCompile(`\b(0 ){3,}|(- ){3,}`)

// Every number counted for small populations, also for strategies that break their promise: with a sound one nothing
// is ever missed.
func TestGoldenCounts(t *testing.T) {
	if testing.Short() {
		t.Skip("a golden file is of one size")
	}
	all := subjects()
	chain := all[4].Strategy.(both)
	all = append(all[:5:5], Subject{"forgetful", forgetful{chain}, chain},
		Subject{"promiseless", forgetful{chain}, promiseless{forgetful{chain}}}, Subject{"tiny", tiny{}, tiny{}})
	var b strings.Builder
	none := fmt.Sprintf("%+v", Rate{})
	say := func(name string, counts any) {
		text := strings.ReplaceAll(fmt.Sprintf("%+v", counts), none, "-")
		fmt.Fprintf(&b, "%s: %s\n", name, runs.ReplaceAllStringFunc(text, func(run string) string {
			return fmt.Sprintf("%d×%c ", strings.Count(run, " "), run[0])
		}))
	}
	const users = 90
	fulls := strategytest.Value(workload.NewFull(2016, users))
	daily := strategytest.Value(workload.NewDaily(2016, users))
	for _, s := range all {
		parts := 0
		counts, machine, err := Full(context.Background(), s, fulls, Range{3, users}, Options{Workers: 2, Parts: 3},
			func(a Alive) error {
				parts++
				say(s.Name+" alive", []int{a.First, a.Users})
				return nil
			})
		if err != nil || parts != 3 || machine.Parts != 3 {
			t.Fatalf("%s: %d parts, %v", s.Name, parts, err)
		}
		// 90 users take more memory than before, but little.
		for _, h := range machine.Taken {
			if all := sysinfo.Resident(); h.Resident > all/2 || h.Resident < -all/2 {
				t.Errorf("%s: %d users take %d bytes of %d", s.Name, users, h.Resident, all)
			}
		}
		say(s.Name+" full", counts)
		reading, daily, err := Daily(context.Background(), s, daily, Range{0, users}, 2, Options{Workers: 2, Parts: 2})
		if err != nil || daily.Parts != 2 {
			t.Fatal(daily.Parts, err)
		}
		say(s.Name+" daily", reading)
	}
	longer := named("queue", newLongQueue())
	c := newLongChain()
	chains := named("chain", c)
	for _, x := range []Change{
		{Old: all[0], Longer: longer, Keeps: true},
		{Old: all[0], Longer: longer},
		{Old: all[4], Longer: chains, Keeps: true},
		{Old: all[4], Longer: Subject{"forgetful", forgetful{c}, c}, Keeps: true},
	} {
		counts := strategytest.Value(Extend(context.Background(), Options{Workers: 2}, x, fulls, Range{0, users}))
		say(fmt.Sprintf("%s extended, kept %t", x.Longer.Name, x.Keeps), counts)
	}
	// In turn: the queue goes on for 200 articles, while a longer one takes all from the 50th on.
	inTurn := Change{Old: all[0], Longer: longer, Begins: func(int) (begins, answers int) { return 50, 200 }}
	counts := strategytest.Value(Extend(context.Background(), Options{Workers: 2}, inTurn, fulls, Range{0, users}))
	for i, p := range counts.Points {
		if p.Misses != 0 || p.Checks == 0 && p.Fresh.Users > 0 {
			t.Errorf("in turn, %d since: %d of %d are not recognised", ExtendGrid[i], p.Misses, p.Checks)
		}
	}
	say("queue extended, in turn", counts)
	// And a small filter, whose rate shows with which article it began.
	small := single.Config{Capacity: 10, Geometry: bloom.Geometry{Bits: 1024, Hashes: 2}}
	inTurn.Longer = named("small", strategytest.Value(single.New(small)))
	counts = strategytest.Value(Extend(context.Background(), Options{Workers: 2}, inTurn, fulls, Range{0, users}))
	say("small extended, in turn", counts)
	golden.File(t, "counts.golden", b.String())
}

// Touching makes a strategy read its history and answer nothing, until do returns.
func TestTouching(t *testing.T) {
	asked := 0
	s := Subject{Strategy: counting{subjects()[1].Strategy, &asked}, Theory: subjects()[1].Theory}
	population := strategytest.Value(workload.NewFull(2016, 5))
	one := Options{Workers: 1, Parts: 1}
	_, _, err := Full(context.Background(), s, population, Range{0, 5}, one, func(a Alive) error {
		ids, seen := make([]strategies.ID, 2), make([]bool, 2)
		before := asked
		a.Touching(func() { a.Store.Seen(0, 0, ids, seen[:0]) })
		if asked != before || !seen[0] || seen[1] {
			t.Errorf("touched: asked %d times, %v", asked-before, seen)
		}
		func() {
			defer func() { _ = recover() }()
			a.Touching(func() { panic("on the way") })
		}()
		a.Store.Seen(0, 0, ids, seen[:0])
		strategytest.Equal(t, asked, before+1, "not touched any more: asked")
		return nil
	})
	strategytest.Must(t, err)
	touched := &touching{Strategy: s.Strategy, only: true}
	for _, length := range []int{0, 1, 64, 65, 129} {
		for at := range length {
			history := make([]byte, length)
			history[at] = 7
			seen := []bool{false, true}
			touched.Seen(history, make([]strategies.ID, 2), seen)
			if seen[0] != (at%64 == 0) || !seen[1] {
				t.Errorf("byte %d of %d: %v", at, length, seen)
			}
		}
	}
	touched.Seen([]byte{1}, nil, nil)
}

// counting counts how often it is asked.
type counting struct {
	strategies.Strategy
	asked *int
}

func (c counting) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	*c.asked++
	c.Strategy.Seen(history, candidates, seen)
}

// An Asker counts remembered candidates, of any number, more or fewer than before.
func TestAsker(t *testing.T) {
	var a Asker
	for _, n := range []int{3, 300, 0, 256} {
		ids := make([]strategies.ID, n)
		want := 0
		for i := range ids {
			if ids[i] = strategies.ID(i); i%256 == 2 {
				want++
			}
		}
		strategytest.Equal(t, a.Count(tiny{}, []byte{2}, ids), want, "of %d are remembered", n)
	}
}

// both is the interface of a strategy with its theory.
type both interface {
	strategies.Strategy
	strategies.Theory
}

func named[S both](name string, s S) Subject { return Subject{Name: name, Strategy: s, Theory: s} }

// subjects returns the paper's strategies in all readings.
func subjects() []Subject {
	return []Subject{
		named("queue", strategytest.Value(queue.New(queue.Paper))),
		named("single", strategytest.Value(single.New(single.Paper))),
		named("dual", strategytest.Value(dual.New(dual.Paper))),
		named("dual-blanked", strategytest.Value(dual.New(dual.PaperBlanked))),
		named("chain", strategytest.Value(chain.New(chain.Paper))),
		named("chain-literal", strategytest.Value(chain.New(chain.Literal))),
	}
}

// The strategies for N = 1000.
func newLongQueue() *queue.Queue { return strategytest.Value(queue.New(queue.Config{Window: 1000})) }

func newLongChain() *chain.Chain {
	c := chain.Paper
	c.Links = 10
	return strategytest.Value(chain.New(c))
}
