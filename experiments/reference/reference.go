// Package reference compares a run with the committed one of as many users and the same
// seed: values that follow from the seed one by one, verdicts, and times as ratios.
//
// Deterministic values and verdicts must be those of the reference. Rows that it does
// not have, those of a new strategy, are no fault, and no time is: another machine has
// others. A run is read from its rows and manifest alone, at the cost of reading both.
package reference

import (
	"errors"
	"fmt"
	"io"

	"dejavu/claims"
	"dejavu/results"
)

// Verify compares the run in a directory with the reference and prints what it finds;
// of times how many are the reference's, and with times which are not, too. It fails
// where an experiment failed, a file is not as it was written, or a
// deterministic value or a verdict differs.
func Verify(dir string, run *results.Run, stdout io.Writer, times bool) error {
	faults := append([]error{run.Manifest.Failures()}, results.Faults(dir, run.Manifest)...)
	return errors.Join(append(faults, compare(run, stdout, times))...)
}

// How many differences are printed in full, and how many times that are apart.
const (
	shownDifferences = 20
	shownTimes       = 5
)

// compare prints how many deterministic values match and how many
// verdicts, and returns an error where some do not. Rows that the reference does
// not have, those of a new strategy, are no fault.
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
	var texts []string
	for _, d := range c.Fields {
		texts = append(texts, fmt.Sprintf("%s, line %d: %v", results.FileName(d.Name.Experiment), got[d.Name], d))
	}
	printFew(stdout, texts, shownDifferences)
	texts = nil
	for _, k := range c.Missing {
		texts = append(texts, fmt.Sprintf("%s: missing: %v, line %d of the reference",
			results.FileName(k.Experiment), k, wanted[k]))
	}
	printFew(stdout, texts, shownDifferences)

	changes, compared := claims.Judge(run).Changes(claims.Judge(want))
	fmt.Fprintf(stdout, "%d of %d verdicts match the reference.\n", compared-len(changes), compared)
	printFew(stdout, changes, shownDifferences)
	compareTimes(run, want, stdout, times)

	var faults []error
	if c.Differing > 0 || len(c.Missing) > 0 {
		faults = append(faults, fmt.Errorf("%d values differ from the reference, %d are missing",
			c.Differing, len(c.Missing)))
	}
	if len(changes) > 0 {
		faults = append(faults, fmt.Errorf("%d verdicts are not those of the reference", len(changes)))
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
