package report

import (
	"fmt"
	"math"
	"strings"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/text"
	"dejavu/page"
	"dejavu/results"
)

// axes are the quantities of the frontier, and where their rows are.
var axes = []struct {
	page.Axis
	quantity, x string
	scale       float64 // of the rows' unit in the axis'
}{
	{page.Axis{Key: "bytes", Name: "bytes", Unit: "B", Show: true}, results.QLongest, "", 1},
	{page.Axis{Key: "query", Name: "ns a candidate", Unit: "ns", Show: true}, results.QQueryNanos, "40", 1},
	{page.Axis{Key: "fpr", Name: "FPR at worst", Unit: "%", Show: true}, results.QFPRWorst, "", 100},
	{page.Axis{Key: "mean", Name: "FPR, mean", Unit: "%"}, results.QFPRMean, "", 100},
	{page.Axis{Key: "window", Name: "guaranteed window", More: true, Show: true}, results.QWindowLeast, "", 1},
	{page.Axis{Key: "record", Name: "ns an article recorded", Unit: "ns"}, results.QRecordNanosEach, "10", 1},
}

// frontier is the experiment tradeoff line by line; without lines where it did not run.
func frontier(c results.Cells) page.Frontier {
	f := page.Frontier{
		Title: "Compare what was measured",
		Note: "Every structure made for a window of 400 articles: once for 2 % of false positives at worst, once for 512 bytes at most, where it fits. " +
			"Rates are by theory, which the measurements meet; times are of this run's machine.",
	}
	for _, a := range axes {
		f.Axes = append(f.Axes, a.Axis)
	}
	for _, made := range []struct{ alike, goal string }{{results.AtRate, "2 % at worst"}, {results.InBytes, "512 bytes"}} {
		for _, e := range catalogue.All() {
			if _, ok := c.Find(results.Tradeoff, e.Name, "", results.QLongest+made.alike); !ok {
				continue
			}
			_, fixed := c.Find(results.Tradeoff, e.Name, "", results.QFixedCapacity+made.alike)
			t := page.Trade{Name: strings.TrimPrefix(e.Name, results.Beyond), About: e.About, For: made.goal, Lasts: !fixed}
			for _, a := range axes {
				m := page.Measured{Value: math.NaN(), Text: text.None}
				if r, ok := c.Find(results.Tradeoff, e.Name, a.x, a.quantity+made.alike); ok {
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
