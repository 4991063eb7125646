package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dejavu/claims"
	"dejavu/experiments/usage"
	"dejavu/internal/document"
	"dejavu/internal/plural"
	"dejavu/results"
)

type diffCommand struct {
	A string `arg:"" default:"out" help:"Directory with saved results (default: out)."`
	B string `arg:"" optional:"" help:"${diffB}"`
}

// Run prints in which rows and verdicts the run in A differs from the run in B.
func (c *diffCommand) Run(p process) error {
	run, err := finished(c.A)
	if err != nil {
		return err
	}
	var want *results.Run
	if c.B != "" {
		if want, err = finished(c.B); err != nil {
			return err
		}
		if faults := results.Faults(c.B, want.Manifest); faults != nil {
			return fmt.Errorf("%s: %w", c.B, errors.Join(faults...))
		}
	}
	var compared strings.Builder
	differs := diff(c.A, run, want, &compared, true)
	_, err = io.WriteString(p.stdout, document.Wrap(compared.String(), columns(p.stdout), "  "))
	return errors.Join(differs, err)
}

// finished returns the run in a directory, or a usage error if there is none to compare.
func finished(dir string) (*results.Run, error) {
	if _, err := os.Stat(filepath.Join(dir, results.ManifestName)); err != nil {
		return nil, usage.Errorf("no finished run in %s (%w): name the directory of a run, such as out", dir, err)
	}
	run, err := readRun(dir)
	if err == nil && len(run.Manifest.Experiments) == 0 {
		err = usage.Errorf("no experiment in %s is finished, there is nothing to compare", dir)
	}
	return run, err
}

// diff prints how the run in a directory differs from want or, if that is nil, from the committed run of the same users
// and seed. It prints how many times lie in the other run's intervals and, with times, which do not. The error says
// that an experiment failed, a file is corrupt, or a deterministic value or a verdict differs. Rows that only the run
// has are no fault; nor are times, as machines differ.
//
// Runs of other users or another seed are compared only by their verdicts.
func diff(dir string, run, want *results.Run, stdout io.Writer, times bool) error {
	faults := append([]error{run.Manifest.Failures()}, results.Faults(dir, run.Manifest)...)
	apart := ""
	if want != nil {
		a, b := run.Manifest, want.Manifest
		a.Runs, b.Runs = nil, nil
		apart = a.Differs(b)
	} else {
		var none string
		if want, none = committed(run.Manifest); want == nil {
			fmt.Fprintln(stdout, none)
			return errors.Join(faults...)
		}
	}
	want.Manifest.Experiments = run.Manifest.Experiments
	want.DropUnfinished() // what this run has not done
	if apart == "" {
		faults = append(faults, diffRows(run.Rows, want.Rows, stdout))
	} else {
		fmt.Fprintf(stdout, "Only verdicts are compared, for %s.\n", apart)
	}
	changes, compared := claims.Judge(run).Changes(claims.Judge(want))
	fmt.Fprintf(stdout, "%d of %d verdicts match the reference.\n", compared-len(changes), compared)
	printFew(stdout, changes, shownDifferences)
	if len(changes) > 0 {
		faults = append(faults, fmt.Errorf("%d verdicts differ from the reference", len(changes)))
	}
	if apart == "" {
		diffTimes(run, want, stdout, times)
	}
	return errors.Join(faults...)
}

// committed returns the committed run to compare with, or why there is none.
func committed(m results.Manifest) (run *results.Run, none string) {
	run, ok := results.Reference(m.Users, m.Seed)
	switch {
	case m.Log != nil:
		return nil, "There is no committed reference for a replay of a log."
	case m.Population != "":
		return nil, "There is no committed reference for a population of its own (--population): " + m.Population + "."
	case !ok:
		return nil, fmt.Sprintf("There is no committed reference for %s and seed %d to compare with.",
			plural.Of(m.Users, "user", "users"), m.Seed)
	}
	return run, ""
}

