// Package experiment defines an experiment: the measurements it needs, the rows it makes of them, and the figures and
// tables that show those rows.
//
// Each experiment is a package of its own beside this one, which exports one variable of this type. Package suite lists
// them. No experiment imports another; package shared holds their common measurements.
package experiment

import (
	"dejavu/experiments/engine"
	"dejavu/experiments/text"
	"dejavu/internal/document"
	"dejavu/plots"
	"dejavu/results"
)

// An Experiment turns measurements into rows, and rows into what people look at.
type Experiment struct {
	Name       string              // of its files, in its rows' first column, and on the command line
	About      string              // in a line
	Dimensions []results.Dimension // the conditions that its rows name, the columns of its files

	// Needs lists the measurements that Rows asks for: a run, a shard or a cluster makes them first. Nil is none.
	Needs func(engine.Scope) []engine.Task

	// Rows returns rows that follow from the seed, the same bytes for any number of workers, parts and shards, and
	// timing, which depends on the machine. Package suite adds the experiment's name.
	Rows func(*engine.Run) (rows, timing []results.Row)

	Figures []plots.Figure // each draws from rows alone
	Tables  []text.Table   // its numbers for people
}

// Tasks lists the measurements that the experiment needs in a scope.
func (x Experiment) Tasks(s engine.Scope) []engine.Task {
	if x.Needs == nil {
		return nil
	}
	return x.Needs(s)
}

// Tell returns the experiment's tables, filled with rows.
func (x Experiment) Tell(c results.Cells) (all []document.Table) {
	for _, t := range x.Tables {
		all = append(all, t.Of(c))
	}
	return all
}
