package catalogue_test

import (
	"slices"
	"strings"
	"testing"

	"dejavu/chain"
	"dejavu/experiments/catalogue"
	"dejavu/queue"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// A specification makes what the packages make of the same numbers, and has one spelling.
func TestParse(t *testing.T) {
	sized := strategytest.Value(chain.Sized(500, 0.01))
	best := strategytest.Value(chain.Best(400, 0.001))
	ten := chain.Paper
	ten.Links = 10
	silent := chain.Paper
	silent.Capacity, silent.HeadSilent = 50, true
	for spec, want := range map[string]struct {
		name   string
		config any // of a chain, or of a queue
	}{
		"chain:window=500,fpr=0.01":           {"chain:window=500,fpr=0.01", sized},
		"chain: fpr = 1e-2 , window=500":      {"chain:window=500,fpr=0.01", sized},
		"chain-best:fpr=0.001":                {"beyond/chain-best:window=400,fpr=0.001", best},
		"chain:links=10":                      {"chain:links=10", ten},
		"chain:head-silent=true,capacity=50":  {"chain:capacity=50,head-silent=true", silent},
		"chain-literal:capacity=50":           {"chain-literal:capacity=50", silent},
		"queue:window=1000":                   {"queue:window=1000", queue.Config{Window: 1000}},
		"beyond/confirmed:window=400,last=50": {"", nil},
	} {
		e, err := catalogue.Parse(spec)
		if want.config == nil {
			strategytest.ErrorSays(t, spec, err, "only window and fpr can be set together")
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		made := strategytest.Value(e.Make())
		var got any
		switch s := made.(type) {
		case *chain.Chain:
			got = s.Config
		case *queue.Queue:
			got = queue.Config{Window: s.Window(1 << 20)}
		}
		if e.Name != want.name || got != want.config {
			t.Errorf("%s is %s, %+v, want %s, %+v", spec, e.Name, got, want.name, want.config)
		}
	}
}

// Every entry that can be sized is made so by its specification.
func TestParseSizes(t *testing.T) {
	for _, e := range catalogue.All() {
		again, err := catalogue.Parse(e.Name)
		if err != nil || again.Name != e.Name {
			t.Errorf("%s is %s; %v", e.Name, again.Name, err)
		}
		if e.Sized == nil {
			continue
		}
		want := strategytest.Value(e.Sized(150, 0.01))
		spec := e.Name + ":window=150,fpr=0.01"
		parsed, err := catalogue.Parse(spec)
		if err != nil {
			t.Error(err)
			continue
		}
		got := strategytest.Value(parsed.Make())
		if parsed.Name != spec || !slices.Equal(got.Sizes(), want.Sizes()) || got.FPR(333) != want.FPR(333) ||
			got.Window(333) != want.Window(333) {
			t.Errorf("%s is %s, a rate of %v in %d bytes, want %v in %d", spec, parsed.Name, got.FPR(333), got.Bytes(333),
				want.FPR(333), want.Bytes(333))
		}
	}
}

// An invalid specification is refused with the parameter, its value, and what would have worked.
func TestParseRefuses(t *testing.T) {
	for spec, want := range map[string]string{
		"":                                       `unknown strategy "", want one of queue`,
		"bloom:window=4":                         `unknown strategy "bloom", want one of queue`,
		"window=4":                               `parameters "window=4" without a strategy, want both, as in chain`,
		"chain:":                                 `strategy "chain:": "" is not a parameter, want KEY=VALUE`,
		"chain:links":                            `"links" is not a parameter, want KEY=VALUE`,
		"chain:links=":                           `"links=" is not a parameter`,
		"chain:links=3,links=4":                  `links is given twice`,
		"chain:links=x":                          `links is "x", want a whole number`,
		"chain:links=1":                          `chain: Links is 1, want 2 to 57`,
		"chain:window=500,rate=0.01":             "unknown parameter rate, want window and fpr, or some of links, capacity",
		"chain:window=500,links=5":               `window: only window and fpr can be set together`,
		"chain:head-silent=maybe":                `head-silent is "maybe", want true or false`,
		"chain:window=0":                         `window is "0", want a whole number of articles, 1 or more`,
		"chain:fpr=1":                            `fpr is "1", want a rate above 0 and below 1`,
		"chain:fpr=nan":                          `fpr is "nan", want a rate`,
		"chain:window=999999":                    `chain: window is 999999, want 1 to `,
		"chain-literal:window=4":                 `unknown parameter window, want some of links, capacity`,
		"scalable:first=9,growth=2,tightening=x": `tightening is "x", want a number`,
		results.Beyond + "sized:capacity=4":      `it has no parameters to set`,
	} {
		if e, err := catalogue.Parse(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %s, %v, want %q", spec, e.Name, err, want)
		}
	}
}
