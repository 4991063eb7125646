package main

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"dejavu/chain"
	"dejavu/page"
	"dejavu/plots"
	"dejavu/results"
)

// wholeExplorer is that of the page itself; TestMain narrows that of all runs.
var (
	wholeScope    = scoped
	wholeExplorer = sync.OnceValues(func() (page.Explorer, error) { return explorer(wholeScope) })
)

// What is taken over from an earlier turn is what theory says, at every setting.
func TestExplorerTurns(t *testing.T) {
	for _, s := range scaledStrategies {
		for _, window := range []int{100, 1500} {
			points := turns(window)
			cell, err := explored(s, window, 0.01, window == 100, points)
			if err != nil {
				t.Fatal(err)
			}
			made, _, err := s.make(window, 0.01, window == 100)
			if err != nil {
				t.Fatal(err)
			}
			for i, shown := range points {
				if got, want := float64(cell.Curve[i]), made.FPR(shown); got != want {
					t.Errorf("%s for %d articles after %d: %v, want %v", s.Name, window, shown, got, want)
				}
			}
			for i, h := range habits {
				if got, want := float64(cell.FPR[i]), made.FPR(h.Articles); got != want {
					t.Errorf("%s for %d articles after %d: %v, want %v", s.Name, window, h.Articles, got, want)
				}
			}
		}
	}
}

// The place where the sliders start is the paper's setting, and says what its
// strategies say.
func TestExplorerStartsAtThePaper(t *testing.T) {
	e, err := wholeExplorer()
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Validate(); err != nil {
		t.Fatal(err)
	}
	s := e.Start
	if e.Users[s.Users] != defaultUsers || e.Windows[s.Window] != 500 || e.Rates[s.Rate] != 0.02 || e.Shown[s.Shown].Articles != 500 || s.Sizing != 0 {
		t.Errorf("the sliders start at %+v", s)
	}
	for i, strategy := range e.Strategies {
		cell := e.Cells[((s.Sizing*len(e.Windows)+s.Window)*len(e.Rates)+s.Rate)*len(e.Strategies)+i]
		made, err := entries[i].Make()
		if err != nil {
			t.Fatal(err)
		}
		if entries[i].Name != strategy.Name {
			t.Fatalf("line %d is %s, the catalogue has %s", i, strategy.Name, entries[i].Name)
		}
		for j, h := range e.Shown {
			if cell.Bytes[j] != made.Bytes(h.Articles) || float64(cell.FPR[j]) != made.FPR(h.Articles) || cell.Window[j] != made.Window(h.Articles) {
				t.Errorf("%s after %d articles: %d bytes, %v, %d; want %d, %v, %d", strategy.Name, h.Articles,
					cell.Bytes[j], cell.FPR[j], cell.Window[j], made.Bytes(h.Articles), made.FPR(h.Articles), made.Window(h.Articles))
			}
		}
		for j, shown := range e.Curves[s.Window] {
			if float64(cell.Curve[j]) != made.FPR(shown) {
				t.Errorf("%s: the curve at %d is %v, want %v", strategy.Name, shown, cell.Curve[j], made.FPR(shown))
			}
		}
	}
}

// By the exact formula every strategy keeps the rate while it holds N articles,
// the chain always.
func TestExplorerExactSizesMeetTheRate(t *testing.T) {
	e, err := wholeExplorer()
	if err != nil {
		t.Fatal(err)
	}
	for w, window := range e.Windows {
		for r, rate := range e.Rates {
			for i, strategy := range e.Strategies {
				c := e.Cells[((1*len(e.Windows)+w)*len(e.Rates)+r)*len(e.Strategies)+i]
				for j, shown := range e.Curves[w] {
					if fpr := float64(c.Curve[j]); fpr > rate && (shown <= window || strategy.Name != "single") {
						t.Errorf("%s for %d articles at %v: %v after %d", strategy.Name, window, rate, fpr, shown)
					}
				}
			}
		}
	}
}

