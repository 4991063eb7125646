// Package reference compares a run with the committed one of as many users and the same seed: values that follow from
// the seed one by one, verdicts, and times as ratios.
//
// Deterministic values and verdicts must be those of the reference. Rows that it does not have, those of a new
// strategy, are no fault, and no time is: another machine has others. A run is read from its rows and manifest alone.
package reference

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"dejavu/claims"
	"dejavu/results"
)

// Verify compares the run in a directory with the reference and prints what it finds; of times how many are
// the reference's, and with times which are not, too. It fails where an experiment failed, a file is not as
// it was written, or a deterministic value or a verdict differs.
func Verify(dir string, run *results.Run, stdout io.Writer, times bool) error {
	faults := append([]error{run.Manifest.Failures()}, results.Faults(dir, run.Manifest)...)
	return errors.Join(append(faults, compare(run, stdout, times))...)
}

// How many differences are printed in full, and how many times that are apart.
const (
	shownDifferences = 20
	shownTimes       = 5
)

// compare prints how many deterministic values match and how many verdicts, and returns an error where some
// do not. Rows that the reference does not have, those of a new strategy, are no fault.
func compare(run *results.Run, stdout io.Writer, times bool) error {
	if p := run.Manifest.Population; p != "" {
		fmt.Fprintf(stdout, "There is no committed reference for a population of its own (--population): %s.\n", p)
		return nil
	}
	want, ok := results.Reference(run.Manifest.Users, run.Manifest.Seed)
	if !ok {
		fmt.Fprintf(stdout, "There is no committed reference for %d users and seed %d to compare with.\n",
			run.Manifest.Users, run.Manifest.Seed)
		return nil
	}
	want.Manifest.Experiments = run.Manifest.Experiments
	want.DropUnfinished() // what this run has not done
	c := results.Compare(run.Rows, want.Rows)
	fmt.Fprintf(stdout, "%d of %d deterministic values match the reference.\n", c.Matched, len(want.Rows))

	got, wanted := lines(run.Rows), lines(want.Rows)
	var differing, missing []string
	for _, d := range c.Fields {
		differing = append(differing, fmt.Sprintf("%s, line %d: %v", results.FileName(d.Name.Experiment), got[d.Name], d))
	}
	for _, k := range c.Missing {
		file := results.FileName(k.Experiment)
		missing = append(missing, fmt.Sprintf("%s: missing: %v, line %d of the reference", file, k, wanted[k]))
	}
	changes, compared := claims.Judge(run).Changes(claims.Judge(want))
	printFew(stdout, differing, shownDifferences)
	printFew(stdout, missing, shownDifferences)
	fmt.Fprintf(stdout, "%d of %d verdicts match the reference.\n", compared-len(changes), compared)
	printFew(stdout, changes, shownDifferences)
	compareTimes(run, want, stdout, times)

	var faults []error
	if c.Differing > 0 || len(c.Missing) > 0 {
		faults = append(faults, fmt.Errorf("%d values differ from the reference, %d are missing",
			c.Differing, len(c.Missing)))
	}
	if len(changes) > 0 {
		faults = append(faults, fmt.Errorf("%d verdicts differ from the reference", len(changes)))
	}
	return errors.Join(faults...)
}

// lines is where in its experiment's file each row stands, below the header.
func lines(rows []results.Row) map[results.Query]int {
	at, last := map[results.Query]int{}, map[string]int{}
	for _, r := range rows {
		last[r.Experiment]++
		if _, ok := at[r.Name()]; !ok {
			at[r.Name()] = 1 + last[r.Experiment]
		}
	}
	return at
}

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

// compareTimes prints where the run's machine is not the reference's, and how many of its times lie where the reference
// has those of other runs: in its intervals, which are between runs where it is pooled. No time is a fault: another
// machine has others, and a busy one too. With all it prints which do not.
func compareTimes(run, want *results.Run, stdout io.Writer, all bool) {
	c := results.CompareTimes(run.Timing, want.Timing)
	if len(c.Times)+len(c.Ratios) == 0 {
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
		fmt.Fprintf(stdout, "%s: this machine or Go is not the reference's, so only ratios of times can be compared.\n",
			results.ManifestName)
		few(environment, shownDifferences)
	}
	intervals := "the reference's intervals, which are within one run"
	if n := len(want.Manifest.Runs); n > 0 {
		intervals = fmt.Sprintf("the reference's intervals, of %d runs", n)
	}
	agree := func(ratios []results.TimeRatio, what string, machine float64, where string) {
		if len(ratios) > 0 {
			apart := beyondRuns(ratios, machine)
			fmt.Fprintf(stdout, "%d of %d %s lie in %s%s.\n", len(ratios)-len(apart), len(ratios), what, intervals, where)
			few(apart, shownTimes)
		}
	}
	agree(c.Times, "times", c.Machine(), fmt.Sprintf("; this machine runs at %.2fx its time", c.Machine()))
	agree(c.Ratios, "ratios", 1, "")
}

// beyondRuns are the ratios that are not where other runs are on a machine so many times as slow, those farthest off
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
