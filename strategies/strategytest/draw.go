package strategytest

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"dejavu/internal/garbage"
	"dejavu/internal/kernel"
	"dejavu/internal/kernel/kerneltest"
	"dejavu/strategies"

	"github.com/cespare/xxhash/v2"
)

// A Random draws the parameters of strategies. It draws the same on every processor.
type Random struct{ *rand.Rand }

// Log draws a number as kerneltest.Log does.
func (r Random) Log(least, most int) int { return kerneltest.Log(r.Rand, least, most) }

// Rate draws a false positive rate from 1e-6 to 0.2.
func (r Random) Rate() float64 {
	return min(0.2, float64(10+r.IntN(90))/float64([]int{1e2, 1e3, 1e4, 1e5, 1e6, 1e7}[r.IntN(6)]))
}

// Geometry draws a bloom.Geometry of at least the given number of bits.
func Geometry[G ~struct{ Bits, Hashes int }](r Random, least int) G {
	return G{Bits: r.Log(least, 1<<17), Hashes: r.Log(1, 64)}
}

// Predicted is a strategy that states its own theory.
type Predicted interface {
	strategies.Strategy
	strategies.Theory
}

// Draws says how to draw strategies S of one package by their configurations C. A draw that New refuses is repeated.
type Draws[C any, S Predicted] struct {
	New     func(C) (S, error)
	Config  func(r Random) C                         // every field in its range; may be nil if Sized is not
	Sized   func(window int, fpr float64) (C, error) // used for every third draw, if not nil
	Presets []C                                      // checked first
	Subject func(r Random, s S) Subject              // if not nil, says more of a strategy, or wraps it
	Digest  string                                   // of the first draws' histories and answers, on all processors
}

// Draw runs the kit on configurations drawn at random, with windows of up to 10,000 articles and rates from 1e-6 to
// 0.2. Strategies are alive together and their calls take turns. Every kernel of the processor gets the same calls,
// with garbage in reused memory, and must return the same answers and bytes. Every second draw also runs one of the
// kit's checks. Draw is quick unless the environment says DRAW=10m, or DRAW=2000x for 2,000 draws.
//
// The false positive rate, pooled over all draws, must agree with theory within five standard errors, each draw being
// one observation: one correct package in 1.7 million fails.
func Draw[C any, S Predicted](t testing.TB, d Draws[C, S]) {
	t.Helper()
	tried, accepted := 0, 0
	values := map[string]map[any]bool{}
	DrawSubjects(t, d.Digest, func(r Random, number int) (Subject, string) {
		for ; ; tried++ {
			c, s, window, about, err := d.one(t, r, number)
			if err != nil || slices.Max(s.Sizes()) > 1<<18 {
				continue // refused, or too long for a test
			}
			accepted++
			collect(values, "", reflect.ValueOf(c))
			subject := Subject{Strategy: s, Theory: s}
			if d.Subject != nil {
				subject = d.Subject(r, s)
			}
			if subject.Life == 0 && s.Window(1<<30) == 1<<30 {
				subject.Life = window * 3 / 2 // 0 unless it is sized; it never forgets, and its rate has no bound
			}
			return subject, fmt.Sprintf("%+v%s", c, about)
		}
	})
	rounds, _ := drawRounds(t)
	for number := range rounds / 8 {
		d.large(t, Random{generator(0x1a49e, uint64(number))})
	}
	if accepted < tried/2 {
		t.Errorf("New accepts %d configurations and refuses %d: draw them nearer to their ranges", accepted, tried)
	}
	for name, different := range values {
		if len(different) < 2 && accepted > 10 {
			t.Errorf("field %s has one value in all draws: draw every field", name)
		}
	}
}

