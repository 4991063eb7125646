package choose

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/internal/document"
	"dejavu/internal/golden"
	"dejavu/internal/page"
	"dejavu/internal/sysinfo"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// cellOf returns a strategy's cell.
func cellOf(t *testing.T, e page.Explorer, window, rate int, name string) *page.Cell {
	t.Helper()
	for i, s := range e.Strategies {
		if s.Name == name {
			return e.Cells[(window*len(e.Rates)+rate)*len(e.Strategies)+i]
		}
	}
	t.Fatalf("no strategy %q", name)
	return nil
}

// The page has every strategy that can be made for a window, and the paper's as it sizes them. It names the others.
func TestEveryStrategy(t *testing.T) {
	e := New()
	names := map[string]bool{}
	for _, s := range e.Strategies {
		if names[s.Name] || s.About == "" {
			t.Errorf("%q is there twice, or has no text", s.Name)
		}
		names[s.Name] = true
	}
	for _, entry := range catalogue.All() {
		name := strings.TrimPrefix(entry.Name, results.Beyond)
		if entry.Sized != nil && !entry.Study && !names[name] ||
			entry.Sized == nil && entry.IsBeyond() && !strings.Contains(e.Note, name) {
			t.Errorf("%s is neither among the strategies nor named as missing", name)
		}
	}
	users, window, rate := e.Users[e.Start.Users], e.Windows[e.Start.Window], e.Rates[e.Start.Rate]
	if users != results.DefaultUsers || window != 400 || rate != 0.02 {
		t.Errorf("the sliders start at %+v", e.Start)
	}
}

// exact returns the worst and mean rate over these articles shown, and the longest history.
func exact(s catalogue.Strategy, first, last int) (worst, mean float64, bytes int) {
	for shown := first; shown <= last; shown++ {
		fpr := s.FPR(shown)
		worst, bytes = max(worst, fpr), max(bytes, s.Bytes(shown))
		mean += fpr / float64(last-first+1)
	}
	return worst, mean, bytes
}

// near reports whether a page's number, of five digits, lies within a share of want.
func near(got page.Number, want, share float64) bool { return math.Abs(float64(got)/want-1) <= share }

// README.md, the page and the verb choose give one answer, with the same numbers, for the needs that README.md names.
func TestREADMEOneAnswer(t *testing.T) {
	e := New()
	advice := Advice(e)
	table := document.Table{Header: []string{"you need", "what to take"}}
	rule := advice[len(advice)-1]
	for _, f := range advice[:len(advice)-1] {
		table.Rows = append(table.Rows, []string{strings.TrimSuffix(f.Title, ":"), f.Text})
	}
	said := document.Markdown(table, document.Paragraph("**"+rule.Title+"** "+rule.Text))
	golden.Document(t, "README.md", "advice", said)
	for i, a := range advised {
		window, rate := slices.Index(e.Windows, a.window), slices.Index(e.Rates, a.rate)
		p := e.Picks[window*len(e.Rates)+rate][0]
		need := Need{Users: 1, Window: a.window, FPR: a.rate}
		all := strategytest.Value(Offers(need))
		// The runner-up is named if the memory holds it.
		enough := cellOf(t, e, window, rate, e.Strategies[p.RunnerUp].Name).Bytes + e.Store
		for _, memory := range []int{math.MaxInt, enough, enough - 1} {
			for i := range all {
				all[i].Fits = all[i].User <= memory
			}
			said := p.Text
			if memory < enough {
				said = p.Alone
			}
			got := string(Answer(need, all, nil, false)[0].(document.Paragraph))
			if !strings.HasPrefix(got, said) || advice[i].Text != p.Text {
				t.Errorf("%d articles at %v: choose says %s\nthe page %s\nREADME.md %s",
					a.window, a.rate, got, said, advice[i].Text)
			}
		}
	}
}

// Strategies sized for a window and a rate keep both. The worst moment is as in a full search, and the mean within a
// hundredth.
func TestSizedMeetBoth(t *testing.T) {
	e := New()
	for w, window := range e.Windows {
		for r, rate := range e.Rates {
			smallest := math.MaxInt // that keeps both for ever: the last pick
			for _, l := range lines() {
				c := cellOf(t, e, w, r, l.Name)
				if c != nil && !c.Fixed && c.Window >= window && float64(c.Worst) <= rate && l.chosen() {
					smallest = min(smallest, c.Bytes)
				}
				if c == nil {
					t.Errorf("%s cannot be made for %d at %v", l.Name, window, rate)
					continue
				}
				if float64(c.Worst) > rate || c.Window < window || c.Mean > c.Worst*(1+1e-9) {
					t.Errorf("%s for %d at %v: %+v", l.Name, window, rate, *c)
				}
				if c.Fixed || window != 500 || rate != 0.02 {
					continue
				}
				s, err := l.entry.Sized(window, rate)
				strategytest.Must(t, err)
				worst, mean, _ := exact(s, 3*window+1, 6*window)
				if !near(c.Worst, worst, 1e-4) || !near(c.Mean, mean, 0.01) {
					t.Errorf("%s: %v at worst and %v on average, want %v and %v", l.Name, c.Worst, c.Mean, worst, mean)
				}
			}
			picks := e.Picks[w*len(e.Rates)+r]
			last := cellOf(t, e, w, r, e.Strategies[picks[len(picks)-1].Take].Name)
			strategytest.Equal(t, last.Bytes, smallest, "%d at %v: bytes of the last pick", window, rate)
		}
	}
}

// The cells kept beside the code are the computed ones: of each strategy at a third of the settings, and at all of them
// if one differs or LONG is set. A change that sizes a strategy otherwise changes most of its cells.
func TestGoldenKept(t *testing.T) {
	if sysinfo.RaceDetector {
		t.Skip("theory takes ten times as long with the race detector")
	}
	all := lines()
	fresh := kept(all)
	differs := fresh == nil || os.Getenv("LONG") != ""
	for i := 0; i < len(fresh) && !differs; i += 3 {
		setting := i / len(all)
		c := all[i%len(all)].explored(windows[setting/len(rates)], rates[setting%len(rates)])
		differs = string(strategytest.Value(json.Marshal(c))) != string(strategytest.Value(json.Marshal(fresh[i])))
	}
	if differs {
		fresh = cells(all)
	}
	text := strategytest.Value(json.Marshal(computed{names(all), fresh}))
	golden.File(t, "../computed.json", strings.ReplaceAll(string(text), "},", "},\n")+"\n")
	if !t.Failed() && kept(all[1:]) != nil {
		t.Error("cells of all strategies are used for fewer")
	}
}
