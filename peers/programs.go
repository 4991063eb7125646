package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dejavu/peers/languages"
	"dejavu/results"
	"dejavu/results/by"
)

// warmUps are how often a program is asked everything before its times count: a compiler that works while the
// program runs needs some tens of thousands of calls of each kind.
const warmUps = 20

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
func build(
	programs []languages.Program, dir string, say func(string),
) (all []languages.Program, rows []results.Row, err error) {
	for _, p := range programs {
		rows = append(rows, number(p.Library, results.Find(results.QLanguage, by.Language.Is(p.Language)), "", 1))
		if tool := p.Missing(); tool != "" {
			say(fmt.Sprintf("%s is left out: %s is missing", p.Library, tool))
			rows = append(rows, number(p.Library, results.Find(results.QMissing, by.Tool.Is(tool)), "", 1))
			continue
		}
		say("building " + p.Library)
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

// start starts programs with a file of lists, and warms them up. Those that it returns
// are to be closed, also where it fails.
func start(
	programs []languages.Program, lists string, script *script, say func(string),
) (all []*languages.Process, err error) {
	for _, b := range programs {
		say("warming up " + b.Library)
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

func closeAll(all []*languages.Process) error {
	var failed error
	for _, p := range all {
		failed = errors.Join(failed, p.Close())
	}
	return failed
}

// ask is memories.turn of a program.
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
func foreignMemories(
	programs []languages.Program, lists string, users int, say func(string),
) (rows []results.Row, err error) {
	for _, b := range programs {
		for _, s := range foreign(b) {
			say("memory of " + s.name)
			p, err := b.Start(lists)
			if err != nil {
				return nil, err
			}
			bytes, objects, err := p.Memory(s.kind.Name, users)
			if err := errors.Join(err, p.Close()); err != nil {
				return nil, err
			}
			rows = append(rows, live(s.name, users, bytes, objects)...)
		}
	}
	return rows, nil
}
