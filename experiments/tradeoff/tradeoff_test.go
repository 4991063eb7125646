package tradeoff

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"dejavu/beyond/matrix"
	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experimenttest"
	"dejavu/internal/document"
	"dejavu/internal/golden"
	"dejavu/measure"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/strategies/strategytest"
	"dejavu/workload"
)

// found are the trades of the whole catalogue, found in a second.
var found = sync.OnceValue(func() []trade {
	scope := engine.Scope{Users: 1, Seed: results.DefaultSeed, Entries: catalogue.All()}
	return allTrades(engine.New(context.Background(), scope, engine.NewProgress(io.Discard)))
})

// Every contender keeps its window and rate at every moment of a full rotation, in the bytes that it states. Its rate
// is close to the lowest for these bytes.
func TestTradesKeepPromises(t *testing.T) {
	t.Parallel()
	compared := map[string]bool{}
	for _, tr := range found() {
		name := tr.Name + tr.alike.Value
		strategytest.AtLeast(t, tr.Window, catalogue.SizedWindow, "%s: the window", name)
		if rate := tr.Worst; tr.alike == AtRate && rate > catalogue.SizedFPR || tr.Mean > rate*(1+1e-9) {
			t.Errorf("%s: a rate of %v at worst, %v in the mean", name, rate, tr.Mean)
		}
		bytes := longest(tr.strategy, catalogue.SizedWindow)
		if tr.alike == InBytes && bytes > lengthBytes || tr.MeanBytes > float64(bytes)+1e-6 {
			t.Errorf("%s: %d bytes at most, %v in the mean", name, bytes, tr.MeanBytes)
		}
		compared[name] = true
	}
	strategytest.AtLeast(t, len(compared), len(catalogue.Entries(catalogue.All()))+8, "configurations compared")
	// Entries that can be made for a window are compared.
	for _, e := range catalogue.All() {
		if e.Sized != nil && !compared[e.Name+AtRate.Value] {
			t.Errorf("%s can be made for a window, and is not compared", e.Name)
		}
	}
}

// A rate a tenth below the lowest that fits into the bytes does not fit.
func TestNothingBetterFits(t *testing.T) {
	t.Parallel()
	all := found()
	looked := 0
	for _, tr := range all {
		if tr.alike != InBytes {
			continue
		}
		looked++
		s := tr.strategy
		rate := 0.
		for read := 1; read <= firstArticle+100; read++ {
			if catalogue.Endless(s) && read > catalogue.SizedWindow {
				break
			}
			rate = max(rate, s.FPR(read))
		}
		e := catalogue.Must(catalogue.Find(tr.Name))
		lower, err := e.Sized(catalogue.SizedWindow, rate*0.9)
		atWindow := s.FPR(catalogue.SizedWindow)
		length := func(s catalogue.Strategy) int { return longest(s, catalogue.SizedWindow) }
		if err == nil && length(lower) <= lengthBytes && lower.FPR(catalogue.SizedWindow) < 0.95*atWindow {
			t.Errorf("%s: %v in %d bytes, and a tenth less in %d", tr.Name, rate, length(s), length(lower))
		}
	}
	strategytest.AtLeast(t, looked, 8, "of one length")
}

// A contender that cannot be that small is left out. (A filter of a fixed capacity can
// be of any size, if its false positive rate may be any.)
func TestNothingFits(t *testing.T) {
	t.Parallel()
	for _, e := range catalogue.Entries(catalogue.All()) {
		if s := within(e, catalogue.SizedWindow, 20); s != nil && !catalogue.Endless(s) {
			t.Errorf("%s keeps %d articles in %d bytes", e.Name, catalogue.SizedWindow, longest(s, catalogue.SizedWindow))
		}
	}
}

// No structure that keeps its window for ever takes less than the bound, but for
// the term of the order of the window that the bound leaves open: two bits an article.
func TestNobodyPassesTheBound(t *testing.T) {
	t.Parallel()
	for _, e := range catalogue.Entries(catalogue.All()) {
		for _, fpr := range frontierRates {
			s, err := e.Sized(catalogue.SizedWindow, fpr)
			if err != nil {
				t.Fatalf("%s at %v: %v", e.Name, fpr, err)
			}
			if catalogue.Endless(s) {
				continue
			}
			bound := bloom.WindowBound(catalogue.SizedWindow, catalogue.SizedWindow, fpr) - 2*catalogue.SizedWindow
			if bits := float64(8 * longest(s, catalogue.SizedWindow)); bits < bound || math.IsNaN(bound) {
				t.Errorf("%s at %v: %v bits, the bound is %v", e.Name, fpr, bits, bound)
			}
		}
	}
}