// diffRows prints how many values of the reference a run has, and which differ or are missing.
func diffRows(got, want []results.Row, stdout io.Writer) error {
	c := results.Compare(got, want)
	fmt.Fprintf(stdout, "%d of %d deterministic values match the reference.\n", c.Matched, len(want))
	var differing, missing []string
	for _, d := range c.Fields {
		differing = append(differing, fmt.Sprintf("%s: %v", results.FileName(d.Name.Experiment), d))
	}
	for _, k := range c.Missing {
		missing = append(missing, fmt.Sprintf("%s: missing: %v", results.FileName(k.Experiment), k))
	}
	printFew(stdout, differing, shownDifferences)
	printFew(stdout, missing, shownDifferences)
	if c.Differing+len(c.Missing) > 0 {
		return fmt.Errorf("%s from the reference, missing: %d", plural.Of(c.Differing, "value differs", "values differ"),
			len(c.Missing))
	}
	return nil
}

// How many differences are printed, and how many times that are apart.
const (
	shownDifferences = 20
	shownTimes       = 5
)

// printFew prints the first texts, a line each, and how many more there are.
func printFew(w io.Writer, texts []string, most int) {
	for i, t := range texts {
		if i == most {
			fmt.Fprintf(w, "  ... and %d more\n", len(texts)-i)
			return
		}
		fmt.Fprintln(w, " ", t)
	}
}

// diffTimes prints how the run's machine differs from the reference's, and how many times lie in the reference's
// intervals, which are between runs if it is pooled. Intervals of ratios cover all committed machines. With all it
// prints which times do not.
func diffTimes(run, want *results.Run, stdout io.Writer, all bool) {
	others, err := results.Machines()
	if err != nil {
		fmt.Fprintln(stdout, err)
	}
	times, ratios := results.CompareTimes(run.Timing, results.Widen(want.Timing, others))
	if len(times)+len(ratios) == 0 {
		return
	}
	few := func(texts []string, most int) {
		if all {
			printFew(stdout, texts, most)
		}
	}
	environment := run.Manifest.Environment.Differences(want.Manifest.Environment)
	if len(environment) == 0 {
		fmt.Fprintln(stdout, "The machine and Go are the reference's.")
	} else {
		fmt.Fprintf(stdout, "%s: this machine or Go is not the reference's: times that differ are no fault.\n",
			results.ManifestName)
		few(environment, shownDifferences)
	}
	intervals := "the reference's intervals, which are within one run"
	if n := len(want.Manifest.Runs); n > 0 {
		intervals = "the reference's intervals, of " + plural.Of(n, "run", "runs")
	}
	agree := func(ratios []results.TimeRatio, what string, machine float64, where string) {
		if len(ratios) > 0 {
			apart := beyondRuns(ratios, machine)
			fmt.Fprintf(stdout, "%d of %d %s lie in %s%s.\n", len(ratios)-len(apart), len(ratios), what, intervals, where)
			few(apart, shownTimes)
		}
	}
	machine := results.MachineFactor(times)
	agree(times, "times", machine, fmt.Sprintf("; this machine runs at %.2fx its time", machine))
	agree(ratios, "ratios", 1, fmt.Sprintf(", or in the range over %d machines", 1+len(others)))
}

// beyondRuns lists the ratios that lie outside the reference's intervals, scaled by this machine's factor, the farthest
// first.
func beyondRuns(ratios []results.TimeRatio, machine float64) (apart []string) {
	off := func(r results.TimeRatio) float64 { return math.Abs(math.Log(r.Value / machine)) }
	ratios = slices.Clone(ratios)
	slices.SortStableFunc(ratios, func(a, b results.TimeRatio) int { return cmp.Compare(off(b), off(a)) })
	for _, r := range ratios {
		if r.Differs(machine) {
			apart = append(apart, fmt.Sprintf("%s: %v is %.2f times the reference's, its interval %.2f to %.2f",
				results.TimingFileName(r.Name.Experiment), r.Name, r.Value, r.Low*machine, r.High*machine))
		}
	}
	return apart
}
