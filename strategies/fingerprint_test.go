package strategies_test

import (
	"testing"

	"dejavu/queue"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// plain is another's strategy, without a fingerprint, and named is one with parameters of every kind.
type (
	plain struct{ strategies.Strategy }
	named struct {
		plain
		strategies.Layout
	}
)

// Snapshots hold the text, so it is pinned: fields by name whatever their order, none that is zero, every kind of
// parameter, and a strategy inside another by its own fingerprint.
func TestFingerprint(t *testing.T) {
	inner := strategytest.Value(queue.New(queue.Paper))
	type pair struct{ B, A int }
	config := struct {
		_     struct{}
		Z     int
		Rate  float64
		Big   float64
		On    bool
		Off   bool
		List  []pair
		Inner strategies.Strategy
		Other strategies.Strategy
		own   int
	}{Z: -7, Rate: 0.1, Big: 1e21, On: true, List: []pair{{2, 1}, {}}, Inner: inner, Other: &plain{}, own: 3}
	strategytest.Equal(t, strategies.Fingerprint(named{Layout: strategies.NewLayout("x", config, 0, 1)}),
		"x{Big:1e+21 Inner:queue{Window:500} List:[{A:1 B:2} {}] On:true Other:strategies_test.plain Rate:0.1 Z:-7}", "named")
	strategytest.Equal(t, strategies.Fingerprint(plain{}), "strategies_test.plain", "another's")
	defer func() {
		if recover() == nil {
			t.Error("a parameter that is a function has a fingerprint")
		}
	}()
	_ = strategies.NewLayout("x", struct{ F func() }{func() {}}, 0, 1).Fingerprint()
}
