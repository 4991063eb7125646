package claims

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"dejavu/internal/golden"
	"dejavu/results"
	"dejavu/strategies/strategytest"
	_ "dejavu/strategies/strategytest/seeded"
)

// A count has no error, so a region includes its ends; a time may be off by Robust.
func TestEdges(t *testing.T) {
	for _, region := range []Region{equal(40), atMost(40), atLeast(40), about(500), interval(3, 7), equal(0)} {
		for _, edge := range []float64{region.Low, region.TightLow, region.TightHigh, region.High} {
			if math.IsInf(edge, 0) {
				continue
			}
			for _, v := range []float64{
				math.Nextafter(edge, math.Inf(-1)), edge, math.Nextafter(edge, math.Inf(1)), edge / 2.2, edge * 2.2,
			} {
				want := Refuted
				switch tight := interval(region.TightLow, region.TightHigh); {
				case tight.contains(v, v):
					want = Holds
				case region.contains(v, v):
					want = Approximately
				}
				r := plainRow("q", "", v)
				f := finding(of(region), []results.Row{r}, nil)
				side := map[bool]string{v < region.Low: "less", v > region.High: "more"}[true]
				if f.Verdict != want || f.Beyond() != side {
					t.Errorf("%v counted, true is %v: %v %q, want %v %q", v, region, f.Verdict, f.Beyond(), want, side)
				}
				r.Count, r.Low, r.High = leastTimed, r.Value, r.Value
				least, most := min(v/Robust, v*Robust), max(v/Robust, v*Robust)
				if !region.contains(least, most) && !(most < region.Low || least > region.High) {
					want = Underpowered
				}
				if f := finding(of(region), nil, []results.Row{r}); f.Verdict != want {
					t.Errorf("%v as a time, true is %v: %v, want %v", v, region, f.Verdict, want)
				}
			}
		}
	}
}

// Estimates from each kind of row, alone and combined.
func TestGoldenEstimates(t *testing.T) {
	fewer := plainRow("fewer", "", 3)
	fewer.Count = 7
	uncounted := row("uncounted", "", 5)
	share := row("share", results.Ratio, 0.5)
	share.Count = 2
	odd := plainRow("a mean", "", 2)
	odd.Low, odd.High = results.Num(1), results.Num(3)
	above := odd
	above.Quantity, above.Unit, above.Value = "above 1", results.Ratio, results.Num(1.5)
	half := odd
	half.Quantity, half.High = "half an interval", results.Number{}
	rows := []results.Row{
		rate("rate", 2000, 100_000, 4), rate("thirty", 30, 1000, 1), rate("twenty-nine", 29, 1000, 1),
		rate("all but thirty", 970, 1000, 1), rate("all but twenty-nine", 971, 1000, 1), rate("none", 0, 1000, 1),
		rate("all", 1000, 1000, 1), share, plainRow("count", "", 4), plainRow("zero", "", 0), plainRow("negative", "", -2),
		fewer, uncounted, odd, above, half, row("empty", "", 0),
	}
	rows[len(rows)-1].Value = results.Number{}
	var timing []results.Row
	for _, n := range []int64{leastTimed - 1, leastTimed} {
		r := row(fmt.Sprint("time by ", n), results.Nanoseconds, 10)
		r.Low, r.High, r.Count = results.Num(9), results.Num(12), n
		timing = append(timing, r)
	}
	timing = append(timing, plainRow("time without bounds", results.Nanoseconds, 3))
	c := cellsOf(rows, timing)
	var b strings.Builder
	show := func(e Evidence) {
		estimate, err := c.estimate(e)
		if err != nil {
			fmt.Fprintf(&b, "%v: %v\n", e, err)
			return
		}
		theory, _ := estimate.Theory.Get()
		fmt.Fprintf(&b, "%v: %v %.6g (%.6g to %.6g), theory %.6g, of %d, effect %.6g, %T%.4g\n", e, estimate.Kind,
			estimate.Value, estimate.Low, estimate.High, theory, estimate.Count, estimate.DesignEffect, estimate.law,
			[]float64{estimate.law.below(estimate.Value + 0.001), estimate.law.above(estimate.Value - 0.001)})
	}
	for _, r := range append(rows, timing...) {
		show(Evidence{Ref: Ref{Measured: r.Name()}})
	}
	count := measured("e: count of s").Ref
	show(Evidence{Ref: theory("e: uncounted of s").Ref})
	show(measured("e: uncounted of s").upTo(10)) // without a count there is no mean
	show(measured("e: count of s").upTo(10))
	show(measured("e: gone of s"))
	show(Evidence{Ref: Ref{Measured: count.Measured, Among: 99}})
	show(Evidence{Ref: Ref{Measured: count.Measured, Among: 100}})
	pairs := []Ref{
		theory("e: rate of s").Ref, measured("e: rate of s").Ref, measured("e: none of s").Ref, measured("e: share of s").Ref,
		count, measured("e: fewer of s").Ref, measured("e: uncounted of s").Ref, measured("e: time by 1000 of s").Ref,
	}
	for _, a := range pairs {
		for _, by := range pairs {
			show(Evidence{Ref: a, Over: &by})
			show(Evidence{Ref: a, Less: &by})
		}
	}
	golden.File(t, "estimates.golden", b.String())
}

// reference returns the committed run of that many users.
func reference(t testing.TB, users int) *results.Run {
	t.Helper()
	if run, ok := references[users]; ok {
		return run
	}
	run, ok := results.Reference(users, 2016)
	if !ok {
		t.Fatalf("no committed reference of %d users", users)
	}
	references[users] = run
	return run
}

// references caches the runs read; tests do not run in parallel.
var references = map[int]*results.Run{}

func ruled(r Region, e ...Evidence) Rule { return Rule{Evidence: e, Region: r} }

// of returns the claim that the row named q lies in a region.
func of(r Region) Claim { return Claim{ID: "T", Rule: ruled(r, measured("e: q of s"))} }

// row returns a row with only a value.
func row(quantity, unit string, v float64) results.Row {
	return results.Row{Experiment: "e", Strategy: "s", Quantity: quantity, Unit: unit, Value: results.Num(v)}
}

// plainRow returns a row of one counted number that equals theory.
func plainRow(quantity, unit string, v float64) results.Row {
	r := row(quantity, unit, v)
	r.Theory, r.Count = r.Value, 100
	return r
}

// rate returns a row as measure.Rate writes it, with a 95 % interval. Its variance is effect times the variance of
// independent queries.
func rate(quantity string, hits, queries, effect float64) results.Row {
	v := hits / queries
	margin := 1.959964 * math.Sqrt(effect*v*(1-v)/queries)
	r := row(quantity, results.Ratio, v)
	r.Low, r.High = results.Num(v-margin), results.Num(v+margin)
	r.Theory, r.Count = results.Num(0.02), int64(queries)
	return r
}

func cellsOf(rows, timing []results.Row) cells {
	return index(&results.Run{Rows: rows, Timing: timing})
}

// finding judges one claim by rows, and rows of times.
func finding(c Claim, rows, timing []results.Row) Finding {
	return judge([]Claim{c}, cellsOf(rows, timing)).Findings[0]
}

// read returns the estimate of the row named q.
func read(t testing.TB, r results.Row) Estimate {
	t.Helper()
	return strategytest.Value(cellsOf([]results.Row{r}, nil).read(Ref{Measured: r.Name()}))
}

func close(got, want, share float64) bool { return math.Abs(got-want) <= share*math.Abs(want) }
