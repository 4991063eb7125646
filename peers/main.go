// Command peers compares the suite's strategies with the same strategies built from public filter libraries: the time
// per candidate and per article recorded, the memory of a million users, and false positives on shapes of keys.
//
// Go's libraries are measured in this process. A library of another language is measured by a program that this one
// builds, starts and asks. Times are taken in turns and divided within each turn, so that changes of the machine's speed
// affect all alike.
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
	"strings"
	"time"

	"dejavu/bloom"
	"dejavu/experiments/peers/standing"
	"dejavu/experiments/row"
	"dejavu/internal/document"
	"dejavu/internal/sysinfo"
	"dejavu/measure"
	"dejavu/measure/stopwatch"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/strategies"
)

// What this program and the programs of other languages agree upon.
const (
	readers = 8             // asked in turn; together they stay in the nearest cache
	items   = 500           // articles of each, and of a filter that is asked for its false positives
	request = 40            // candidates
	segment = 128 * request // candidates between two looks at the clock
	records = 1500          // articles between two looks at the clock: whole rounds of every strategy
	newest  = 100           // articles that must be recognised after recording
	blockOf = 100           // filters whose keys are written at once
	fewest  = 11            // turns: the second and the last but one enclose the median with 98.8 % confidence
)

// A subject is a strategy built from a library.
type subject struct {
	kind
	name, library string
	made          bloom.Geometry
	theory        float64 // FPR of one filter
	static        bool    // it is built anew at every record
	again         bool    // another way to ask the filters of another subject
	warmUps       int     // how often every question is put before times count
	random        bool    // its answers depend on numbers that nobody can seed
	// ask asks one of the questions that README.md lists, and returns the answer, at least the given number of numbers.
	ask   func(least int, what string, n int, file string) ([]float64, error)
	weigh func(users int) ([]results.Row, error) // memory
	turns [][]float64                            // nanoseconds by question
}

// A question is one of standing.Timed.
type question struct {
	what         string
	n            int
	file         string
	segment      int // candidates or articles of a time
	least, total int // how many are reported as seen at least, and are asked
}

// scale is the size of a run.
type scale struct {
	users, rounds, filters int
	segments               int // between looks at the clock, of a question
	say                    func(format string, args ...any)
}

