// Command peers compares the suite's strategies with the same strategies built from public filter libraries: the time
// per candidate and per article recorded, the memory of a million users, and false positives on shapes of keys.
//
// Libraries of Go are measured in this process. A library of another language is measured by a program that this one
// builds, starts and asks. All answer the same questions about the same keys. Times are taken in turns and divided
// within each turn, so that changes of the machine's speed affect all alike.
package main

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"dejavu/bloom"
	"dejavu/experiments/row"
	"dejavu/internal/sysinfo"
	"dejavu/measure"
	"dejavu/measure/stopwatch"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/strategies"
)

const (
	readers = 8   // users asked in turn; together they stay in the nearest cache
	each    = 499 // articles of a user
	items   = 500 // articles of a filter that is asked for its false positives
	request = 40  // candidates, in the programs of other languages too
	newest  = 80  // articles that must be recognised after recording
)

// A subject is a strategy built from a library.
type subject struct {
	kind
	name, library string
	made          bloom.Geometry
	blocked       bool // as in program
	ask           func(question) (answer, error)
	weigh         func(question) ([]results.Row, error) // measures the memory of the question's users
	turns         [][]float64                           // nanoseconds by question
}

// A question is put to all subjects about the same list of keys. The first of the list are shown to users, in turn, and
// the users are asked in turn about the others, a request at a time.
type question struct {
	users, each, shown int // each user is shown the given number of the shown
	batch              int // articles recorded at once, if the library can
	file               string
	keys               [][]byte
	ids                []strategies.ID // the same as hashes
	known              []bool          // candidates that were shown
	time               results.Query   // names the row of the time per candidate or article
}

type answer struct {
	recorded, asked float64 // nanoseconds
	seen            []bool  // by candidate
}

