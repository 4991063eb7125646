package main

import (
	"math"
	"testing"

	"dejavu/bloom"
	"dejavu/experiments/catalogue"
	"dejavu/results"
)

// Every contender keeps what it was made for: the window and the rate at every
// moment of a turn, in as many bytes as it says, and, within so many bytes, a rate
// that cannot be much lower.
func TestTradesKeepPromises(t *testing.T) {
	t.Parallel()
	all, err := trades()
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, tr := range all {
		name := tr.contender + tr.alike
		if tr.contender != results.Beyond+"stable" && tr.least < catalogue.SizedWindow {
			t.Errorf("%s: a window of %d, want %d", name, tr.least, catalogue.SizedWindow)
		}
		if rate := tr.strategy.FPR(tr.worst); tr.alike == results.AtRate && rate > catalogue.SizedFPR || tr.fpr > rate*(1+1e-9) {
			t.Errorf("%s: a rate of %v at worst, %v in the mean", name, rate, tr.fpr)
		}
		if bytes := longest(tr.strategy); tr.alike == results.InBytes && bytes > tradeoffBytes || tr.bytes > float64(bytes)+1e-6 {
			t.Errorf("%s: %d bytes at most, %v in the mean", name, bytes, tr.bytes)
		}
		compared++
	}
	if least := len(contenders()) + 8; compared < least {
		t.Errorf("%d configurations compared, want %d", compared, least)
	}
	for _, c := range contenders() {
		s, ok := c.within(catalogue.SizedWindow, tradeoffBytes)
		if !ok {
			continue
		}
		rate := 0.
		for read := 1; read <= tradeoffFirst+100; read++ {
			if endless(s) && read > catalogue.SizedWindow {
				break
			}
			rate = max(rate, s.FPR(read))
		}
		lower, err := c.sized(catalogue.SizedWindow, rate*0.9)
		if c.name != "queue" && err == nil && longest(lower) <= tradeoffBytes && lower.FPR(catalogue.SizedWindow) < 0.95*s.FPR(catalogue.SizedWindow) {
			t.Errorf("%s: %v in %d bytes, and a tenth less in %d", c.name, rate, longest(s), longest(lower))
		}
	}
}

// A contender that cannot be that small is left out. (A filter that wears out can be
// of any size, if it may err.)
func TestNothingFits(t *testing.T) {
	for _, c := range contenders() {
		if s, ok := c.within(catalogue.SizedWindow, 20); ok && !endless(s) {
			t.Errorf("%s keeps %d articles in %d bytes", c.name, catalogue.SizedWindow, longest(s))
		}
	}
}

// No structure that keeps its window for ever takes less than the bound, but for
// the term of the order of the window that the bound leaves open: two bits an article.
func TestNobodyPassesTheBound(t *testing.T) {
	for _, c := range contenders() {
		for _, fpr := range frontierRates {
			s, err := c.sized(catalogue.SizedWindow, fpr)
			if err != nil {
				t.Fatalf("%s at %v: %v", c.name, fpr, err)
			}
			if endless(s) || c.name == results.Beyond+"stable" {
				continue
			}
			bound := bloom.WindowBound(catalogue.SizedWindow, catalogue.SizedWindow, fpr) - 2*catalogue.SizedWindow
			if bits := float64(8 * longest(s)); bits < bound || math.IsNaN(bound) {
				t.Errorf("%s at %v: %v bits, the bound is %v", c.name, fpr, bits, bound)
			}
		}
	}
}
