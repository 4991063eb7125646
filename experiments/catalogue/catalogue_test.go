package catalogue_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/internal/golden"
	"dejavu/results"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// Two strategies of one name would share files and measurements. Each has a name that Find knows, with
// results.Beyond and without, and something said about it.
func TestEntries(t *testing.T) {
	names := map[string]bool{}
	for _, e := range catalogue.All() {
		short := strings.TrimPrefix(e.Name, results.Beyond)
		if names[short] || e.Name != strings.ToLower(e.Name) || short == "" || e.About == "" || e.Share < 1 {
			t.Errorf("%q: name taken or not in lower case, nothing said about it, or no share", e.Name)
		}
		names[short] = true
		strategytest.Equal(t, e.Sized == nil, e.Config == nil,
			"%s: a strategy of some size without its configuration, or the other way round", e.Name)
		strategytest.Equal(t, e.IsBeyond(), short != e.Name, "%s: beyond the paper is", e.Name)
		for _, name := range []string{e.Name, short} {
			strategytest.Equal(t, strategytest.Value(catalogue.Find(name)).Name, e.Name, "Find(%q)", name)
		}
	}
	strategytest.AtLeast(t, len(names), 17, "entries")
	for i, name := range []string{"queue", "single", "dual", "chain"} { // the paper's Table 1
		if e := catalogue.All()[i]; e.Name != name || e.Share != 1 {
			t.Errorf("entry %d is %s, lived with by one in %d, want %s and all", i, e.Name, e.Share, name)
		}
	}
	strategytest.Must(t, strategytest.ErrorOf(catalogue.Find(results.Beyond+"chain-best")))
}

func TestFindSaysWhatThereIs(t *testing.T) {
	for _, name := range []string{"", "bloom", "Queue", "queue ", results.Beyond, results.Beyond + "queue"} {
		e, err := catalogue.Find(name)
		if err == nil {
			t.Errorf("Find(%q) = %s", name, e.Name)
			continue
		}
		if got, want := err.Error(), `want one of queue, single, dual, chain, dual-blanked`; !strings.Contains(got, want) ||
			!strings.HasSuffix(got, results.Beyond+"chain-best") {
			t.Errorf("Find(%q): %s", name, got)
		}
	}
}

// Shares of a population are never empty.
func TestShares(t *testing.T) {
	e := catalogue.Entry{Share: 100}
	for population, want := range map[int]int{1000: 10, 199: 1, 1: 1} {
		strategytest.Equal(t, e.Users(population), want, "users of %d", population)
	}
	if (catalogue.Entry{Share: 1}).Sampled() || !(catalogue.Entry{Share: 2}).Sampled() {
		t.Error("one user in two is a sample, and all are none")
	}
}

// counted counts how often its theory is asked.
type counted struct {
	catalogue.Strategy
	asked *atomic.Int64
}

func (c counted) FPR(read int) float64 {
	c.asked.Add(1)
	return c.Strategy.FPR(read)
}

// A subject answers as its strategy's theory does, and computes each rate once, from many goroutines too.
func TestSubject(t *testing.T) {
	of := strategytest.Value(catalogue.Find("chain"))
	made := strategytest.Value(of.Make())
	var asked atomic.Int64
	e := catalogue.Entry{Name: "counted", Make: func() (catalogue.Strategy, error) { return counted{made, &asked}, nil }}
	subject := e.Subject()
	const rates = 20
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for read := range rates {
				strategytest.Equal(t, subject.Theory.FPR(100*read), made.FPR(100*read), "after %d articles", 100*read)
			}
		})
	}
	wait.Wait()
	strategytest.Equal(t, asked.Load(), rates, "rates were computed")
	strategytest.Equal(t, subject.Theory.Bytes(300), made.Bytes(300), "bytes")
	strategytest.Equal(t, subject.Theory.Window(300), made.Window(300), "a window of")
}

func ExampleFind() {
	e, err := catalogue.Find("ring") // or by its whole name
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := e.Make()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %s.\n%d bytes for 1000 articles, a window of %d\n", e.Name, e.About, s.Bytes(1000), s.Window(1000))
	// Output:
	// beyond/ring: fingerprints of any range in a ring: an exact window.
	// 720 bytes for 1000 articles, a window of 400
}

// Each strategy's catalogue entry, and its theory for the measured parameters, for a window and a rate, and for the
// longer one.
func TestGolden(t *testing.T) {
	var b strings.Builder
	made := func(what string, s catalogue.Strategy, err error) {
		if err != nil {
			t.Error(err)
			return
		}
		fmt.Fprintf(&b, "  %s: %s\n   ", what, strategies.Fingerprint(s))
		fmt.Fprintf(&b, " endless %t, sizes %v;", catalogue.Endless(s), ends(s.Sizes()))
		for _, read := range []int{1, 101, 450, 1001} {
			fmt.Fprintf(&b, " after %d: %d B, window %d, rate %.4g;", read, s.Bytes(read), s.Window(read), s.FPR(read))
		}
		fmt.Fprintln(&b)
	}
	for _, e := range catalogue.All() {
		fmt.Fprintf(&b, "%s: %s\n  share 1/%d, lives %q, size of %q, stated %+v\n",
			e.Name, e.About, e.Share, e.Lives, e.SizeOf, e.Stated)
		s, err := e.Make()
		made("made", s, err)
		if e.Sized != nil {
			config, err := e.Config(150, 0.01)
			strategytest.Must(t, err)
			s, err := e.Sized(150, 0.01)
			made(fmt.Sprintf("for 150 articles at 1 %%, a %T", config), s, err)
		}
		if e.Longer != "" {
			made(fmt.Sprintf("longer, which keeps the histories: %t", e.Keeps), e.Lengthened(), nil)
		}
	}
	golden.File(t, "catalogue.golden", b.String())
}

// ends returns the number of lengths, the first and the last.
func ends(sizes []int) string {
	return fmt.Sprintf("%d from %d to %d", len(sizes), sizes[0], sizes[len(sizes)-1])
}
