package report

import (
	"math"
	"strings"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// Every structure that can be made for a window is there for the rate, those that fit for
// the length too, with the values of the rows; of what is that short no times are known.
func TestFrontier(t *testing.T) {
	c := results.NewCells(reference(t, 20000).All())
	f := frontier(c)
	made := f.Makings()
	if len(made) != 2 {
		t.Fatalf("made for %q", made)
	}
	seen := map[string]bool{}
	for _, trade := range f.Trades {
		seen[trade.Name+trade.For] = true
		for i, a := range f.Axes {
			timed := a.Key == "query" || a.Key == "record"
			if v := trade.Values[i]; math.IsNaN(v.Value) != (timed && trade.For == made[1]) || v.Text == "" {
				t.Errorf("%s for %s: %s is %+v", trade.Name, trade.For, a.Name, v)
			}
		}
		e := strategytest.Value(catalogue.Find(trade.Name))
		s, err := e.Sized(catalogue.SizedWindow, catalogue.SizedFPR)
		if err != nil || trade.Lasts == catalogue.Endless(s) {
			t.Errorf("%s lasts: %t, %v", trade.Name, trade.Lasts, err)
		}
		if worst := trade.Values[2].Value; trade.For == made[0] && worst > 100*catalogue.SizedFPR ||
			trade.For == made[1] && trade.Values[0].Value > 512 {
			t.Errorf("%s for %s: %+v", trade.Name, trade.For, trade.Values)
		}
	}
	for _, e := range catalogue.All() {
		if name := strings.TrimPrefix(e.Name, results.Beyond); e.Sized != nil && !seen[name+made[0]] {
			t.Errorf("%s is missing", name)
		}
	}
	if f := frontier(results.NewCells(nil)); len(f.Trades) != 0 {
		t.Errorf("of no rows there are %d lines", len(f.Trades))
	}
}