// The table of docs/solved-links.md is what the structures' own theory and the bounds say.
func TestREADMESolvedBytes(t *testing.T) {
	const window, fpr = catalogue.SizedWindow, catalogue.SizedFPR
	m := catalogue.Must(matrix.New(matrix.Window400))
	slack := 0 // by how many articles the window may be longer
	for read := range 1000 {
		slack = max(slack, m.Window(read)-window)
	}
	table := document.Table{Header: []string{"what", "bytes"}}
	add := func(what string, bytes float64) {
		table.Rows = append(table.Rows, []string{what, fmt.Sprintf("%.0f B", bytes)})
	}
	add("a fixed set: lower bound", window*-math.Log2(fpr)/8)
	add("a window, at times twice as long: asymptotic bound", bloom.WindowBound(window, window, fpr)/8)
	add(fmt.Sprintf("a window, at times %d articles longer: asymptotic bound", slack),
		bloom.WindowBound(window, slack, fpr)/8)
	add("a window, in generations: lower bound at the peak", leastGenerations(window, fpr)/8)
	add("**solved links**", float64(longest(m, window)))
	add("sorted fingerprints, by entropy", sortedEntropy(window, fpr)/8)
	c := catalogue.Must(chain.New(catalogue.Must(chain.Best(window, fpr))))
	add("the best chain", float64(longest(c, window)))
	golden.Document(t, "docs/solved-links.md", "bytes", strings.TrimSpace(table.Markdown())+"\n")
}

// leastGenerations returns the bits of full generations that each take the least for a fixed set, at the best number of
// generations. One of them is being replaced, so that the others hold the window.
func leastGenerations(window int, fpr float64) float64 {
	least := math.Inf(1)
	for generations := 2.; generations < 40; generations++ {
		each := math.Ceil(float64(window-1) / (generations - 1))
		least = min(least, generations*each*-math.Log2(-math.Expm1(math.Log1p(-fpr)/generations)))
	}
	return least
}

// sortedEntropy returns the bits of sorted fingerprints in unordered generations, at the best number of generations.
// One of them is being replaced, so that the others hold the window.
func sortedEntropy(window int, fpr float64) (least float64) {
	least = math.Inf(1)
	for generations := 2.; generations < 40; generations++ {
		each := math.Ceil(float64(window-1) / (generations - 1))
		values := 1 / -math.Expm1(math.Log1p(-fpr)/(generations*each)) // of a fingerprint, so that the rate is fpr
		orders, _ := math.Lgamma(each + 1)
		least = min(least, generations*(each*math.Log2(values)-orders/math.Ln2))
	}
	return least
}