// one makes a strategy, for a window if it is sized, or returns an error if the draw is refused.
func (d Draws[C, S]) one(t testing.TB, r Random, number int) (c C, s S, window int, about string, err error) {
	t.Helper()
	if number < len(d.Presets) {
		s, err = d.New(d.Presets[number])
		Must(t, err)
		return d.Presets[number], s, 0, "", nil
	}
	if d.Sized == nil || d.Config != nil && number%3 != 0 {
		c = d.Config(r)
		s, err = d.New(c)
		return c, s, 0, "", err
	}
	window = r.Log(1, 10_000)
	fpr := r.Rate()
	if c, err = d.Sized(window, fpr); err != nil {
		return c, s, 0, "", err
	}
	s, err = d.New(c)
	Must(t, err)
	if err := keeps(s, window, fpr); err != nil {
		t.Errorf("%+v, sized for %d articles at %v: %v", c, window, fpr, err)
	}
	return c, s, window, fmt.Sprintf(", sized for %d articles at %v", window, fpr), nil
}

// large sizes a strategy for a window of 16,000 to 32,000 articles, and asks about all of it once.
func (d Draws[C, S]) large(t testing.TB, r Random) {
	t.Helper()
	if d.Sized == nil {
		return
	}
	window, fpr := 16_000+r.IntN(16_000), r.Rate()
	c, err := d.Sized(window, fpr)
	if err != nil {
		return
	}
	s, err := d.New(c)
	Must(t, err)
	if err = keeps(s, window, fpr); err == nil {
		shown := IDs(r.Uint64(), window+r.IntN(window))
		seen := Ask(s, s.Record(nil, shown), shown[len(shown)-window:])
		if at := slices.Index(seen, false); at >= 0 {
			err = forgot(len(shown), window-at, window)
		}
	}
	if err != nil {
		t.Errorf("%+v, sized for %d articles at %v: %v", c, window, fpr, err)
	}
}

// keeps checks that theory promises the window always and, as long as the window lasts, a rate of at most fpr.
func keeps(s strategies.Theory, window int, fpr float64) error {
	life := 4*window + 100
	if s.Window(life) == life { // it forgets nothing, and has no rate beyond the window
		life = window
	}
	rates := 0
	for read := 0; read <= life; read++ {
		if s.Window(read) < min(read, window) {
			return fmt.Errorf("the window is %d after %d articles", s.Window(read), read)
		}
		if (read == life || s.Window(read+1) <= s.Window(read)) && rates < 8 {
			if rate := s.FPR(read); rate > fpr {
				return fmt.Errorf("the rate is %v after %d articles", rate, read)
			}
			if rates++; rates > 3 {
				read += life / 8
			}
		}
	}
	return nil
}

func collect(values map[string]map[any]bool, name string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				collect(values, name+"."+f.Name, v.Field(i))
			}
		}
	case reflect.Int, reflect.Float64, reflect.Bool:
		if values[name] == nil {
			values[name] = map[any]bool{}
		}
		values[name][v.Interface()] = true
	}
}

const (
	together    = 4  // strategies that are alive at once
	digested    = 6  // rounds in the digest, and all rounds with -short or the race detector
	quickRounds = 16 // otherwise
	worstErrors = 5  // standard errors by which the pooled rate may be off
)

var drawEffort = effort{lives: 1, asked: 20_000, users: 60, queries: 100, corruptions: 4, damaged: 4, errors: 6}

