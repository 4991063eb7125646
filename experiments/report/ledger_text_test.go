package report

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"dejavu/claims"
	"dejavu/internal/document"
	"dejavu/internal/golden"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// finding returns a finding with all that a verdict may have.
func finding(id string, v claims.Verdict, change func(f *claims.Finding)) claims.Finding {
	f := claims.Finding{
		Claim: claims.Claim{
			ID: id, Source: claims.Paper, Section: "§5", Says: "something", Quantity: "a rate", Unit: results.Ratio,
			Stated: results.Num(0.0156),
			Rule: claims.Rule{
				Evidence: []claims.Evidence{
					{Ref: claims.Ref{Measured: results.Query{Experiment: "fpr", Strategy: "chain", Quantity: "fpr"}}},
					{
						Ref:  claims.Ref{Measured: results.Query{Experiment: "table1", Strategy: "chain", Quantity: "fpr"}},
						Over: &claims.Ref{Measured: results.Query{Experiment: "fpr", Quantity: "x"}},
					},
				},
				Region: claims.Region{Low: 0.01, High: 0.02, TightLow: 0.01, TightHigh: 0.02}, Because: "why",
			},
		},
		Verdict: v, P: 0.0123,
		Estimate: claims.Estimate{
			Kind: claims.Sampled, Value: 0.015, Low: 0.014, High: 0.016, Theory: results.Num(0.0151), Count: 1000,
			DesignEffect: 1.25,
		},
	}
	f.From = f.Rule.Evidence[1]
	if change != nil {
		change(&f)
	}
	return f
}

// A ledger of each verdict, in every form, with all that a finding may lack.
func TestGoldenForms(t *testing.T) {
	l := Ledger{manifest: results.Manifest{
		Users: 1000, Seed: 7, Experiments: []results.Status{{Name: "fpr"}, {Name: "table1"}},
	}}
	l.Tests = 3
	l.Findings = []claims.Finding{
		finding("A1", claims.Holds, nil),
		finding("A2", claims.Approximately, func(f *claims.Finding) { f.Reading, f.P = "a reading", 1e-13 }),
		finding("A3", claims.Refuted, func(f *claims.Finding) {
			f.Estimate.Value, f.Estimate.Low, f.Estimate.High, f.Amended, f.P = 0.001, 0.0009, 0.0011, "a remedy", 1e-12
		}),
		finding("A4", claims.Refuted, func(f *claims.Finding) {
			f.Estimate.Value, f.Estimate.Low, f.Estimate.High, f.P = 0.021, 0.0205, 0.022, math.NaN()
		}),
		finding("A5", claims.Corrected, func(f *claims.Finding) {
			f.Estimate.Kind, f.Stated = claims.Counted, results.Number{}
		}),
		finding("A6", claims.Underpowered, func(f *claims.Finding) {
			f.Estimate.Count, f.Estimate.DesignEffect = 0, math.NaN()
		}),
		finding("A7", claims.Unmeasured, func(f *claims.Finding) {
			f.From, f.Estimate, f.Missing = claims.Evidence{}, claims.Estimate{}, []string{"one row", "another row"}
		}),
		finding("A8", claims.Unmeasured, func(f *claims.Finding) {
			f.From, f.Estimate = claims.Evidence{}, claims.Estimate{}
		}),
		finding("A9", claims.Untestable, func(f *claims.Finding) {
			f.Rule, f.From, f.Silent, f.P = claims.Rule{}, claims.Evidence{}, "a matter of taste", math.NaN()
		}),
		finding("B1", claims.Holds, func(f *claims.Finding) {
			f.Estimate.Kind, f.Estimate.Theory = claims.ClosedForm, results.Number{}
		}),
		finding("B2", claims.Holds, func(f *claims.Finding) {
			f.Estimate.Kind, f.Unit, f.Estimate.Low, f.Estimate.High = claims.Timed, claims.Times, 1, 3
			f.Estimate.Value = 2
		}),
		finding("B3", claims.Holds, func(f *claims.Finding) { f.Estimate.Theory = results.Num(0.0161) }),
		finding("B4", claims.Holds,
			func(f *claims.Finding) { f.Rule.Evidence = f.Rule.Evidence[:1]; f.From = f.Rule.Evidence[0] }),
		finding("C1", claims.Vague, func(f *claims.Finding) {
			f.Rule.Region = claims.Region{Low: math.Inf(-1), High: math.Inf(1), TightLow: math.Inf(-1), TightHigh: math.Inf(1)}
			f.P, f.Amended = math.NaN(), "what more was found"
		}),
		finding("B5", claims.Holds, func(f *claims.Finding) {
			f.Rule.Region, f.Estimate.Value = claims.Region{}, 0
		}),
	}
	blocks := append([]document.Block{l.Verdicts(true), l.Grounds(), l.Judged()}, l.Foot()...)
	for _, at := range []int{1, 6, 8, 12} {
		blocks = append(blocks, l.Full(l.Findings[at]))
	}
	var b strings.Builder
	b.WriteString(document.Markdown(blocks...))
	strategytest.Must(t, l.Table("", csvColumns...).CSV(&b))
	golden.File(t, "forms.golden", b.String())
}