// The other numbers of docs/solved-links.md follow from the theory and the configuration, and it is short.
func TestSolvedDocument(t *testing.T) {
	data := strategytest.Value(os.ReadFile("../../docs/solved-links.md"))
	text := strings.Join(strings.Fields(string(data)), " ")
	c := matrix.Window400
	m := catalogue.Must(matrix.New(c))
	regular := 1. // of random square matrices of bits, the part that is
	for i := 1; i < 60; i++ {
		regular *= 1 - math.Exp2(-float64(i))
	}
	columns := c.Links * c.Articles * c.Columns / 8
	rest := columns + c.Links + m.HeaderBytes()
	most := c.Links*c.Articles + c.Articles - 1
	for _, said := range []string{
		fmt.Sprintf("with a probability of %.3f", regular), fmt.Sprintf("takes %.2f seeds on average", 1/regular),
		fmt.Sprintf("takes %.2f r bits an article", math.Log2E), fmt.Sprintf("at least r + %.2f", math.Log2E),
		fmt.Sprintf("r is %.1f, so %d columns suffice", math.Log2(float64(c.Links)/0.02), c.Columns),
		fmt.Sprintf("r = %.1f, but needs 3 more", -math.Log2(0.02)), fmt.Sprintf("the first %d bits", c.KeyBits),
		fmt.Sprintf("Eight links of %d articles in %d columns take %d bytes, their seeds %d, the header %d and the active "+
			"link %d to %d as it fills: %.0f bytes on average.", c.Articles, c.Columns, columns, c.Links, m.HeaderBytes(),
			m.Bytes(most+1)-rest, m.Bytes(most)-rest, catalogue.Lengths(m, most+1, most+c.Articles).MeanBytes),
		fmt.Sprintf("Then the window is %d. It grows to %d", m.Window(most+1), m.Window(most)),
		fmt.Sprintf("1 − (1 − 2⁻¹⁷)ⁿ (1 − 2⁻⁹)ᴷ: a key is equal to one of n, or a link agrees by chance. "+
			"At worst, n = %d and K = %d, that is %.2f %%", most, c.Links, 100*m.FPR(most)),
	} {
		strategytest.Contains(t, text, said, "docs/solved-links.md does not say")
	}
	strategytest.AtMost(t, len(regexp.MustCompile(`\S*[\pL\pN]\S*`).FindAllString(text, -1)), 600,
		"words of docs/solved-links.md")
}

// Steady misses nothing inside the window and finds theory's rates: 4000 users give each rate 200,000 queries, and 4.5
// clustered standard errors fail one seed in 100,000. The mean over 200 users is near the mean over the whole cycle.
func TestSteady(t *testing.T) {
	const first, turn, worst = 1201, 1000, 1400
	population := catalogue.Must(workload.NewFull(1, 4000))
	for _, s := range catalogue.Subjects("dual", "chain") { // rings
		whole := strategytest.Value(Steady(t.Context(), measure.Options{}, s, population, measure.Range{To: 4000},
			worst, first, turn))
		if whole.WindowChecks == 0 || whole.WindowMisses != 0 {
			t.Errorf("%s: %d of %d repeats inside the window are shown", s.Name, whole.WindowMisses, whole.WindowChecks)
		}
		mean, few := 0., 0.
		for i := range turn {
			mean += s.Theory.FPR(first+i) / turn
		}
		for i := range 200 {
			few += s.Theory.FPR(first+i*spread%turn) / 200
		}
		strategytest.Between(t, few, 0.97*mean, 1.03*mean,
			"%s: in the mean over 200 users", s.Name)
		for name, c := range map[string]struct {
			rate measure.Rate
			want float64
		}{"worst": {whole.Worst, s.Theory.FPR(worst)}, "mean": {whole.Mean, mean}} {
			strategytest.Between(t, (c.rate.Value()-c.want)/c.rate.StdErr(), -4.5, 4.5,
				"%s, %s: standard errors of %v from theory", s.Name, name, c.rate.Value())
		}
	}
}

// The whole experiment, over few users.
func TestGolden(t *testing.T) { experimenttest.Golden(t, Experiment, 1000) }

// A structure that is added to the catalogue is drawn in both figures, beside its kind.
func TestAddedIsDrawn(t *testing.T) {
	run, _ := results.Reference(results.DefaultUsers, results.DefaultSeed)
	for like, panel := range map[string]int{"ring": 0, "scalable": 1} {
		rows, bars := run.All(), 8-panel // seven are drawn
		for _, r := range rows {
			if r.Experiment == results.Tradeoff && r.Strategy == results.Beyond+like {
				r.Strategy = results.Beyond + "added"
				rows = append(rows, r)
			}
		}
		d := plots.NewData(figures, rows)
		drawn := func(s plots.Sheet, panel int) bool {
			return slices.ContainsFunc(s.Panels[panel].Series, func(s plots.Series) bool { return s.Strategy == "added" })
		}
		curves, _, err := d.Lay(figures[0])
		strategytest.Must(t, err)
		costs, _, err := d.Lay(figures[1])
		strategytest.Must(t, err)
		if !drawn(curves, panel) || drawn(curves, 1-panel) || len(costs.Panels[0].Series) != bars {
			t.Errorf("a structure like %s is not drawn beside it", like)
		}
	}
}
