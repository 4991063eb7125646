package main

import (
	"fmt"
	"slices"
	"strings"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/experiment"
	"dejavu/experiments/usage"
	"dejavu/internal/document"
	"dejavu/results"
)

type listCommand struct{}

// Run prints the experiments and the strategies.
func (listCommand) Run(p process) error {
	w := p.stdout
	t := document.Table{Title: "Experiments", Header: []string{"name", "what it shows"}}
	for _, x := range experiments {
		t.Rows = append(t.Rows, []string{x.Name, x.About})
	}
	strategies := document.Table{Title: "Strategies", Header: []string{"name", "what it is", "simulated for", "not in"}}
	for _, e := range entries {
		by := "every user"
		if e.Sampled() {
			by = fmt.Sprintf("one user in %d", e.Share)
		}
		strategies.Rows = append(strategies.Rows, []string{e.Name, e.About, by, strings.Join(lacks(e), ", ")})
	}
	return show(w, t, strategies, columnsOfRows())
}

// columnsOfRows are the dimensions that the experiments' rows have, each once.
func columnsOfRows() document.Table {
	t := document.Table{
		Title:  "Dimensions: what a number depends on, a column in the files of these experiments",
		Header: []string{"column", "unit", "what its values are", "of"},
	}
	lines := map[string]int{}
	for _, x := range experiments {
		for _, d := range x.Dimensions {
			i, known := lines[d.Name]
			if !known {
				i = len(t.Rows)
				lines[d.Name] = i
				t.Rows = append(t.Rows, []string{d.Name, d.Unit, d.About, x.Name})
				continue
			}
			t.Rows[i][3] += ", " + x.Name
		}
	}
	return t
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
