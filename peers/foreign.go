package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dejavu/experiments/peers/standing"
	"dejavu/measure"
	"dejavu/peers/languages"
	"dejavu/peers/library"
	"dejavu/results"
)

// warmUps are how often a program is asked everything before its times count: a
// compiler that works while the program runs needs some tens of thousands of calls
// of each kind.
const warmUps = 20

// A foreigner is a program of another language, built, and how it is started.
type foreigner struct {
	languages.Program
	argv  []string
	lists string // a file
}

func (f foreigner) start() (*languages.Process, error) {
	return f.Start(f.argv, f.lists, languages.Sized{Geometry: library.One, Articles: items},
		languages.Sized{Geometry: library.Link, Articles: items / 5})
}

// foreignKinds are the strategies that programs build: two single filters tell
// what a dual filter does.
func foreignKinds() []library.Kind {
	return slices.DeleteFunc(slices.Clone(library.Kinds), func(k library.Kind) bool { return k.Name == "dual" })
}

// foreignSubject is a strategy as a program builds it; nothing of it is made here.
func foreignSubject(p languages.Program, k library.Kind) subject {
	return subject{name: standing.Name(p.Library, k.Name), kind: k}
}

// chosen are the programs of some languages, in any case and set apart by commas.
func chosen(all []languages.Program, names string) (some []languages.Program, err error) {
	for name := range strings.FieldsFuncSeq(names, func(r rune) bool { return r == ',' }) {
		n := len(some)
		for _, p := range all {
			if strings.EqualFold(p.Language, name) {
				some = append(some, p)
			}
		}
		if len(some) == n {
			return nil, fmt.Errorf("--languages has %q, want some of %s", name, languageNames(all))
		}
	}
	return some, nil
}

func languageNames(all []languages.Program) string {
	var names []string
	for _, p := range all {
		names = append(names, strings.ToLower(p.Language))
	}
	return strings.Join(slices.Compact(names), ",")
}

// build builds programs in a directory. The rows say of each which language it is,
// and which tool is missing for it.
func build(programs []languages.Program, dir string, script *script, say func(string)) (all []foreigner, rows []results.Row, err error) {
	lists := filepath.Join(dir, "lists")
	if err := languages.WriteLists(lists, script.lists()); err != nil {
		return nil, nil, err
	}
	for _, p := range programs {
		about := results.Row{Experiment: results.Peers, Strategy: p.Library, Quantity: results.QLanguage + p.Language, Value: results.Num(1)}
		rows = append(rows, about)
		if tool := p.Missing(); tool != "" {
			say(fmt.Sprintf("%s is left out: %s is missing", p.Library, tool))
			about.Quantity = results.QMissing + tool
			rows = append(rows, about)
			continue
		}
		say("building " + p.Library)
		folder := filepath.Join(dir, p.Library)
		if err := os.Mkdir(folder, 0o777); err != nil {
			return nil, nil, err
		}
		argv, err := p.Build(folder)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w\nto go without it, leave %s out of --languages", p.Library, err, strings.ToLower(p.Language))
		}
		all = append(all, foreigner{p, argv, lists})
	}
	return all, rows, nil
}

// start starts programs, and warms them up. Whatever becomes of it, those that it
// returns are to be closed.
func start(programs []foreigner, script *script, say func(string)) (all []*languages.Process, err error) {
	for _, f := range programs {
		say("warming up " + f.Library)
		p, err := f.start()
		if err != nil {
			return all, err
		}
		all = append(all, p)
		for range warmUps {
			for _, k := range foreignKinds() {
				for _, q := range questions {
					if _, err := foreignTurn(p, k.Name, script, q); err != nil {
						return all, err
					}
				}
			}
		}
	}
	return all, nil
}

func closeAll(all []*languages.Process) error {
	var failed error
	for _, p := range all {
		failed = errors.Join(failed, p.Close())
	}
	return failed
}

// foreignTurn is memories.turn of a program.
func foreignTurn(p *languages.Process, kind string, s *script, q question) (float64, error) {
	if q.atOnce > 0 {
		segments, err := p.Record(kind, q.atOnce)
		if err != nil {
			return 0, err
		}
		return median(segments) / recordSegment, nil
	}
	segments, err := p.Ask(kind, listNames[q.list], asked, s.known[q.list])
	if err != nil {
		return 0, err
	}
	return median(segments[1:]) / segment, nil // the first warms up
}

// blockOf is for how many filters keys are written at once.
const blockOf = 100

// foreignRates are rates of programs, in a directory for their keys.
func foreignRates(all []*languages.Process, filters int, dir string, say func(string)) (rows []results.Row, err error) {
	if len(all) == 0 {
		return nil, nil
	}
	say("false positives of other languages")
	found := make([]map[string]*measure.Rate, len(all)) // by quantity
	for i := range found {
		found[i] = map[string]*measure.Rate{results.QLost: {}}
	}
	file := filepath.Join(dir, "keys")
	for _, s := range shapes {
		for first := 0; first < filters; first += blockOf {
			n := min(blockOf, filters-first)
			err := languages.WriteKeys(file, n*(items+queries), func(dst []byte, i int) []byte {
				return s.key(dst, uint64(first*(items+queries)+i))
			})
			if err != nil {
				return nil, err
			}
			for i, p := range all {
				said, err := p.Rates(file, n)
				if err != nil {
					return nil, err
				}
				rate := found[i][s.name]
				if rate == nil {
					rate = &measure.Rate{}
					found[i][s.name] = rate
				}
				for _, f := range said {
					rate.Add(queries, f.Hits)
					found[i][results.QLost].Add(items, f.Denied)
				}
			}
		}
	}
	for i, p := range all {
		bits := float64(p.One.Bits)
		rows = append(rows, row(p.Library, bits, results.QHashes, "", float64(p.One.Hashes)))
		for _, s := range shapes {
			r := rateRow(p.Library, bits, results.QFPROf+s.name, *found[i][s.name])
			r.Theory = results.Num(p.FPR(p.One, items))
			rows = append(rows, r)
		}
		rows = append(rows, rateRow(p.Library, bits, results.QLost, *found[i][results.QLost]))
	}
	return rows, nil
}

// foreignMemories are the bytes and the objects of users in programs, each kind
// in a process of its own.
func foreignMemories(programs []foreigner, users int, say func(string)) (rows []results.Row, err error) {
	for _, f := range programs {
		for _, k := range foreignKinds() {
			name := standing.Name(f.Library, k.Name)
			say("memory of " + name)
			p, err := f.start()
			if err != nil {
				return nil, err
			}
			bytes, objects, err := p.Memory(k.Name, users)
			if err := errors.Join(err, p.Close()); err != nil {
				return nil, err
			}
			n := float64(users)
			rows = append(rows, row(name, n, results.QBytesPerUser, results.Bytes, bytes/n), row(name, n, results.QObjectsPerUser, "", objects/n))
		}
	}
	return rows, nil
}