// A curve is nowhere higher between its points than at the larger of the two, so
// that what is drawn hides no peak.
func TestTurnsMissNoPeak(t *testing.T) {
	s, err := chain.New(chain.Paper)
	if err != nil {
		t.Fatal(err)
	}
	points := turns(500)
	at := 0
	for shown := 1; shown <= 2000; shown++ {
		for points[at] < shown {
			at++
		}
		from := points[max(0, at-1)]
		if most := max(s.FPR(from), s.FPR(points[at])); s.FPR(shown) > most {
			t.Errorf("after %d articles %v, drawn between %d and %d at no more than %v", shown, s.FPR(shown), from, points[at], most)
		}
	}
}

// Every figure that can be drawn is on the page, with words of its own.
func TestIllustrations(t *testing.T) {
	said := map[string]bool{}
	for _, i := range illustrations {
		if said[i.figure] || i.title == "" || !strings.HasSuffix(i.caption, ".") {
			t.Errorf("figure %s: twice, or without a title or a sentence", i.figure)
		}
		said[i.figure] = true
	}
	for _, name := range plots.Names() {
		if !said[name] {
			t.Errorf("figure %s has no line in illustrations", name)
		}
	}
}

// A run leaves the page and the tables; what it measured is on them.
func TestRunWritesPage(t *testing.T) {
	out := t.TempDir()
	writePeers(t, out)
	wants(t, program(t.Context(), "sizing", "--users", "1", "--out", out), exitOK, "")
	html := read(t, filepath.Join(out, "report.html"))
	for _, phrase := range []string{
		"<title>Dejavu", `id="figure-sizing"`, `<svg role="img" aria-labelledby="figure-sizing-title"`, "Bits for 500 articles by target rate",
		"<code>sizing.csv</code>", "ahead, 2×", `id="theory">{"users":[1000,`,
	} {
		if !strings.Contains(html, phrase) {
			t.Errorf("the page lacks %q", phrase)
		}
	}
	if strings.Contains(html, `id="figure-fpr"`) {
		t.Error("the page has a figure of an experiment that did not run")
	}
	if size := len(html); size > 4<<20 {
		t.Errorf("the page has %d bytes, want a few MB at most", size)
	}
	for name, phrase := range map[string]string{"tables.md": "| swift single | ahead, 2×", "tables.tex": `swift single & ahead, 2$\times$`} {
		if text := read(t, filepath.Join(out, name)); !strings.Contains(text, phrase) {
			t.Errorf("%s lacks %q:\n%s", name, phrase, text)
		}
	}
}

// The tables for papers, of a committed run.
func TestGoldenTables(t *testing.T) {
	run, ok := results.Reference(20000, defaultSeed)
	if !ok {
		t.Fatal("no reference")
	}
	table := headline(index(run), run.Manifest.Users)
	// Times and resident memory are another machine's at the next renewal.
	for _, row := range table.Rows {
		row[3], row[9] = "–", "–"
	}
	peers := results.Table{
		Title: "Is ours ahead? 50 % & more", Header: []string{"strategy", "fresh_candidate"},
		Rows: [][]string{{"swift {single}", "**behind**, 0.7×"}, {"slow", "ahead, 2× – N→1000"}},
	}
	golden(t, "tables.md", table.Markdown()+"\n"+peers.Markdown())
	golden(t, "tables.tex", tex(table)+"\n"+tex(peers))
}

// The verdicts on the page are those of the ledger, refuted ones first.
func TestVerdictGroups(t *testing.T) {
	run, ok := results.Reference(20000, defaultSeed)
	if !ok {
		t.Fatal("no reference")
	}
	groups, _ := verdictGroups(run)
	sum := 0
	for _, g := range groups {
		sum += len(g.Claims.Rows)
	}
	if l := ledgerOf(run); sum != len(l.Findings) || groups[0].Tone != page.Bad {
		t.Errorf("%d claims on the page beginning with %s, %d in the ledger", sum, groups[0].Verdict, len(l.Findings))
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 10_000_000: "10,000,000", 1_002_003: "1,002,003"} {
		if got := thousands(n); got != want {
			t.Errorf("thousands(%d) = %q, want %q", n, got, want)
		}
	}
}
