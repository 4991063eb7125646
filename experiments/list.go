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

// Run prints the experiments, the strategies, and the dimensions that the experiments' rows have, each once.
func (listCommand) Run(p process) error {
	named := document.Table{Title: "Experiments", Header: []string{"name", "what it shows"}}
	dimensions := document.Table{
		Title:  "Dimensions: what a number depends on, a column in the files of these experiments",
		Header: []string{"column", "unit", "what its values are", "of"},
	}
	lines := map[string]int{}
	for _, x := range experiments {
		named.Rows = append(named.Rows, []string{x.Name, x.About})
		for _, d := range x.Dimensions {
			if i, known := lines[d.Name]; known {
				dimensions.Rows[i][3] += ", " + x.Name
				continue
			}
			lines[d.Name] = len(dimensions.Rows)
			dimensions.Rows = append(dimensions.Rows, []string{d.Name, d.Unit, d.About, x.Name})
		}
	}
	strategies := document.Table{Title: "Strategies", Header: []string{"name", "what it is", "simulated for", "not in"}}
	for _, e := range entries {
		by := "every user"
		if e.Sampled() {
			by = fmt.Sprintf("one user in %d", e.Share)
		}
		strategies.Rows = append(strategies.Rows, []string{e.Name, e.About, by, strings.Join(lacks(e), ", ")})
	}
	return show(p.stdout, named, strategies, dimensions)
}

// lacks names what a strategy takes no part in, for want of what the catalogue would have to say of it.
func lacks(e catalogue.Entry) (names []string) {
	if e.Lives != "" {
		return []string{"all but " + e.Lives}
	}
	if e.Sized == nil {
		names = append(names, results.Tradeoff, "choose")
	}
	if e.Longer == "" {
		names = append(names, results.Extend)
	}
	if e.Sampled() {
		names = append(names, results.Daily)
	}
	return names
}

// named are the experiments of these names, in the order of the list: all of them where none is named.
func named(names []string) ([]experiment.Experiment, error) {
	if len(names) == 0 {
		return experiments, nil
	}
	for _, name := range names {
		if !slices.Contains(namesOf(experiments), name) {
			return nil, usage.Of(unknown(name))
		}
	}
	return slices.DeleteFunc(slices.Clone(experiments), func(x experiment.Experiment) bool {
		return !slices.Contains(names, x.Name)
	}), nil
}

// namesOf are the names of experiments.
func namesOf(some []experiment.Experiment) (names []string) {
	for _, x := range some {
		names = append(names, x.Name)
	}
	return names
}
