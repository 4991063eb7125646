package report

import (
	"fmt"
	"math"
	"strings"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/text"
	"dejavu/experiments/tradeoff"
	"dejavu/internal/page"
	"dejavu/results"
	"dejavu/results/by"
)

// axes are the quantities of the frontier, and where their rows are.
var axes = []struct {
	page.Axis
	query results.Query // of every structure, for what is alike
	scale float64       // of the rows' unit in the axis'
}{
	{page.Axis{Key: "bytes", Name: "bytes", Unit: "B", Show: true}, tradeoff.Of(results.QLongest), 1},
	{page.Axis{Key: "query", Name: "ns a candidate", Unit: "ns", Show: true}, tradeoff.Of(results.QQueryNanos, by.Candidates.At(40)), 1},
	{page.Axis{Key: "fpr", Name: "FPR at worst", Unit: "%", Show: true}, tradeoff.Of(results.QFPR, tradeoff.Worst), 100},
	{page.Axis{Key: "mean", Name: "FPR, mean", Unit: "%"}, tradeoff.Of(results.QFPR, tradeoff.Mean), 100},
	{page.Axis{Key: "window", Name: "guaranteed window", More: true, Show: true}, tradeoff.Of(results.QWindow, tradeoff.Least), 1},
	{page.Axis{Key: "record", Name: "ns an article recorded", Unit: "ns"}, tradeoff.Of(results.QRecordNanosEach, by.Recorded.At(10)), 1},
}

// frontier is the experiment tradeoff line by line; without lines where it did not run.
func frontier(c results.Cells) page.Frontier {
	f := page.Frontier{
		Title: "Compare what was measured",
		Note: "Every structure made for a window of 400 articles: once for 2 % of false positives at worst, once for " +
			"512 bytes at most, where it fits. " +
			"Rates are by theory, which the measurements meet; times are of this run's machine.",
	}
	for _, a := range axes {
		f.Axes = append(f.Axes, a.Axis)
	}
	for _, made := range []struct {
		alike results.Condition
		goal  string
	}{{tradeoff.AtRate, "2 % at worst"}, {tradeoff.InBytes, "512 bytes"}} {
		for _, e := range catalogue.All() {
			if _, ok := c.One(tradeoff.Of(results.QLongest, made.alike).Of(e.Name)); !ok {
				continue
			}
			_, fixed := c.One(tradeoff.Of(results.QCapacity, made.alike).Of(e.Name))
			t := page.Trade{Name: strings.TrimPrefix(e.Name, results.Beyond), About: e.About, For: made.goal, Lasts: !fixed}
			for _, a := range axes {
				m := page.Measured{Value: math.NaN(), Text: text.None}
				if r, ok := c.One(a.query.With(made.alike).Of(e.Name)); ok {
					if a.Unit == "%" && r.Theory.IsSet() {
						r.Value = r.Theory
					}
					m = page.Measured{Value: a.scale * r.Value.Or(0), Text: text.Of(r)}
					if a.Unit == "ns" {
						m.Text = fmt.Sprintf("%.1f ns", m.Value)
					}
				}
				t.Values = append(t.Values, m)
			}
			f.Trades = append(f.Trades, t)
		}
	}
	return f
}
