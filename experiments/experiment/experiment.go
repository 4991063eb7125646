// Package experiment says what an experiment is: the measurements it needs, the rows
// it makes of them, and the figures and tables that show those rows.
//
// Each experiment is a package of its own beside this one, which exports one variable
// of this type, and package suite lists them. An experiment knows no other; what
// several of them measure is in package shared.
package experiment

import (
	"dejavu/experiments/run"
	"dejavu/plots"
	"dejavu/results"
)

// An Experiment turns measurements into rows, and rows into what people look at.
type Experiment struct {
	Name  string // of its files, in its rows' first column, and on the command line
	About string // in a line

	// Needs lists the measurements that Rows asks for, so that a plan can tell the
	// time left, and a shard or a cluster make them. Nil is none.
	Needs func(run.Scope) []run.Task

	// Rows are what it found: rows that follow from the seed, the same bytes for any
	// number of workers, parts and shards, and timing, which depends on the machine.
	Rows func(*run.Run) (rows, timing []results.Row, err error)

	Figures []plots.Figure                            // each draws from rows alone
	Tables  func(cells results.Cells) []results.Table // its numbers for people; nil is none
}
