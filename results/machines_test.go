package results

import (
	"strings"
	"testing"

	"dejavu/strategies/strategytest"
)

// The committed machines say which processor they are, and have times of the reference's names.
func TestMachines(t *testing.T) {
	reference, _ := Reference(DefaultUsers, DefaultSeed)
	machines := strategytest.Value(Machines())
	strategytest.AtLeast(t, len(machines), 2, "machines beside the reference's")
	for _, m := range machines {
		strategytest.Contains(t, m.Manifest.Environment.CPU, " model ", "the processor")
		times, ratios := CompareTimes(m.Timing, reference.Timing)
		strategytest.AtLeast(t, len(times), 150, "times")
		strategytest.AtLeast(t, len(ratios), 60, "ratios")
		// Within the range over machines there is no ratio that differs.
		_, ratios = CompareTimes(m.Timing, Widen(reference.Timing, machines))
		for _, r := range ratios {
			if r.Value < r.Low || r.Value > r.High {
				t.Errorf("%v: %v lies outside %v to %v, the range over machines", r.Name, r.Value, r.Low, r.High)
			}
		}
		strategytest.Equal(t, len(m.Rows), 0, "rows that follow from the seed")
		strategytest.Equal(t, strings.Join(m.Manifest.Args, " "), "", "arguments, which may be paths")
	}
}

func TestWiden(t *testing.T) {
	row := func(unit string, low, value, high float64) Row {
		return Row{Quantity: "q" + unit, Unit: unit, Value: Num(value), Low: Num(low), High: Num(high)}
	}
	other := []*Run{{Timing: []Row{row(Ratio, 4.9, 5, 5.1), row(Nanoseconds, 9, 10, 11)}}}
	got := Widen([]Row{row(Ratio, 1, 2, 3), row(Nanoseconds, 1, 2, 3)}, other)
	strategytest.EqualSlices(t, got, []Row{row(Ratio, 1, 2, 5), row(Nanoseconds, 1, 2, 3)}, "rows")
	over, n := OverMachines(row(Ratio, 1, 2, 3), other)
	strategytest.Equal(t, n, 2, "machines")
	strategytest.Equal(t, over, row(Ratio, 2, 2, 5), "the range")
}
