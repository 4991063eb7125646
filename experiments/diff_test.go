package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"dejavu/internal/golden"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// smaller is the path of the smaller committed run.
var smaller = filepath.Join("..", "results", "reference", "20000")

// A committed run agrees with itself. It does not with a value changed, a row taken away or a window lost, and what
// differs is named. A row that only the run has is no fault: it may be of a strategy of the user's own.
func TestDiff(t *testing.T) {
	whole := strategytest.Value(results.ReadDir(smaller))
	is := func(r results.Row, name string) bool { return r.Name().String() == name }
	const rate, window = "fpr: fpr of single at articles=450", "table1: guaranteed window of chain at statistic=least"
	for _, c := range []struct {
		what   string
		change func(r *results.Row) (kept bool)
		fault  string   // empty for none
		says   []string // what is printed
	}{
		{"itself", func(*results.Row) bool { return true }, "", []string{
			fmt.Sprintf("%d of %d deterministic values match the reference.\n", len(whole.Rows), len(whole.Rows)),
			"117 of 117 verdicts match", "The machine and Go are the reference's.",
			"times lie in the reference's intervals, of 5 runs",
		}},
		{"a value", func(r *results.Row) bool {
			if is(*r, rate) {
				r.Count++
			}
			return true
		}, "1 value differs from the reference, missing: 0", []string{
			fmt.Sprintf("%d of %d deterministic", len(whole.Rows)-1, len(whole.Rows)), "\n  fpr.csv: " + rate + ": count is ",
		}},
		{
			"a row less", func(r *results.Row) bool { return !is(*r, rate) }, "0 values differ from the reference, missing: 1",
			[]string{"\n  fpr.csv: missing: " + rate + "\n"},
		},
		{"no rows", func(r *results.Row) bool { return r.Experiment != results.FPR }, "missing: ", []string{"  ... and "}},
		{"a row more", func(r *results.Row) bool {
			if is(*r, rate) {
				r.Strategy = "mine"
			}
			return true
		}, "missing: 1", []string{"missing: " + rate}},
		{"a window", func(r *results.Row) bool {
			if is(*r, window) {
				r.Value = results.Num(299)
			}
			return true
		}, "2 verdicts differ from the reference", []string{
			"115 of 117 verdicts match",
			"\n  claim P24a: refuted, reference holds: " + window + " is 299 (299 to 299), " +
				"true is at least 300; as stated at least 400\n",
		}},
	} {
		run := *whole
		run.Rows = nil
		for _, r := range whole.Rows {
			if c.change(&r) {
				run.Rows = append(run.Rows, r)
			}
		}
		run.Rows = append(run.Rows, results.Row{Experiment: results.FPR, Strategy: "mine", Quantity: "fpr"})
		var out strings.Builder
		strategytest.ErrorSays(t, c.what, diff(smaller, &run, nil, &out, true), c.fault)
		for _, want := range c.says {
			strategytest.Contains(t, out.String(), want, "%s", c.what)
		}
	}
}

// Runs of another seed are compared by their verdicts, runs pooled from others by everything.
func TestDiffOfTwo(t *testing.T) {
	run := strategytest.Value(results.ReadDir(smaller))
	var out strings.Builder
	one := strategytest.Value(results.ReadDir(smaller))
	one.Manifest.Runs = nil
	strategytest.Must(t, diff(smaller, run, one, &out, true))
	strategytest.Contains(t, out.String(), "deterministic values match", "pooled or not")
	out.Reset()
	one.Manifest.Seed++
	strategytest.Must(t, diff(smaller, run, one, &out, true))
	strategytest.Equal(t, out.String(), "Only verdicts are compared, for seed is 2016, not 2017.\n"+
		"117 of 117 verdicts match the reference.\n", "another seed")
}

// A run without a reference, by its users, their habits or its log, is told so, and fails only by itself.
func TestDiffWithoutReference(t *testing.T) {
	for phrase, m := range map[string]results.Manifest{
		"for 299 users and seed 2016":                             {Users: 299, Seed: 2016},
		"for a population of its own (--population): sessions 3.": {Users: 20000, Seed: 2016, Population: "sessions 3"},
		"for a replay of a log.":                                  {Users: 20000, Seed: 2016, Log: new(results.Log)},
	} {
		var out strings.Builder
		strategytest.ErrorSays(t, phrase, diff(t.TempDir(), &results.Run{Manifest: m}, nil, &out, true), "")
		strategytest.Contains(t, out.String(), "There is no committed reference "+phrase, "")
		m.Experiments = []results.Status{{Name: "fpr", Status: results.Failed, Error: "the lamp went out"}}
		strategytest.ErrorSays(t, phrase, diff(t.TempDir(), &results.Run{Manifest: m}, nil, &out, true),
			"1 of the experiments failed: fpr: the lamp went out")
	}
}

func TestShardFlag(t *testing.T) {
	for given, want := range map[string]string{
		"2/7": "2/7", "0/1": "0/1", "7/7": `i is "7", want 0 to 6: shards are numbered from 0`,
		"-1/7": `i is "-1"`, "x/7": `i is "x"`, "/7": `i is ""`, "0/0": "n is 0, want 1 to 10000", "0/10001": "n is 10001",
		"2": "want i/n", "": "want i/n",
	} {
		var s shardFlag
		err := s.UnmarshalText([]byte(given))
		got := results.Shard(s).String()
		if err != nil {
			got = err.Error()
		}
		strategytest.Contains(t, got, want, "--shard %q", given)
	}
}

// along is the dimension of these tests' rows.
var along = results.Dimension{Name: "x"}

// made returns a time, or a ratio of times, over the given number of rounds; it has no interval if low is 0.
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
func TestGoldenTimes(t *testing.T) {
	var b strings.Builder
	compared := func(what string, got, want []results.Row, environment results.Environment, pooled ...string) {
		fmt.Fprintf(&b, "== %s\n", what)
		var run, reference results.Run
		run.Timing, reference.Timing = got, want
		run.Manifest.Environment, reference.Manifest.Runs = environment, pooled
		diffTimes(&run, &reference, &b, true)
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
	compared("the same times elsewhere", times, times, elsewhere)
	compared("one single", single[:1], single[:1], here)
	compared("everything", append(append(slower, other...), single...), append(append(times, ratios...), single...),
		elsewhere)
	compared("a pooled reference", append(slower, other...), append(times, ratios...), here, "at noon", "at one", "at two")

	golden.File(t, "times.golden", b.String())
}

// A time is listed if and only if it lies outside the reference's interval, scaled by the factor that this machine's
// times share: checked on 200 random ones, by their printed intervals.
func TestListedTimes(t *testing.T) {
	random := rand.New(rand.NewPCG(19, 4))
	var got, want []results.Row
	for i := range 200 {
		x, factor, width := float64(i), 3*math.Exp(random.NormFloat64()/4), 1.02+random.Float64()/3
		want = append(want, made("p50", results.Nanoseconds, x, 100/width, 100, 100*width))
		got = append(got, made("p50", results.Nanoseconds, x, 0, factor*100, 0))
	}
	times, _ := results.CompareTimes(got, want)
	machine := results.MachineFactor(times)
	apart := beyondRuns(times, machine)
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
	for _, r := range times {
		if inside := r.Low*machine <= r.Value && r.Value <= r.High*machine; inside == listed(r) {
			t.Errorf("%v: %v, the interval %v to %v, the common factor is %v, listed is %v",
				r.Name, r.Value, r.Low, r.High, machine, listed(r))
		}
	}
	strategytest.Between(t, len(apart), 20, 180, "of 200 are listed: the test shows nothing")
}
