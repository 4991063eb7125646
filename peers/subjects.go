package main

import (
	"dejavu/experiments/peers/standing"
	"dejavu/peers/languages"
	"dejavu/peers/library"
	"dejavu/results"
	"dejavu/strategies"
)

// A subject is one strategy built in one way.
type subject struct {
	name   string
	kind   library.Kind
	ours   bool
	lib    library.Library
	create func(users int) library.Users // nil in a program of another language
}

// subjects lists ours and then theirs, of each kind.
func subjects() (all []subject) {
	libraries := append([]library.Library{library.Ours(standing.Ours)}, library.All()...)
	for _, k := range library.Kinds {
		for i, l := range libraries {
			create := k.Of(l)
			switch {
			case i == 0:
				all = append(all, subject{standing.OurName(k.Name), k, true, l, create})
			case create != nil:
				all = append(all, subject{standing.Name(l.Name, k.Name), k, false, l, create})
			}
		}
	}
	return all
}

// foreign are the strategies that a program builds: two single filters tell what a
// dual filter does.
func foreign(p languages.Program) (all []subject) {
	for _, k := range library.Kinds {
		if k.Name != "dual" {
			all = append(all, subject{name: standing.Name(p.Library, k.Name), kind: k})
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

// number is the row that a query names, of a plain number.
func number(strategy string, q results.Query, unit string, value float64) results.Row {
	return results.Row{
		Experiment: results.Peers, Strategy: strategy, Quantity: q.Quantity, Where: q.Where, Unit: unit,
		Value: results.Num(value),
	}
}