// scale is the size of a run.
type scale struct {
	users    int // whose memories are alive at once; a tenth in other languages
	rounds   int // turns in which times are measured
	filters  int // that are asked for false positives
	requests int // of a question
	say      func(format string, args ...any)
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run() error {
	quick := flag.Bool("quick", false, "a trial: fewer users, turns and filters")
	dir := flag.String("out", filepath.Join("..", "out", results.PeersDir), "directory for the rows")
	flag.Parse()
	if flag.NArg() > 0 {
		return fmt.Errorf("argument %q: want flags only", flag.Arg(0))
	}
	began := time.Now()
	s := scale{users: 1e6, rounds: 15, filters: 10_000, requests: 3200, say: func(format string, args ...any) {
		fmt.Fprintf(os.Stderr, "%6.1f s  "+format+"\n", append([]any{time.Since(began).Seconds()}, args...)...)
	}}
	if *quick { // the second and the last but one of 11 turns enclose the median with 98.8 % confidence
		s.users, s.rounds, s.filters = 20_000, 11, 200
	}
	if err := os.MkdirAll(*dir, 0o777); err != nil {
		return fmt.Errorf("-out: %w: name another directory", err)
	}
	rows, timing, err := s.measure(programs)
	if err != nil {
		return err
	}
	took := math.Round(time.Since(began).Seconds())
	return errors.Join(results.WriteFile(filepath.Join(*dir, results.FileName(results.Peers)), dimensions, rows),
		results.WriteFile(filepath.Join(*dir, results.TimingFileName(results.Peers)), dimensions, timing),
		results.WriteManifest(*dir, results.Manifest{
			Users: s.users, Args: os.Args[1:], Commit: sysinfo.Commit(), Started: began.UTC().Format(time.RFC3339),
			Seconds:     took,
			Environment: sysinfo.Environment(),
			Experiments: []results.Status{{Name: results.Peers, Status: results.Done, Seconds: took}},
		}))
}

var dimensions = []results.Dimension{by.Bits, by.Keys, by.Candidates, by.Request, by.Recorded, by.Users, by.Over}

// measure returns all rows: rows that follow from the flags, and rows that depend on the machine.
func (s scale) measure(programs []program) (rows, timing []results.Row, err error) {
	dir, err := os.MkdirTemp("", "peers-*")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	questions := questions(s.requests)
	for _, q := range questions {
		err = errors.Join(err, q.write(dir))
	}
	if err := errors.Join(err, os.CopyFS(dir, sources)); err != nil {
		return nil, nil, err
	}
	subjects := goSubjects()
	for _, p := range programs {
		s.say("building %s", p.library)
		if err := p.build(dir); err != nil {
			s.say("%s is left out, for it needs %s: %v", p.library, p.needs, err)
			continue
		}
		for _, k := range kinds {
			process, err := p.start(dir, k)
			if err != nil {
				return nil, nil, err
			}
			defer process.close()
			subjects = append(subjects, process.subject())
		}
	}
	if rows, err = s.rates(subjects, dir); err != nil {
		return nil, nil, err
	}
	if timing, err = s.times(subjects, questions); err != nil {
		return nil, nil, err
	}
	for _, sub := range subjects {
		s.say("memory of %s", sub.name)
		q := questions[0]
		q.users = s.users
		memory, err := sub.weigh(q)
		if err != nil {
			return nil, nil, err
		}
		timing = append(timing, memory...)
	}
	return row.In(results.Peers, rows), row.In(results.Peers, timing), nil
}

// questions returns the questions about times: three of candidates, and two of recording.
func questions(requests int) (all []question) {
	r := rand.New(rand.NewPCG(4, 1))
	for i, list := range []string{"unseen", "seen", "mixed"} {
		q := question{users: readers, each: each, shown: readers * each, batch: each, file: list}
		q.time = results.Find(results.QQueryNanos, by.Candidates.At(request), by.Request.Is(list))
		q.ids = append(q.ids, stopwatch.Candidates(2)[:q.shown+requests*request]...)
		q.known = make([]bool, requests*request)
		for at := range q.known {
			if q.known[at] = i == 1 || i == 2 && r.IntN(2) == 0; q.known[at] {
				q.ids[q.shown+at] = q.ids[at/request%readers*each+r.IntN(each)]
			}
		}
		all = append(all, q)
	}
	articles := stopwatch.Candidates(3)[:requests/request*items]
	for _, n := range []int{10, items} {
		all = append(all, question{
			users: 1, each: len(articles), shown: len(articles), batch: n, file: "articles",
			ids: slices.Concat(articles, articles[len(articles)-newest:]), known: slices.Repeat([]bool{true}, newest),
			time: results.Find(results.QRecordNanosEach, by.Recorded.At(float64(n))),
		})
	}
	for i, q := range all {
		for _, id := range q.ids { // the lowest byte first
			all[i].keys = append(all[i].keys, binary.LittleEndian.AppendUint64(nil, uint64(id)))
		}
	}
	return all
}

// write writes the keys, each as a byte with its length and its bytes.
func (q question) write(dir string) error {
	var data []byte
	for _, key := range q.keys {
		data = append(append(data, byte(len(key))), key...)
	}
	return os.WriteFile(filepath.Join(dir, q.file), data, 0o600)
}

// turn returns the nanoseconds per candidate or article of the second of two answers: the first warms up.
func (sub *subject) turn(q question) (float64, error) {
	if _, err := sub.ask(q); err != nil {
		return 0, err
	}
	a, _, err := sub.answer(q)
	if q.users == 1 {
		return a.recorded / float64(q.each), err
	}
	return a.asked / float64(len(q.known)), err
}

// answer asks a question. It returns the number of false positives too, and an error if the answer cannot be true.
func (sub *subject) answer(q question) (a answer, wrong int, err error) {
	if a, err = sub.ask(q); err != nil {
		return a, 0, err
	}
	lost := 0
	for i, known := range q.known {
		if known && !a.seen[i] {
			lost++
		} else if !known && a.seen[i] {
			wrong++
		}
	}
	if lost > 0 || wrong > len(q.known)/2 {
		err = fmt.Errorf("%s, asked about %s, denies %d articles that were shown, and reports %d that were not",
			sub.name, q.file, lost, wrong)
	}
	return a, wrong, err
}

// times takes turns, forwards and backwards, and returns the rows of times and of their ratios to ours.
func (s scale) times(subjects []*subject, questions []question) (rows []results.Row, err error) {
	for _, sub := range subjects {
		sub.turns = make([][]float64, len(questions))
	}
	order := slices.Clone(subjects)
	for round := range s.rounds {
		for i, q := range questions {
			for _, sub := range order {
				took, err := sub.turn(q)
				if err != nil {
					return nil, err
				}
				sub.turns[i] = append(sub.turns[i], took)
			}
		}
		slices.Reverse(order)
		s.say("turn %d of %d", round+1, s.rounds)
	}
	for _, sub := range subjects {
		ours := subjects[slices.IndexFunc(subjects, func(o *subject) bool { return o.kind.name == sub.kind.name })]
		for i, q := range questions {
			add := func(quantity, unit string, values []float64, where ...results.Condition) {
				sorted := slices.Sorted(slices.Values(values))
				r := number(sub.name, quantity, unit, sorted[len(sorted)/2]).Among(int64(len(values)))
				r.Where, r.Low, r.High = q.time.Where, results.Num(sorted[1]), results.Num(sorted[len(sorted)-2])
				rows = append(rows, r.With(where...))
			}
			add(q.time.Quantity, results.Nanoseconds, sub.turns[i])
			if sub != ours {
				ratios := slices.Clone(sub.turns[i])
				for round := range ratios {
					ratios[round] /= ours.turns[i][round]
				}
				add(results.QTimeRatio, results.Ratio, ratios, by.Over.Is(ours.library))
			}
		}
	}
	return rows, nil
}

// shapes are shapes of keys: weak hashes show on some only.
var shapes = []struct {
	name string
	key  func(i uint64) []byte
}{
	{"random", func(i uint64) []byte { return binary.BigEndian.AppendUint64(nil, rand.NewPCG(5, i).Uint64()) }},
	{"sequential", func(i uint64) []byte { return binary.BigEndian.AppendUint64(nil, i) }},
	{"decimal", func(i uint64) []byte { return strconv.AppendUint(nil, i, 10) }},
	{"URL", func(i uint64) []byte { return fmt.Appendf(nil, "https://news.example/articles/%d", i) }},
}

// rates asks filters of every library for their own keys and for those that follow.
func (s scale) rates(subjects []*subject, dir string) (rows []results.Row, err error) {
	subjects = slices.DeleteFunc(slices.Clone(subjects), func(sub *subject) bool { return sub.links > 1 })
	for _, shape := range shapes {
		s.say("false positives on %s keys", shape.name)
		found := make([]measure.Rate, len(subjects))
		for f := range s.filters {
			q := question{users: 1, each: items, shown: items, batch: items, file: "keys"}
			for i := range 2 * items {
				q.keys = append(q.keys, shape.key(uint64(f*2*items+i)))
			}
			q.keys = slices.Concat(q.keys[:items], q.keys)
			for i, key := range q.keys {
				q.ids, q.known = append(q.ids, strategies.XXHash(key)), append(q.known, i < items)
			}
			q.known = q.known[:2*items]
			if err := q.write(dir); err != nil {
				return nil, err
			}
			for i, sub := range subjects {
				_, wrong, err := sub.answer(q)
				if err != nil {
					return nil, err
				}
				found[i].Add(items, wrong)
			}
		}
		for i, sub := range subjects {
			r := row.Rate(sub.library, results.QFPR, found[i]).
				With(by.Bits.At(float64(sub.made.Bits)), by.Keys.Is(shape.name))
			if !sub.blocked {
				r = r.Expect(bloom.Exact(items, sub.made))
			}
			rows = append(rows, r)
		}
	}
	return rows, nil
}

func number(strategy, quantity, unit string, value float64, where ...results.Condition) results.Row {
	return row.Number(strategy, quantity, unit, value).With(where...)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err) // a constant of this program is wrong
	}
	return v
}
