package claims

import (
	"math"
	"testing"

	"dejavu/results"
	"dejavu/strategies/strategytest"
	_ "dejavu/strategies/strategytest/seeded"
)

// reference is the committed run of so many users.
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

// references are those that were read before; no test runs beside another.
var references = map[int]*results.Run{}

// measured is what was counted or measured in the row that a query names.
func measured(query string) Ref {
	q, err := results.ParseQuery(query)
	if err != nil {
		panic(err)
	}
	return Ref{Measured: q}
}

// theory is what a closed form gives there.
func theory(query string) Ref { return Ref{Theory: measured(query).Measured} }

func alone(query string) Evidence { return Evidence{Ref: measured(query)} }

func ruled(r Region, e ...Evidence) Rule { return Rule{Evidence: e, Region: r} }

// of is the claim that the row named q, which most tests have alone, lies in a region.
func of(r Region) Claim { return Claim{ID: "T", Rule: ruled(r, alone("e: q of s"))} }

// row is a row without anything but a value.
func row(quantity, unit string, v float64) results.Row {
	return results.Row{Experiment: "e", Strategy: "s", Quantity: quantity, Unit: unit, Value: results.Num(v)}
}

// plainRow is a row of one number, counted as theory has it.
func plainRow(quantity, unit string, v float64) results.Row {
	r := row(quantity, unit, v)
	r.Theory, r.Count = r.Value, 100
	return r
}

// rate is a row as measure.Rate writes it: hits of so many queries, and a 95 %
// interval whose variance is effect times that of independent queries.
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

// finding is what rows, and rows of times, make of one claim.
func finding(c Claim, rows, timing []results.Row) Finding {
	return judge([]Claim{c}, cellsOf(rows, timing)).Findings[0]
}

// read is the estimate of the row named q.
func read(t testing.TB, r results.Row) Estimate {
	t.Helper()
	e := strategytest.Value(cellsOf([]results.Row{r}, nil).read(Ref{Measured: r.Name()}))
	return e
}

func close(got, want, share float64) bool { return math.Abs(got-want) <= share*math.Abs(want) }
