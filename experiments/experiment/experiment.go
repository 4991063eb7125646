// Package experiment says what an experiment is: the measurements it needs, the rows it makes of them, and
// the figures and tables that show those rows.
//
// Each experiment is a package of its own beside this one, which exports one variable of this type, and
// package suite lists them. An experiment knows no other; what several of them measure is in package shared.
package experiment

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/BurntSushi/toml"

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

	// Needs lists the measurements that Rows asks for, so that a plan can tell the time left, and a shard or a cluster
	// make them. Nil is none.
	Needs func(engine.Scope) []engine.Task

	// Rows are what it found: rows that follow from the seed, the same bytes for any number of workers, parts and
	// shards, and timing, which depends on the machine.
	Rows func(*engine.Run) (rows, timing []results.Row, err error)

	Figures []plots.Figure // each draws from rows alone
	Tables  []text.Table   // its numbers for people
}

// Tell returns the experiment's tables, filled with rows.
func (x Experiment) Tell(c results.Cells) (all []document.Table) {
	for _, t := range x.Tables {
		all = append(all, t.Of(c))
	}
	return all
}

// Shown is what a room's figures.toml declares: its figures and its tables.
type Shown struct {
	Figures []plots.Figure
	Tables  []text.Table
}

// Code is what a room's figures and tables need beside queries.
type Code struct {
	Figures map[string]func(plots.Data, *plots.Sheet) // completes the figure of that name
	Tables  map[string]func(*text.Table)              // completes the table of that name
	Shows   text.Shows                                // writes cells
}

// Show reads a room's figures.toml. A fault in it is a panic, which any test of the room meets.
func Show(declared string, code Code) Shown {
	shown, err := show(declared, code)
	if err != nil {
		panic(err)
	}
	return shown
}

func show(declared string, code Code) (shown Shown, err error) {
	var f struct {
		Experiment string
		Shows      text.Shows // templates of cells, by name
		Figures    []plots.Declaration
		Tables     []text.Declaration
	}
	f.Shows = maps.Clone(code.Shows)
	meta, err := toml.Decode(declared, &f)
	if err != nil {
		return shown, err // names the line and the field
	}
	var faults []error
	for _, key := range meta.Undecoded() {
		faults = append(faults, fmt.Errorf("unknown field %s", key))
	}
	if f.Experiment == "" {
		faults = append(faults, errors.New("experiment is missing"))
	}
	for i, d := range f.Figures {
		if d.Like != "" {
			same := slices.IndexFunc(f.Figures[:i], func(other plots.Declaration) bool { return other.Name == d.Like })
			if same < 0 {
				faults = append(faults, fmt.Errorf("figure %s: like %q, which is none before it", d.Name, d.Like))
				continue
			}
			d = d.Following(f.Figures[same])
		}
		faults = append(faults, d.Check())
		shown.Figures = append(shown.Figures, d.Of(f.Experiment, code.Figures[d.Name]))
	}
	for _, name := range slices.Sorted(maps.Keys(code.Figures)) {
		if !slices.ContainsFunc(f.Figures, func(d plots.Declaration) bool { return d.Name == name }) {
			faults = append(faults, fmt.Errorf("code for figure %q, which is not declared", name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(code.Tables)) {
		if !slices.ContainsFunc(f.Tables, func(d text.Declaration) bool { return d.Name == name }) {
			faults = append(faults, fmt.Errorf("code for table %q, which is not declared", name))
		}
	}
	for _, d := range f.Tables {
		table, err := d.Table(f.Experiment, f.Shows)
		if complete := code.Tables[d.Name]; complete != nil {
			complete(&table)
		}
		faults = append(faults, err)
		shown.Tables = append(shown.Tables, table)
	}
	if err := errors.Join(faults...); err != nil {
		return shown, fmt.Errorf("figures of experiment %s: %w", f.Experiment, err)
	}
	return shown, nil
}