// DrawSubjects is Draw for subjects of any packages. Draw returns the subject with a number, and how to make it.
func DrawSubjects(t testing.TB, digest string, draw func(r Random, number int) (Subject, string)) {
	t.Helper()
	rounds, long := drawRounds(t)
	sum := xxhash.New()
	var pooled tally
	missed := map[kernel.Kind]int{}
	failures := 0
	start := time.Now()
	round := 0
	for ; round < rounds || time.Since(start) < long; round++ {
		var lives []*life
		for i := range together {
			number := round*together + i
			r := Random{generator(0xd4a3, uint64(number))}
			s, about := draw(r, number)
			lives = append(lives, newLife(s, about, number))
		}
		var want []uint64
		for i, kind := range kernelsOf(round) {
			trace, err := within(kind, lives, uint64(round), i == 0, &pooled)
			if err == nil && i > 0 && !slices.Equal(trace, want) {
				err = differs(lives, trace, want)
			}
			if err != nil {
				missed[kind]++
				if failures++; failures <= 5 {
					t.Errorf("round %d, kernel %s: %v", round, kind, err)
				}
			}
			if i == 0 {
				want = trace
			}
		}
		if round < digested {
			for _, x := range want {
				_, _ = sum.Write(binary.LittleEndian.AppendUint64(nil, x))
			}
		}
		for _, l := range lives {
			if l.number%2 == 1 {
				continue
			}
			c := checks[l.number/2%len(checks)]
			e := drawEffort
			e.draw = l.number
			if err := c.repeated(l.small(), e); err != nil {
				if failures++; failures <= 5 {
					t.Errorf("draw %d, %s: %s: %v", l.number, l.about, c.name, err)
				}
			}
		}
		if failures > 0 && long == 0 && rounds <= quickRounds {
			break
		}
	}
	got := fmt.Sprintf("%016x", sum.Sum64())
	if digest != "" && got != digest && failures == 0 {
		t.Errorf("digest of the draws is %s, want %s: if you meant to change bytes, parameters or the list of strategies, "+
			"write the new one in the test", got, digest)
	}
	if err := pooled.off(); err != nil {
		t.Error(err)
	}
	var names []string
	for _, kind := range kernel.Kinds() {
		names = append(names, fmt.Sprintf("%v %d", kind, missed[kind]))
	}
	t.Logf("%d draws in %v, digest %s; rounds that fail, by kernel: %s; %d failures; %s", round*together,
		time.Since(start).Round(time.Millisecond), got, strings.Join(names, ", "), failures, pooled)
}

// within runs lives with the kernels of one kind, and with garbage in reused memory.
func within(kind kernel.Kind, lives []*life, round uint64, count bool, pooled *tally) (trace []uint64, err error) {
	defer kernel.Use(kind)()
	defer garbage.On()()
	return take(lives, round, count, pooled)
}

// kernelsOf returns the kernels that a round compares: first all, later plain Go and one other, often the best.
func kernelsOf(round int) []kernel.Kind {
	all := kernel.Kinds()
	if round < digested || len(all) < 3 {
		return all
	}
	other := len(all) - 1
	if round%2 == 1 {
		other = 1 + round/2%other
	}
	return []kernel.Kind{all[0], all[other]}
}

func drawRounds(t testing.TB) (rounds int, long time.Duration) {
	t.Helper()
	rounds = quickRounds
	if testing.Short() || raceEnabled {
		rounds = digested
	}
	draws, long := kerneltest.Effort(t, rounds*together)
	return (draws + together - 1) / together, long
}

// A tally sums, over draws, how many unseen articles were reported as seen, and how many were expected.
type tally struct{ asked, hits, expected, binomial, squares float64 }

func (p *tally) add(asked, hits, expected, binomial float64) {
	p.asked, p.hits, p.expected, p.binomial = p.asked+asked, p.hits+hits, p.expected+expected, p.binomial+binomial
	p.squares += (hits - expected) * (hits - expected)
}

// off returns an error if the hits are too far from what is expected, by more than three: few are not normal.
func (p *tally) off() error {
	if off := p.hits - p.expected; math.Abs(off) > worstErrors*math.Sqrt(max(p.squares, p.binomial))+3 {
		return fmt.Errorf("pooled over all draws: %v", *p)
	}
	return nil
}

func (p tally) String() string {
	return fmt.Sprintf("%.0f of %.0f unseen articles reported as seen, theory says %.1f with a standard error of %.1f",
		p.hits, p.asked, p.expected, math.Sqrt(max(p.squares, p.binomial)))
}
