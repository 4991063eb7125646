package layout_test

import (
	"slices"
	"strings"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/live/layout"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

func of(t *testing.T, c layout.Choice) layout.Layout {
	t.Helper()
	return strategytest.Value(layout.Make(c))
}

// A digest is in every record and snapshot: it does not change. It depends on the strategy, a check on the secret, too.
func TestDigest(t *testing.T) {
	for name, want := range map[string]uint64{
		"queue": 0x2bd67c8e3d953885, "chain": 0x2fe927fc98292615, "beyond/daily": 0x075388dd2e5c5d0b,
	} {
		strategytest.Equal(t, of(t, layout.Choice{Name: name}).Digest, want, "%s", name)
	}
	known := map[uint64]string{}
	for _, e := range catalogue.All() {
		l := of(t, layout.Choice{Name: e.Name})
		if other := known[l.Digest]; other != "" && e.Name != "chain-literal" { // the chain's own bytes, asked otherwise
			t.Errorf("%s has the digest of %s", e.Name, other)
		}
		known[l.Digest] = e.Name
	}
	chain, other := of(t, layout.Choice{Name: "chain"}), strategies.RandomSecret()
	secret := strategytest.Value(strategies.NewSecret([]byte(strings.Repeat("k", 16))))
	strategytest.Equal(t, chain.Check(secret), 0xeec05a4e, "the check")
	others := []uint32{chain.Check(other), of(t, layout.Choice{Name: "queue"}).Check(secret)}
	strategytest.Equal(t, slices.Contains(others, chain.Check(secret)), false, "another secret or strategy has the check")
}

// An impossible choice is an error that says why; names are spelt as in the catalogue.
func TestMake(t *testing.T) {
	for _, c := range []struct {
		layout.Choice
		want string
	}{
		{layout.Choice{Name: "chain"}, "strategy chain, window 0, fpr 0, layout "},
		{layout.Choice{Name: "chain-sized", Window: 400, FPR: 0.01}, "strategy chain-sized, window 400, fpr 0.01, layout "},
		{layout.Choice{Name: "daily"}, "strategy beyond/daily, window 0"},
		{layout.Choice{Name: "chian"}, "chian"},
		{layout.Choice{Name: "queue", FPR: 0.01}, "strategy queue: "},
		{layout.Choice{Name: "chain-eager", Window: 400, FPR: 0.01}, "a strategy that can be sized, such as beyond/matrix"},
		{layout.Choice{Name: "matrix:fpr=0.02,window=400"}, "strategy beyond/matrix, window 400, fpr 0.02, layout "},
		{layout.Choice{Name: "chain", Window: 400, FPR: 0.02}, "strategy chain, window 400, fpr 0.02, layout "},
		{layout.Choice{Name: "queue:window=9"}, "strategy queue:window=9, window 0, fpr 0, layout "},
		{layout.Choice{Name: "queue:window=9", Window: 400, FPR: 0.01}, "leave either out"},
	} {
		l, err := layout.Make(c.Choice)
		got := l.About
		if err != nil {
			got = err.Error
		}
		strategytest.Contains(t, got(), c.want, "%+v", c.Choice)
		if again := (layout.Choice{}); err == nil {
			strategytest.Must(t, again.Scan(l.Choice.String()))
			strategytest.Equal(t, of(t, again).About(), l.About(), "the choice, written and read")
		}
	}
}

// The windows and rates that documents promise, of the default and of the paper's chain of five links of 100.
func TestPromised(t *testing.T) {
	for choice, want := range map[layout.Choice][2]float64{
		layout.Default: {400, 0.018885}, {Name: "chain"}: {401, 0.098229}, {Name: "queue"}: {500, 0},
	} {
		l := of(t, choice)
		strategytest.Equal(t, float64(l.Promised), want[0], "the window of %v", choice)
		strategytest.Near(t, l.Worst, want[1], 1e-6, "the rate of %v", choice)
	}
}
