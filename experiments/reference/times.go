package reference

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"dejavu/measure/stopwatch"
	"dejavu/results"
)

// compareTimes prints where the run's machine is not the reference's, and how
// their times compare: as ratios, with what their noise leaves open. No time is
// a fault: another machine has others, and a busy one too. Without all it prints how
// many there are of each.
func compareTimes(run, want *results.Run, stdout io.Writer, all bool) {
	c := results.CompareTimes(run.Timing, want.Timing)
	if len(c.Times)+len(c.Ratios)+len(c.Single) == 0 {
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
		fmt.Fprintf(stdout, "%s: this machine or Go is not the reference's, and only ratios of times compare.\n",
			results.ManifestName)
		few(environment, shownDifferences)
	}
	if len(c.Times) > 0 {
		machine := c.Machine()
		apart := beyondNoise(c.Times, machine)
		fmt.Fprintf(stdout, "%d of %d times agree with the reference within the noise of both, "+
			"where this machine takes %.2f times as long.\n", len(c.Times)-len(apart), len(c.Times), machine)
		few(timeTexts(apart), shownTimes)
	}
	if len(c.Ratios) > 0 {
		apart := beyondNoise(c.Ratios, 1)
		fmt.Fprintf(stdout, "%d of %d ratios of times taken in turns agree with the reference within the noise of both.\n",
			len(c.Ratios)-len(apart), len(c.Ratios))
		few(timeTexts(apart), shownTimes)
	}
	if len(c.Single) > 0 && all {
		fmt.Fprintf(stdout, "Warning: %d times have no interval (fewer than %d rounds, or a tail percentile) "+
			"and are not compared: %s.\n", len(c.Single), stopwatch.LeastTurns, quantitiesOf(c.Single))
	}
}

// beyondNoise are the ratios that noise does not explain on a machine so many
// times as slow, those farthest off first.
func beyondNoise(ratios []results.TimeRatio, machine float64) (apart []results.TimeRatio) {
	for _, r := range ratios {
		if r.Differs(machine) {
			apart = append(apart, r)
		}
	}
	off := func(r results.TimeRatio) float64 { return math.Abs(math.Log(r.Value / machine)) }
	slices.SortStableFunc(apart, func(a, b results.TimeRatio) int { return cmp.Compare(off(b), off(a)) })
	return apart
}

func timeTexts(ratios []results.TimeRatio) (texts []string) {
	for _, r := range ratios {
		texts = append(texts, fmt.Sprintf("%s: %v is %.2f times the reference's (%.2f to %.2f)",
			results.TimingFileName(r.Name.Experiment), r.Name, r.Value, r.Low, r.High))
	}
	return texts
}

// quantitiesOf names each quantity once.
func quantitiesOf(keys []results.Query) string {
	var names []string
	for _, k := range keys {
		words, _ := k.Where.Divided()
		name := k.Experiment + " " + k.Quantity
		if words != "" {
			name += " at " + string(words)
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}
