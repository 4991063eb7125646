package main

import (
	"dejavu/experiments/peers/standing"
	"dejavu/peers/library"
	"dejavu/results"
	"dejavu/strategies"
)

// A subject is one strategy built in one way.
type subject struct {
	name   string
	kind   library.Kind
	ours   bool
	lib    library.Library // zero for ours
	create func(users int) library.Users
}

// subjects lists ours and then theirs, of each kind.
func subjects() (all []subject) {
	libraries := library.All()
	for _, k := range library.Kinds {
		all = append(all, subject{
			name: standing.OurName(k.Name), kind: k, ours: true,
			create: func(users int) library.Users { return library.Histories(k.Ours, users) },
		})
		for _, l := range libraries {
			if create := k.Of(l); create != nil {
				all = append(all, subject{name: standing.Name(l.Name, k.Name), kind: k, lib: l, create: create})
			}
		}
	}
	return all
}

// nothing remembers nothing: what it takes is the harness's own.
var nothing = subject{
	name: "nothing", kind: library.Kinds[2],
	create: func(int) library.Users { return noMemory{} },
}

type noMemory struct{}

func (noMemory) Seen(_ int, _ []strategies.ID, seen []bool) { clear(seen) }
func (noMemory) Record(int, []strategies.ID)                {}
func (noMemory) Forget(int)                                 {}

// row is a plain number.
func row(strategy string, x float64, quantity, unit string, value float64) results.Row {
	return results.Row{
		Experiment: results.Peers, Strategy: strategy, X: results.Num(x), Quantity: quantity, Unit: unit,
		Value: results.Num(value),
	}
}