func main() {
	if err := run(os.Args[1:], programs, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(args []string, programs []program, out, progress io.Writer) (err error) {
	began := time.Now()
	s := scale{filters: 10000, segments: 25, say: func(format string, args ...any) {
		fmt.Fprintf(progress, "%6.1f s  "+format+"\n", append([]any{time.Since(began).Seconds()}, args...)...)
	}}
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	flags.SetOutput(progress)
	flags.IntVar(&s.users, "users", 1_000_000, "users whose memories are alive at once; a tenth in other languages")
	flags.IntVar(&s.rounds, "rounds", 15, fmt.Sprintf("turns in which times are measured, at least %d", fewest))
	dir := flags.String("out", filepath.Join("..", "out", results.PeersDir), "directory for the rows")
	quick := flags.Bool("quick", false, "a short trial: a fiftieth of the users and filters, a fifth of the articles")
	languages := flags.String("languages", "rust,java,c,c++", "other languages whose libraries are measured too")
	if err := flags.Parse(args); err != nil {
		return err
	}
	named := strings.FieldsFunc(strings.ToLower(*languages), func(r rune) bool { return r == ',' })
	known := func(name string) bool {
		return slices.ContainsFunc(programs, func(p program) bool { return strings.ToLower(p.language) == name })
	}
	switch i := slices.IndexFunc(named, func(name string) bool { return !known(name) }); {
	case flags.NArg() > 0:
		return fmt.Errorf("argument %q: want flags only", flags.Arg(0))
	case s.users < 1 || s.users > 10_000_000:
		return fmt.Errorf("--users is %d, want 1 to 10000000", s.users)
	case s.rounds < fewest || s.rounds > 1000:
		return fmt.Errorf("--rounds is %d, want %d to 1000", s.rounds, fewest)
	case i >= 0:
		return fmt.Errorf("--languages has %q, want some of rust,java,c,c++", named[i])
	}
	if *quick {
		s.users, s.filters, s.segments = max(10, s.users/50), s.filters/50, 5
	}
	programs = slices.DeleteFunc(slices.Clone(programs), func(p program) bool {
		return !slices.Contains(named, strings.ToLower(p.language))
	})
	if err := os.MkdirAll(*dir, 0o777); err != nil {
		return err
	}
	rows, timing, err := s.measure(programs)
	if err != nil {
		return err
	}
	took := math.Round(time.Since(began).Seconds())
	run := &results.Run{Rows: rows, Timing: timing, Manifest: results.Manifest{
		Users: s.users, Args: args, Commit: sysinfo.Commit(), Started: began.UTC().Format(time.RFC3339), Seconds: took,
		Environment: sysinfo.Environment(),
		Experiments: []results.Status{{Name: results.Peers, Status: results.Done, Seconds: took}},
	}}
	err = errors.Join(results.WriteFile(filepath.Join(*dir, results.FileName(results.Peers)), standing.Dimensions, rows),
		results.WriteFile(filepath.Join(*dir, results.TimingFileName(results.Peers)), standing.Dimensions, timing),
		results.WriteManifest(*dir, run.Manifest))
	if err == nil {
		_, err = io.WriteString(out, document.Markdown(standing.Report(run)...))
	}
	return err
}

// measure takes all rows: those that follow from the flags, and those that depend on the machine.
func (s scale) measure(programs []program) (rows, timing []results.Row, err error) {
	dir, err := os.MkdirTemp("", "peers-*")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	questions, err := writeLists(dir, s.segments)
	if err := errors.Join(err, os.CopyFS(dir, sources)); err != nil {
		return nil, nil, err
	}
	var about []results.Row
	var built []program
	for _, p := range programs {
		about = append(about, number(p.library, results.QLanguage, "", 1, by.Language.Is(p.language)))
		if tool := p.missing(); tool != "" {
			s.say("%s is left out: %s is missing", p.library, tool)
			about = append(about, number(p.library, results.QMissing, "", 1, by.Tool.Is(tool)))
			continue
		}
		s.say("building %s", p.library)
		if err := p.build(dir); err != nil {
			return nil, nil, err
		}
		built = append(built, p)
	}
	subjects := goSubjects(dir)
	for _, p := range built {
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
	memory, err := s.memories(subjects)
	return rows, slices.Concat(timing, random, memory, about), err
}

// writeLists writes the keys of all questions into files: random IDs, the same in every run.
func writeLists(dir string, segments int) (questions []question, err error) {
	numbers := func(seed uint64, n int) []strategies.ID { return slices.Clone(stopwatch.Candidates(seed)[:n]) }
	write := func(file string, ids []strategies.ID) {
		err = errors.Join(err, writeKeys(filepath.Join(dir, file), len(ids), func(dst []byte, i int) []byte {
			return binary.LittleEndian.AppendUint64(dst, uint64(ids[i]))
		}))
	}
	var shown []strategies.ID
	asked := segments * segment
	for u := range uint64(readers) {
		shown = append(shown, numbers(100+u, items)...)
	}
	r := rand.New(rand.NewPCG(4, 1))
	for q, list := range []string{"unseen", "seen", "mixed"} {
		candidates, known := numbers(2, asked), 0
		for i := range candidates {
			if q == 1 || q == 2 && r.IntN(2) == 0 { // a dual filter is fullest one article before the last
				candidates[i] = shown[i/request%readers*items+r.IntN(items-1)]
				known++
			}
		}
		write(list, candidates)
		questions = append(questions, question{"ask", 0, list, segment, known, asked})
	}
	write("shown", shown)
	write("articles", numbers(3, segments*records))
	return append(questions, question{"record", 10, "articles", records, newest, newest},
		question{"record", 500, "articles", records, newest, newest}), err
}

// writeKeys writes keys into a file, each as a byte with its length and its bytes.
func writeKeys(file string, n int, key func(dst []byte, i int) []byte) error {
	var data []byte
	for i := range n {
		at := len(data)
		data = key(append(data, 0), i)
		data[at] = byte(len(data) - at - 1)
	}
	return os.WriteFile(file, data, 0o600)
}

// turn returns the nanoseconds per candidate or article: the median over segments, one of which may be interrupted.
func (sub *subject) turn(q question) (float64, error) {
	n, err := sub.ask(3, q.what, q.n, q.file)
	if err != nil {
		return 0, err
	}
	found, least := int(n[len(n)-1]), q.least
	if sub.random {
		least -= least / 20 // it loses some
	}
	if most := q.least + (q.total-q.least)/4; found < least || found > most {
		return 0, fmt.Errorf("%s, asked to %s %d %s, recognises %d articles: want %d to %d",
			sub.name, q.what, q.n, q.file, found, least, most)
	}
	return median(n[1:len(n)-1]) / float64(q.segment), nil // the first segment warms up
}

func (s scale) times(subjects []*subject, questions []question) (rows []results.Row, err error) {
	for _, sub := range subjects {
		s.say("warming up %s", sub.name)
		if _, err := sub.ask(0, "users", readers, "shown"); err != nil {
			return nil, err
		}
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
	return timeRows(subjects, questions), nil
}

func timeRows(subjects []*subject, questions []question) (rows []results.Row) {
	for _, sub := range subjects {
		ours := subjects[slices.IndexFunc(subjects, func(o *subject) bool { return o.kind.name == sub.kind.name })]
		for i, q := range questions {
			add := func(m results.Query, unit string, values []float64) {
				sorted := slices.Sorted(slices.Values(values))
				r := number(sub.name, m.Quantity, unit, median(values)).Among(int64(q.total * len(values)))
				r.Where, r.Low, r.High = m.Where, results.Num(sorted[1]), results.Num(sorted[len(sorted)-2])
				rows = append(rows, r)
			}
			add(standing.Timed[i].Query, results.Nanoseconds, sub.turns[i])
			if sub != ours {
				ratios := slices.Clone(sub.turns[i])
				for round := range ratios {
					ratios[round] /= ours.turns[i][round]
				}
				add(standing.Over(standing.Timed[i].Query), results.Ratio, ratios)
			}
		}
	}
	return rows
}

// shapes append the i-th key, in the order of standing.Shapes.
var shapes = []func(dst []byte, i uint64) []byte{
	func(dst []byte, i uint64) []byte {
		return binary.BigEndian.AppendUint64(dst, rand.NewPCG(5, i).Uint64())
	},
	binary.BigEndian.AppendUint64,
	func(dst []byte, i uint64) []byte { return strconv.AppendUint(dst, i, 10) },
	func(dst []byte, i uint64) []byte { return fmt.Appendf(dst, "https://news.example/articles/%d", i) },
}

// rates asks filters of every library for the keys that follow their own.
func (s scale) rates(subjects []*subject, dir string) (rows, random []results.Row, err error) {
	subjects = slices.DeleteFunc(slices.Clone(subjects), func(sub *subject) bool { return sub.kind.name != "single" || sub.again })
	found := make([][4]measure.Rate, len(subjects))
	lost := make([]measure.Rate, len(subjects))
	for shape, key := range shapes {
		s.say("false positives on %s keys", standing.Shapes[shape].Name)
		for first := 0; first < s.filters; first += blockOf {
			filters := min(blockOf, s.filters-first)
			err := writeKeys(filepath.Join(dir, "keys"), filters*2*items, func(dst []byte, i int) []byte {
				return key(dst, uint64(first*2*items+i))
			})
			if err != nil {
				return nil, nil, err
			}
			for i, sub := range subjects {
				n, err := sub.ask(2*filters, "rates", 0, "keys")
				if err != nil {
					return nil, nil, err
				}
				for f := range filters {
					found[i][shape].Add(items, int(n[2*f]))
					lost[i].Add(items, int(n[2*f+1]))
				}
			}
		}
	}
	for i, sub := range subjects {
		bits := by.Bits.At(float64(sub.made.Bits))
		var all []results.Row
		if sub.made.Hashes > 0 {
			all = append(all, number(sub.library, results.QHashes, "", float64(sub.made.Hashes), bits))
		}
		if sub.static {
			all = append(all, number(sub.library, results.QStatic, "", 1, bits))
		}
		for shape, rate := range found[i] {
			all = append(all, row.Rate(results.Peers, sub.library, results.QFPR, rate).
				With(bits, by.Keys.Is(standing.Shapes[shape].Name)).Expect(sub.theory))
		}
		all = append(all, row.Rate(results.Peers, sub.library, results.QLost, lost[i]).With(bits))
		if sub.random {
			random = append(random, all...)
		} else {
			rows = append(rows, all...)
		}
	}
	return rows, random, nil
}

// memories makes the memories of many users, one subject after the other.
func (s scale) memories(subjects []*subject) (rows []results.Row, err error) {
	for _, sub := range subjects {
		s.say("memory of %s", sub.name)
		more, err := sub.weigh(s.users)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

func number(strategy, quantity, unit string, value float64, where ...results.Condition) results.Row {
	return row.Number(results.Peers, strategy, quantity, unit, value).With(where...)
}

// median is the middle value, or the upper of two.
func median(values []float64) float64 { return slices.Sorted(slices.Values(values))[len(values)/2] }
