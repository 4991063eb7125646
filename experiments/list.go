package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/experiment"
	"dejavu/experiments/usage"
	"dejavu/results"
)

type listCommand struct{}

// list prints the experiments and the strategies.
func list(w io.Writer) error {
	t := results.Table{Title: "Experiments", Header: []string{"name", "what it shows"}}
	for _, x := range experiments {
		t.Rows = append(t.Rows, []string{x.Name, x.About})
	}
	if _, err := fmt.Fprintln(w, t.Within(columns(w))); err != nil {
		return err
	}
	t = results.Table{Title: "Strategies", Header: []string{"name", "what it is", "simulated for", "not in"}}
	for _, e := range entries {
		by := "every user"
		if e.Sampled() {
			by = fmt.Sprintf("one user in %d", e.Share)
		}
		t.Rows = append(t.Rows, []string{e.Name, e.About, by, strings.Join(lacks(e), ", ")})
	}
	_, err := fmt.Fprintln(w, t.Within(columns(w)))
	return err
}

// lacks names what a strategy takes no part in, for want of what the catalogue would
// have to say of it.
func lacks(e catalogue.Entry) (names []string) {
	if e.Lives != "" {
		return []string{"all but " + e.Lives}
	}
	if e.Sized == nil {
		names = append(names, results.Tradeoff, "choose")
	}
	if e.Longer == nil {
		names = append(names, results.Extend)
	}
	if e.Sampled() {
		names = append(names, results.Daily)
	}
	return names
}

// named are the experiments of these names, in the order of the list: all of them
// where none is named.
func named(names []string) (chosen []experiment.Experiment, err error) {
	for _, name := range names {
		if !slices.ContainsFunc(experiments, func(x experiment.Experiment) bool { return x.Name == name }) {
			return nil, usage.Of(unknown(name))
		}
	}
	for _, x := range experiments {
		if len(names) == 0 || slices.Contains(names, x.Name) {
			chosen = append(chosen, x)
		}
	}
	return chosen, nil
}

// namesOf are the names of experiments.
func namesOf(some []experiment.Experiment) (names []string) {
	for _, x := range some {
		names = append(names, x.Name)
	}
	return names
}
