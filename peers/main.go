// Command peers compares the suite's strategies with the same strategies built from public filter libraries: the time
// per candidate and per article recorded, the memory of a million users, and false positives on shapes of keys.
//
// Libraries of Go are measured in this process. A library of another language is measured by a program that this one
// builds, starts and asks. All answer the same questions about the same keys. Times are taken in turns and divided within
// each turn, so that changes of the machine's speed affect all alike.
package main

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
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
	each    = 499 // articles of a user: a dual filter is fullest one article before it turns
	items   = 500 // articles of a filter that is asked for its false positives
	request = 40  // candidates, in the programs of other languages too
	newest  = 80  // articles that must be recognised after recording
	fewest  = 11  // turns: the second and the last but one enclose the median with 98.8 % confidence
)

// A subject is a strategy built from a library.
type subject struct {
	kind
	name, library         string
	made                  bloom.Geometry
	theory                float64 // FPR of one filter
	static, random, again bool    // as in library
	warmUps               int     // how often every question is put before times count
	ask                   func(question) (answer, error)
	weigh                 func(question) ([]results.Row, error) // measures the memory of the question's users
	turns                 [][]float64                           // nanoseconds by question
}

// A question is put to all subjects about the same list of keys. The first of the list are shown to users, in turn, and
// the users are asked in turn about the others, a request at a time.
type question struct {
	users, each, shown int // each user is shown so many of the shown
	batch              int // articles recorded at once, if the library can
	file               string
	keys               [][]byte
	ids                []strategies.ID // the keys, if they are articles
	known              []bool          // candidates that were shown
	time               results.Query   // names the row of the time per candidate or article
}

type answer struct {
	recorded, asked float64 // nanoseconds
	seen            []bool  // by candidate
}

// scale is the size of a run.
type scale struct {
	users, rounds, filters int
	requests               int // of a question
	say                    func(format string, args ...any)
}

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(args []string, out, progress io.Writer) error {
	began := time.Now()
	s := scale{requests: 3200, say: func(format string, args ...any) {
		fmt.Fprintf(progress, "%6.1f s  "+format+"\n", append([]any{time.Since(began).Seconds()}, args...)...)
	}}
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	flags.SetOutput(progress)
	flags.IntVar(&s.users, "users", 1_000_000, "users whose memories are alive at once; a tenth in other languages")
	flags.IntVar(&s.rounds, "rounds", 15, fmt.Sprintf("turns in which times are measured, at least %d", fewest))
	flags.IntVar(&s.filters, "filters", 10_000, "filters that are asked for false positives")
	dir := flags.String("out", filepath.Join("..", "out", results.PeersDir), "directory for the rows")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("argument %q: want flags only", flags.Arg(0))
	case s.users < 10 || s.users > 10_000_000:
		return fmt.Errorf("--users is %d, want 10 to 10000000", s.users)
	case s.rounds < fewest || s.rounds > 1000:
		return fmt.Errorf("--rounds is %d, want %d to 1000", s.rounds, fewest)
	case s.filters < 10 || s.filters > 1_000_000:
		return fmt.Errorf("--filters is %d, want 10 to 1000000", s.filters)
	}
	if err := os.MkdirAll(*dir, 0o777); err != nil {
		return err
	}
	rows, timing, err := s.measure(programs)
	if err != nil {
		return err
	}
	for _, r := range slices.Concat(rows, timing) {
		fmt.Fprintf(out, "%v = %.4g %s\n", r.Name(), r.Value.Or(0), r.Unit)
	}
	took := math.Round(time.Since(began).Seconds())
	return errors.Join(results.WriteFile(filepath.Join(*dir, results.FileName(results.Peers)), dimensions, rows),
		results.WriteFile(filepath.Join(*dir, results.TimingFileName(results.Peers)), dimensions, timing),
		results.WriteManifest(*dir, results.Manifest{
			Users: s.users, Args: args, Commit: sysinfo.Commit(), Started: began.UTC().Format(time.RFC3339), Seconds: took,
			Environment: sysinfo.Environment(),
			Experiments: []results.Status{{Name: results.Peers, Status: results.Done, Seconds: took}},
		}))
}

var dimensions = []results.Dimension{
	by.Bits, by.Keys, by.Candidates, by.Request, by.Recorded, by.Users, by.Over, by.Language, by.Tool,
}

// measure takes all rows: those that follow from the flags, and those that depend on the machine.
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
	var about []results.Row
	subjects := goSubjects()
	for _, p := range programs {
		about = append(about, number(p.library, results.QLanguage, "", 1, by.Language.Is(p.language)))
		s.say("building %s", p.library)
		if err := p.build(dir); err != nil {
			s.say("%s is left out, for it needs %s: %v", p.library, p.needs, err)
			about = append(about, number(p.library, results.QMissing, "", 1, by.Tool.Is(p.needs)))
			continue
		}
		for _, k := range []kind{kinds[0], kinds[2]} { // a dual filter takes as long as two single filters
			process, err := p.start(dir, k)
			if err != nil {
				return nil, nil, err
			}
			defer process.close()
			subjects = append(subjects, process.subject())
		}
	}
	rows, random, err := s.rates(subjects, dir)
	if err != nil {
		return nil, nil, err
	}
	if timing, err = s.times(subjects, questions); err != nil {
		return nil, nil, err
	}
	timing = append(timing, random...)
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
	return rows, append(timing, about...), nil
}

// ids returns n random articles, the same in every run.
func ids(seed uint64, n int) []strategies.ID { return stopwatch.Candidates(seed)[:n] }

