package catalogue_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// Two strategies of one name would share files and measurements. Each has a name that Find knows, with
// results.Beyond and without, and something said about it.
func TestEntries(t *testing.T) {
	names := map[string]bool{}
	for _, e := range catalogue.All() {
		short := strings.TrimPrefix(e.Name, results.Beyond)
		if names[short] || e.Name != strings.ToLower(e.Name) || short == "" || e.About == "" || e.Share < 1 || e.Churn < 0 {
			t.Errorf("%q: name taken or not in lower case, nothing said about it, or no share", e.Name)
		}
		names[short] = true
		if (e.Sized == nil) != (e.Config == nil) {
			t.Errorf("%s: a strategy of some size without its configuration, or the other way round", e.Name)
		}
		if e.IsBeyond() != (short != e.Name) {
			t.Errorf("%s: beyond the paper is %v", e.Name, e.IsBeyond())
		}
		for _, name := range []string{e.Name, short} {
			if found, err := catalogue.Find(name); err != nil || found.Name != e.Name {
				t.Errorf("Find(%q) = %q, %v", name, found.Name, err)
			}
		}
	}
	if least := 21; len(names) < least {
		t.Errorf("%d entries, want %d at least", len(names), least)
	}
	for i, name := range []string{"queue", "single", "dual", "chain"} { // the paper's Table 1
		if e := catalogue.All()[i]; e.Name != name || e.Share != 1 {
			t.Errorf("entry %d is %s, lived with by one in %d, want %s and all", i, e.Name, e.Share, name)
		}
	}
	if _, err := catalogue.Find(results.Beyond + "chain-best"); err != nil {
		t.Error(err)
	}
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

// What can be made for a window and a rate keeps the one at every moment and the other at worst, by its own
// theory, and in its histories the window; its configuration is of its package's type. Beyond/stable is
// certain of no article.
func TestSized(t *testing.T) {
	for _, e := range catalogue.All() {
		if e.Sized == nil {
			continue
		}
		for _, c := range []struct {
			window int
			fpr    float64
		}{{20, 0.1}, {150, 0.004}, {catalogue.SizedWindow, catalogue.SizedFPR}} {
			s, err := e.Sized(c.window, c.fpr)
			if err != nil {
				t.Errorf("%s for %d at %v: %v", e.Name, c.window, c.fpr, err)
				continue
			}
			if config, err := e.Config(c.window, c.fpr); err != nil || config == nil {
				t.Errorf("%s for %d at %v: configuration %v, %v", e.Name, c.window, c.fpr, config, err)
			}
			articles := 3 * c.window
			if s.Window(articles) == articles { // it never forgets, and has a fixed capacity
				articles = c.window
			}
			var history []byte
			ids, seen := strategytest.IDs(7, articles), make([]bool, c.window)
			for read := 1; read <= articles; read++ {
				history = s.Record(history, ids[read-1:read])
				if rate := s.FPR(read); rate > c.fpr || math.IsNaN(rate) {
					t.Errorf("%s for %d at %v: after %d articles a rate of %v", e.Name, c.window, c.fpr, read, rate)
					break
				}
				if e.Name == results.Beyond+"stable" {
					continue
				}
				last := ids[max(0, read-c.window):read]
				s.Seen(history, last, seen[:len(last)])
				if s.Window(read) < len(last) || slices.Contains(seen[:len(last)], false) {
					t.Errorf("%s for %d at %v: after %d articles a window of %d, and in it %v", e.Name, c.window, c.fpr, read,
						s.Window(read), seen[:len(last)])
					break
				}
			}
		}
		for _, c := range []struct {
			window int
			fpr    float64
		}{{0, 0.02}, {-1, 0.02}, {400, 0}, {400, 1}, {400, math.NaN()}} {
			if _, err := e.Sized(c.window, c.fpr); err == nil {
				t.Errorf("%s is made for %d at %v", e.Name, c.window, c.fpr)
			}
			if _, err := e.Config(c.window, c.fpr); err == nil {
				t.Errorf("%s has a configuration for %d at %v", e.Name, c.window, c.fpr)
			}
		}
	}
}

// Shares of a population, and never nobody.
func TestShares(t *testing.T) {
	e := catalogue.Entry{Share: 100, Churn: 40}
	for _, c := range []struct{ population, users, returning int }{
		{1000, 10, 25}, {199, 1, 4}, {1, 1, 1},
	} {
		if users, returning := e.Users(c.population), e.Returning(c.population); users != c.users ||
			returning != c.returning {
			t.Errorf("of %d: %d and %d, want %d and %d", c.population, users, returning, c.users, c.returning)
		}
	}
	if (catalogue.Entry{Share: 1}).Sampled() || !(catalogue.Entry{Share: 2}).Sampled() {
		t.Error("one user in two is a sample, and all are none")
	}
}
