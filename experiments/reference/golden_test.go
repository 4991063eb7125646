package reference

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dejavu/strategies/strategytest"

	"dejavu/experiments/golden"
	"dejavu/results"
)

// along is what rows of these tests depend on.
var along = results.Dimension{Name: "x"}

// made is a time or a ratio of so many rounds; without its ends where low is 0.
func made(quantity, unit string, x, low, value, high float64) results.Row {
	r := results.Row{
		Experiment: "latency", Strategy: "single", Quantity: quantity, Unit: unit,
		Where: results.Where(along.At(x)), Value: results.Num(value),
	}
	if low > 0 {
		r.Low, r.High = results.Num(low), results.Num(high)
	}
	return r
}

// All that is printed of times that are made up: on the same machine and on another, with times alone, ratios
// alone, one without an interval, and with nothing to compare; more of each than is shown.
func TestGolden(t *testing.T) {
	var b strings.Builder
	compared := func(what string, got, want []results.Row, environment results.Environment, pooled ...string) {
		fmt.Fprintf(&b, "== %s\n", what)
		var run, reference results.Run
		run.Timing, reference.Timing = got, want
		run.Manifest.Environment, reference.Manifest.Runs = environment, pooled
		compareTimes(&run, &reference, &b, true)
	}
	here, elsewhere := results.Environment{}, results.Environment{CPU: "beads", CPUs: 2}
	var times, slower, ratios, other, single []results.Row
	for i := range 9 {
		x := float64(i)
		times = append(times, made("p50", results.Nanoseconds, x, 90, 100, 110))
		factor := 2.
		if i > 2 && i%2 == 0 { // apart, ever farther, on either side
			factor = 2 * (1 + x)
		} else if i == 1 {
			factor = 0.5
		}
		slower = append(slower, made("p50", results.Nanoseconds, x, factor*90, factor*100, factor*110))
		ratios = append(ratios, made("per lookup", results.Ratio, x, 0.9, 1, 1.1))
		r := 1 + 0.3*x
		other = append(other, made("per lookup", results.Ratio, x, r*0.9, r, r*1.1))
		single = append(single, made("p99", results.Nanoseconds, x, 0, 100, 0))
	}
	compared("nothing", nil, nil, elsewhere)
	compared("the same times", times, times, here)
	compared("the same times elsewhere", times, times, elsewhere)
	compared("one time", slower[:1], times[:1], here)
	compared("other times", slower, times, here)
	compared("one ratio", ratios[:1], ratios[:1], here)
	compared("other ratios", other, ratios, elsewhere)
	compared("one single", single[:1], single[:1], here)
	compared("everything", append(append(slower, other...), single...), append(append(times, ratios...), single...),
		elsewhere)
	compared("a pooled reference", append(slower, other...), append(times, ratios...), here, "at noon", "at one", "at two")

	for n := range 4 {
		fmt.Fprintf(&b, "== two of %d\n", n)
		printFew(&b, []string{"a", "b", "c"}[:n], 2)
	}
	golden.File(t, "times.golden", b.String())
}

// All that is printed of a run without times, some of whose values are others, and some
// gone, and of one that has changed in one respect alone.
func TestGoldenRows(t *testing.T) {
	var b strings.Builder
	for _, c := range []struct {
		what    string
		changed int // of the rates of the experiment FPR
		gone    int
		verdict bool // whether the chain's window is another
	}{
		{what: "the same"},
		{what: "one value", changed: 1},
		{what: "one row less", gone: 1},
		{what: "one verdict", verdict: true},
		{what: "many of everything", changed: 25, gone: 22, verdict: true},
	} {
		run, ok := results.Reference(20_000, results.DefaultSeed)
		if !ok {
			t.Fatal("there is no reference to compare with")
		}
		run.Timing = nil
		run.Manifest.Experiments = []results.Status{
			{Name: results.FPR, Status: results.Done},
			{Name: results.Table1, Status: results.Done},
		}
		var rows []results.Row
		changed, gone := 0, 0
		for _, r := range run.Rows {
			switch {
			case r.Experiment != results.FPR && r.Experiment != results.Table1:
				continue
			case r.Experiment == results.FPR && changed < c.changed:
				changed++
				r.Value = results.Num(float64(changed))
			case r.Experiment == results.FPR && gone < c.gone:
				gone++
				continue
			case c.verdict && r.Strategy == "chain" && r.Quantity == results.QWindow && r.Where == "statistic=least":
				r.Value = results.Num(399)
			}
			rows = append(rows, r)
		}
		run.Rows = rows
		fmt.Fprintf(&b, "== %s\n", c.what)
		fmt.Fprintf(&b, "error: %v\n", compare(run, &b, true))
	}
	golden.File(t, "rows.golden", b.String())
}

// A time is listed where the reference's interval, times the factor that this machine's times have in common, excludes
// it, and nowhere else: checked on 200 random ones, by their printed intervals.
func TestListedTimes(t *testing.T) {
	random := rand.New(rand.NewPCG(19, 4))
	var got, want []results.Row
	for i := range 200 {
		x, factor, width := float64(i), 3*math.Exp(random.NormFloat64()/4), 1.02+random.Float64()/3
		want = append(want, made("p50", results.Nanoseconds, x, 100/width, 100, 100*width))
		got = append(got, made("p50", results.Nanoseconds, x, 0, factor*100, 0))
	}
	c := results.CompareTimes(got, want)
	machine := c.Machine()
	apart := beyondRuns(c.Times, machine)
	listed := func(r results.TimeRatio) bool {
		return strings.Contains(strings.Join(apart, "\n"), r.Name.String()+" is ")
	}
	for _, line := range apart {
		var value, low, high float64
		_, numbers, _ := strings.Cut(line, " is ")
		if _, err := fmt.Sscanf(numbers, "%f times the reference's, its interval %f to %f", &value, &low, &high); err != nil {
			t.Fatal(line, err)
		}
		if low+0.006 <= value && value <= high-0.006 { // rounded, as printed
			t.Errorf("listed, and lies where other runs do: %s", line)
		}
	}
	for _, r := range c.Times {
		if inside := r.Low*machine <= r.Value && r.Value <= r.High*machine; inside == listed(r) {
			t.Errorf("%v: %v, the interval %v to %v, the common factor is %v, listed is %v",
				r.Name, r.Value, r.Low, r.High, machine, listed(r))
		}
	}
	strategytest.Between(t, len(apart), 20, 180, "of 200 are listed: the test shows nothing")
}