// Numbers at the edges of their forms.
func TestPlain(t *testing.T) {
	reads := func(v float64, digits int, want string) {
		t.Helper()
		strategytest.Equal(t, plain(v, digits), want, "%v to %d digits is", v, digits)
	}
	reads(5, 2, "5")
	reads(1234567, 3, "1234567")
	reads(0.123456, 3, "0.123")
	reads(99.9, 2, "1e+02")
	reads(100.5, 2, "100")
	reads(-100.5, 2, "-100")
	reads(1e15, 4, "1000000000000000")
	reads(999.9, 3, "1e+03")
	reads(1000.4, 3, "1000")
	amounts := func(v float64, unit, want string) {
		t.Helper()
		strategytest.Equal(t, amount(v, unit), want, "%v %s is", v, unit)
	}
	amounts(508, results.Bytes, "508 B")
	amounts(0.0156, results.Ratio, "1.56 %")
	amounts(4064, results.Bits, "4064 bits")
	amounts(8.25, claims.Times, "8.25 times")
	amounts(5.6339123, "", "5.63391")
	amounts(1.23456789, results.Bits, "1.234568 bits")
	amounts(1.23456, claims.Times, "1.235 times")
	amounts(0.123456, results.Ratio, "12.35 %")
	q := results.Query{Experiment: "e", Quantity: "q"}
	found := func(unit string, value, low, high float64, want string) {
		t.Helper()
		f := claims.Finding{From: claims.Evidence{Ref: claims.Ref{Measured: q}}}
		f.Unit, f.Estimate.Value, f.Estimate.Low, f.Estimate.High = unit, value, low, high
		f.Rule.Region = claims.Region{High: 1}
		strategytest.Equal(t, foundText(f), want, "%v (%v to %v)", value, low, high)
	}
	found(results.Ratio, 0.02025813, 0.0202385862, 0.0202776738, "2.0258 % (2.0239 to 2.0278)")
	found(results.Ratio, 0, 0, 1.84e-8, "0 (below 1.8e-06 %)")
	found(claims.Times, 2.08646, 2.0807, 2.09224, "2.0865 times (2.0807 to 2.0922)")
	found(results.Bytes, 5.08e9, 5.08e9, 5.08e9, "5.08 GB")
	found("", 1e-8, 1e-9, 2e-8, "1e-08 (1e-09 to 2e-08)")
	found("", 3, 2, math.Inf(1), "3")
	found(claims.Times, 0, 0, 2.5, "0 (below 2.5 times)")
	found("", 0, -1, 1, "0.0 (-1.0 to 1.0)")
	found("", 150, 100, 200, "150 (100 to 200)")
	found("", 15, 10, 20, "15.0 (10.0 to 20.0)")
	found("", 1.5, 1, 2, "1.50 (1.00 to 2.00)")
	found("", 0.00001, 0, 0.00002, "0.000010 (0.000000 to 0.000020)")
}

// A time is shown with its interval.
func TestIntervalsOfTimes(t *testing.T) {
	timed := finding("B2", claims.Holds, func(f *claims.Finding) { f.Estimate.Kind = claims.Timed })
	found := func(runs int, of claims.Finding, want string) {
		t.Helper()
		l := Ledger{manifest: results.Manifest{Runs: make([]string, runs)}}
		strategytest.Equal(t, inFound.show(l, of), want, "of %d runs", runs)
	}
	found(0, timed, "1.50 % (1.40 to 1.60), within one run")
	found(5, timed, "1.50 % (1.40 to 1.60), of 5 runs")
	found(5, finding("A1", claims.Holds, nil), "1.50 % (1.40 to 1.60)")
}

// Of a population of its own nothing is measured.
func TestOfAPopulation(t *testing.T) {
	run := reference(t, 20000)
	run.Manifest.Population = "of another kind"
	l := LedgerOf(run)
	if n := l.Count(claims.Unmeasured) + l.Count(claims.Untestable); n != len(l.Findings) || n == 0 {
		t.Errorf("%d of %d claims are measured", len(l.Findings)-n, len(l.Findings))
	}
	strategytest.Equal(t, l.manifest.Users, 20000, "the ledger is of users")
}

// A name is one claim, or a claim with all its readings: one letter from a on.
func TestNamed(t *testing.T) {
	l := Ledger{}
	for _, id := range []string{"P1", "P12", "P1a", "P1b", "P1`", "P1aa"} {
		l.Findings = append(l.Findings, claims.Finding{Claim: claims.Claim{ID: id}})
	}
	for name, want := range map[string]string{"P1": "[P1 P1a P1b]", "P12": "[P12]", "P1a": "[P1a P1aa]"} {
		named, err := l.Named([]string{name})
		var ids []string
		for _, f := range named.Findings {
			ids = append(ids, f.ID)
		}
		if fmt.Sprint(ids) != want || err != nil {
			t.Errorf("%s is %v, %v, want %s", name, ids, err, want)
		}
	}
	for _, name := range []string{"P99", "P", "P1a3", ""} {
		_, err := l.Named([]string{name})
		strategytest.ErrorSays(t, fmt.Sprintf("a claim called %q", name), err, fmt.Sprintf("unknown claim %q", name))
	}
}