// questions returns the questions about times: three of candidates, and two of recording.
func questions(requests int) (all []question) {
	r := rand.New(rand.NewPCG(4, 1))
	for i, list := range []string{"unseen", "seen", "mixed"} {
		q := question{users: readers, each: each, shown: readers * each, batch: each, file: list}
		q.time = results.Find(results.QQueryNanos, by.Candidates.At(request), by.Request.Is(list))
		q.ids = append(q.ids, ids(2, q.shown+requests*request)...)
		q.known = make([]bool, requests*request)
		for at := range q.known {
			if q.known[at] = i == 1 || i == 2 && r.IntN(2) == 0; q.known[at] {
				q.ids[q.shown+at] = q.ids[at/request%readers*each+r.IntN(each)]
			}
		}
		all = append(all, q)
	}
	articles := ids(3, requests/request*items)
	for _, n := range []int{10, items} {
		all = append(all, question{
			users: 1, each: len(articles), shown: len(articles), batch: n, file: "articles",
			ids: slices.Concat(articles, articles[len(articles)-newest:]), known: slices.Repeat([]bool{true}, newest),
			time: results.Find(results.QRecordNanosEach, by.Recorded.At(float64(n))),
		})
	}
	return all
}

// write writes the keys, each as a byte with its length and its bytes. An ID is eight bytes, the lowest first.
func (q question) write(dir string) error {
	var data []byte
	for _, key := range q.keys {
		data = append(append(data, byte(len(key))), key...)
	}
	for _, id := range q.ids {
		data = binary.LittleEndian.AppendUint64(append(data, 8), uint64(id))
	}
	return os.WriteFile(filepath.Join(dir, q.file), data, 0o600)
}

// turn returns the nanoseconds per candidate or article of the second of two answers: the first warms up.
func (sub *subject) turn(q question) (float64, error) {
	if _, err := sub.ask(q); err != nil {
		return 0, err
	}
	a, err := sub.ask(q)
	if err != nil {
		return 0, err
	}
	lost, wrong := 0, 0
	for i, known := range q.known {
		if known && !a.seen[i] {
			lost++
		} else if !known && a.seen[i] {
			wrong++
		}
	}
	if lost > 0 && !sub.random || lost > len(q.known)/20 || wrong > len(q.known)/4 {
		return 0, fmt.Errorf("%s, asked about %s, denies %d articles that were shown, and reports %d that were not",
			sub.name, q.file, lost, wrong)
	}
	if q.users == 1 {
		return a.recorded / float64(q.each), nil
	}
	return a.asked / float64(len(q.known)), nil
}

// times takes turns, forwards and backwards, and returns the rows of times and of their ratios to ours.
func (s scale) times(subjects []*subject, questions []question) (rows []results.Row, err error) {
	for _, sub := range subjects {
		s.say("warming up %s", sub.name)
		sub.turns = make([][]float64, len(questions))
		for range sub.warmUps {
			for _, q := range questions {
				if _, err := sub.turn(q); err != nil {
					return nil, err
				}
			}
		}
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
				r := number(sub.name, quantity, unit, median(values)).Among(int64(len(values)))
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

// rates asks filters of every library for the keys that follow their own.
func (s scale) rates(subjects []*subject, dir string) (rows, random []results.Row, err error) {
	subjects = slices.DeleteFunc(slices.Clone(subjects), func(sub *subject) bool { return sub.kind.name != "single" || sub.again })
	all := make([][]results.Row, len(subjects))
	lost := make([]measure.Rate, len(subjects))
	for i, sub := range subjects {
		bits := by.Bits.At(float64(sub.made.Bits))
		if sub.made.Hashes > 0 {
			all[i] = append(all[i], number(sub.library, results.QHashes, "", float64(sub.made.Hashes), bits))
		}
		if sub.static {
			all[i] = append(all[i], number(sub.library, results.QStatic, "", 1, bits))
		}
	}
	for _, shape := range shapes {
		s.say("false positives on %s keys", shape.name)
		found := make([]measure.Rate, len(subjects))
		for f := range s.filters {
			q := question{users: 1, each: items, shown: items, file: "keys"}
			for i := range 2 * items {
				q.keys = append(q.keys, shape.key(uint64(f*2*items+i)))
			}
			q.keys = slices.Concat(q.keys[:items], q.keys) // its own are candidates, too
			if err := q.write(dir); err != nil {
				return nil, nil, err
			}
			for i, sub := range subjects {
				a, err := sub.ask(q)
				if err != nil {
					return nil, nil, err
				}
				found[i].Add(items, count(a.seen[items:]))
				lost[i].Add(items, items-count(a.seen[:items]))
			}
		}
		for i, sub := range subjects {
			all[i] = append(all[i], row.Rate(results.Peers, sub.library, results.QFPR, found[i]).
				With(by.Bits.At(float64(sub.made.Bits)), by.Keys.Is(shape.name)).Expect(sub.theory))
		}
	}
	for i, sub := range subjects {
		r := row.Rate(results.Peers, sub.library, results.QLost, lost[i]).With(by.Bits.At(float64(sub.made.Bits)))
		if all[i] = append(all[i], r); sub.random {
			random = append(random, all[i]...)
		} else {
			rows = append(rows, all[i]...)
		}
	}
	return rows, random, nil
}

func number(strategy, quantity, unit string, value float64, where ...results.Condition) results.Row {
	return row.Number(results.Peers, strategy, quantity, unit, value).With(where...)
}

// median returns the middle value, or the upper of two.
func median(values []float64) float64 { return slices.Sorted(slices.Values(values))[len(values)/2] }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err) // a constant of this program is wrong
	}
	return v
}

func count(seen []bool) (n int) {
	for _, yes := range seen {
		if yes {
			n++
		}
	}
	return n
}
