package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"dejavu/bloom"
	"dejavu/experiments/row"
	"dejavu/measure"
	"dejavu/peers/languages"
	"dejavu/peers/library"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/strategies"
)

// warmUps are how often a program is asked everything before its times count: a compiler that works while the
// program runs needs some tens of thousands of calls of each kind.
const warmUps = 20

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

// build builds programs in a directory. The rows say of each which language it is, and which tool is missing for it.
func (s scale) build(dir string) (all []languages.Program, rows []results.Row, err error) {
	for _, p := range s.programs {
		rows = append(rows, number(p.Library, results.QLanguage, "", 1, by.Language.Is(p.Language)))
		if tool := p.Missing(); tool != "" {
			s.say(fmt.Sprintf("%s is left out: %s is missing", p.Library, tool))
			rows = append(rows, number(p.Library, results.QMissing, "", 1, by.Tool.Is(tool)))
			continue
		}
		s.say("building " + p.Library)
		folder := filepath.Join(dir, p.Library)
		if err := os.Mkdir(folder, 0o777); err != nil {
			return nil, nil, err
		}
		built, err := p.Build(folder)
		if err != nil {
			return nil, nil, fmt.Errorf("%w\nto go without it, leave %s out of --languages", err, strings.ToLower(p.Language))
		}
		all = append(all, built)
	}
	return all, rows, nil
}

// start starts programs with a file of lists, and warms them up. Those returned are to be closed, also with an error.
func (s scale) start(programs []languages.Program, lists string, script *script) (all []*languages.Process, err error) {
	for _, b := range programs {
		s.say("warming up " + b.Library)
		p, err := b.Start(lists)
		if err != nil {
			return all, err
		}
		all = append(all, p)
		for range warmUps {
			for _, s := range foreign(p.Program) {
				for _, q := range questions {
					if _, err := script.ask(p, s.kind.Name, q); err != nil {
						return all, err
					}
				}
			}
		}
	}
	return all, nil
}

func closeAll(all []*languages.Process) (err error) {
	for _, p := range all {
		err = errors.Join(err, p.Close())
	}
	return err
}

func (s *script) ask(p *languages.Process, kind string, q question) (float64, error) {
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

// foreignMemories are the bytes and the objects of users in programs, each kind in a process of its own.
func (s scale) foreignMemories(programs []languages.Program, lists string) (rows []results.Row, err error) {
	users := max(1, s.users/weighedShare)
	for _, b := range programs {
		for _, sub := range foreign(b) {
			s.say("memory of " + sub.name)
			p, err := b.Start(lists)
			if err != nil {
				return nil, err
			}
			bytes, objects, err := p.Memory(sub.kind.Name, users)
			if err := errors.Join(err, p.Close()); err != nil {
				return nil, err
			}
			rows = append(rows, live(sub.name, users, bytes, objects)...)
		}
	}
	return rows, nil
}

const (
	items   = 500
	queries = 500
	blockOf = 100 // filters whose keys are written at once
)

// A shape is one of standing.Shapes: the i-th key, appended to dst.
type shape struct {
	name    string
	integer bool // eight bytes, big-endian
	key     func(dst []byte, i uint64) []byte
}

var shapes = []shape{
	{"random", true, func(dst []byte, i uint64) []byte {
		return binary.BigEndian.AppendUint64(dst, rand.NewPCG(5, i).Uint64())
	}},
	{"sequential", true, binary.BigEndian.AppendUint64},
	{"decimal", false, func(dst []byte, i uint64) []byte { return strconv.AppendUint(dst, i, 10) }},
	{"URL", false, func(dst []byte, i uint64) []byte {
		return strconv.AppendUint(append(dst, "https://news.example/articles/"...), i, 10)
	}},
}

// A filled library is one whose filters of some keys are asked for the keys that follow.
type filled struct {
	name           string
	geometry       bloom.Geometry
	theory         float64
	static, random bool
	// fill fills n filters, whose keys begin with the first one.
	fill func(s shape, first uint64, n int) ([]languages.Filter, error)
}

// ofGo are ours and the libraries of this process, those that are one already left out.
func ofGo() (all []filled) {
	for _, l := range libraries() {
		if l.Like != "" {
			continue
		}
		fill := func(s shape, first uint64, n int) (all []languages.Filter, err error) {
			for i := range uint64(n) {
				all = append(all, fill(l, s, first+i*(items+queries)))
			}
			return all, nil
		}
		all = append(all, filled{l.Name, l.Geometry(library.One), l.FPR(library.One, items), l.Static, l.Random, fill})
	}
	return all
}

// ofProgram is the library of a program, which reads keys from a file in a directory.
func ofProgram(p *languages.Process, dir string) filled {
	file := filepath.Join(dir, "keys")
	return filled{
		name: p.Library, geometry: p.One, theory: p.FPR(p.One, items),
		fill: func(s shape, first uint64, n int) ([]languages.Filter, error) {
			err := languages.WriteKeys(file, n*(items+queries), func(dst []byte, i int) []byte {
				return s.key(dst, first+uint64(i))
			})
			if err != nil {
				return nil, err
			}
			return p.Rates(file, n)
		},
	}
}

// rates are those of so many filters of each. Rows of libraries that draw numbers nobody can seed are random.
func (s scale) rates(all []filled) (rows, random []results.Row, err error) {
	for _, l := range all {
		s.say("false positives of " + l.name)
		bits := by.Bits.At(float64(l.geometry.Bits))
		var found []results.Row
		if l.geometry.Hashes > 0 {
			found = append(found, number(l.name, results.QHashes, "", float64(l.geometry.Hashes), bits))
		}
		if l.static {
			found = append(found, number(l.name, results.QStatic, "", 1, bits))
		}
		var lost measure.Rate
		for _, keys := range shapes {
			var rate measure.Rate
			for first := 0; first < s.filters; first += blockOf {
				block, err := l.fill(keys, uint64(first*(items+queries)), min(blockOf, s.filters-first))
				if err != nil {
					return nil, nil, err
				}
				for _, f := range block {
					rate.Add(queries, f.Hits)
					lost.Add(items, f.Denied)
				}
			}
			found = append(found, row.Rate(results.Peers, l.name, results.QFPR, rate).
				With(bits, by.Keys.Is(keys.name)).Expect(l.theory))
		}
		found = append(found, row.Rate(results.Peers, l.name, results.QLost, lost).With(bits))
		if l.random {
			random = append(random, found...)
		} else {
			rows = append(rows, found...)
		}
	}
	return rows, random, nil
}

// fill makes a filter of the keys from the first on, and counts which of the following it reports, and which of its own
// it denies. A static one takes numbers, which it hashes itself: integers go in as they are, strings by their digest.
func fill(l library.Library, s shape, first uint64) (f languages.Filter) {
	seen := make([]bool, items+queries)
	var key []byte
	if l.Static {
		ids := make([]strategies.ID, items+queries)
		for i := range ids {
			if key = s.key(key[:0], first+uint64(i)); s.integer {
				ids[i] = strategies.ID(binary.BigEndian.Uint64(key))
			} else {
				ids[i] = strategies.XXHash(key)
			}
		}
		users := l.Users["single"](1)
		users.Record(0, ids[:items])
		users.Seen(0, ids, seen)
	} else {
		filter := l.New(library.One)
		for i := range uint64(items) {
			key = s.key(key[:0], first+i)
			filter.Add(key)
		}
		for i := range seen {
			key = s.key(key[:0], first+uint64(i))
			seen[i] = filter.Has(key)
		}
	}
	for i, has := range seen {
		switch {
		case i < items && !has:
			f.Denied++
		case i >= items && has:
			f.Hits++
		}
	}
	return f
}
