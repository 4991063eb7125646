package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"dejavu/experiments/peers/standing"
	"dejavu/experiments/row"
	"dejavu/measure/stopwatch"
	"dejavu/peers/languages"
	"dejavu/peers/library"
	"dejavu/results"
	"dejavu/strategies"
)

// A question is what a turn takes the time of: a list of candidates, or so many articles recorded at once.
type question struct {
	standing.Measure
	list   int // of the script's candidates
	atOnce int // articles; 0 where candidates are asked for
}

var questions = []question{
	{Measure: standing.Timed[0], list: 0},
	{Measure: standing.Timed[1], list: 1},
	{Measure: standing.Timed[2], list: 2},
	{Measure: standing.Timed[3], atOnce: update},
	{Measure: standing.Timed[4], atOnce: items},
}

const (
	request = languages.Request
	update  = 10
	segment = languages.Segment * request // candidates between two looks at the clock
	asked   = 25 * segment
	// Articles between two looks at the clock: a whole number of each strategy's cycles, and of the single filter's lives.
	recordSegment = languages.Records
	recorded      = 20 * recordSegment
)

// numbers are n random IDs, the same for the same seed.
func numbers(seed uint64, n int) []strategies.ID { return slices.Clone(stopwatch.Candidates(seed)[:n]) }

type script struct {
	shown      [languages.Users][]strategies.ID
	candidates [3][]strategies.ID // unseen, seen, mixed; request r goes to user r%Users
	known      [3]int             // how many of them were shown
	articles   []strategies.ID
}

var listNames = [3]string{"unseen", "seen", "mixed"}

func newScript() *script {
	s := &script{articles: numbers(3, recorded+items)}
	least := slices.MinFunc(library.Kinds, func(a, b library.Kind) int { return a.Shown - b.Shown }).Shown
	for i := range s.shown {
		s.shown[i] = numbers(uint64(100+i), items)
	}
	unseen := numbers(2, asked)
	r := rand.New(rand.NewPCG(4, 1))
	for q := range s.candidates {
		s.candidates[q] = slices.Clone(unseen)
		for i := range s.candidates[q] {
			if q == 1 || q == 2 && r.IntN(2) == 0 {
				s.candidates[q][i] = s.shown[i/request%languages.Users][r.IntN(least)]
				s.known[q]++
			}
		}
	}
	return s
}

// write writes the script for programs of other languages, which record whole segments.
func (s *script) write(file string) error {
	shown, c := slices.Concat(s.shown[:]...), s.candidates
	return languages.WriteLists(file, shown, c[0], c[1], c[2], s.articles[:recorded])
}

type stage struct {
	subject
	turn   func(question) (float64, error) // nanoseconds of a candidate or article
	rounds [][]float64                     // by question
}

// stages are all that take part: what is of Go in this process, and the programs, each in its own.
func stages(script *script, programs []*languages.Process) (all []*stage) {
	add := func(s subject, turn func(question) (float64, error)) {
		all = append(all, &stage{s, turn, make([][]float64, len(questions))})
	}
	for _, s := range append([]subject{nothing}, subjects()...) {
		m := &memories{subject: s, script: script, asked: s.create(languages.Users), recorder: s.create(1)}
		for i, ids := range script.shown {
			m.asked.Record(i, ids[:s.kind.Shown])
		}
		add(s, m.turn)
	}
	for _, p := range programs {
		for _, s := range foreign(p.Program) {
			add(s, func(q question) (float64, error) { return script.ask(p, s.kind.Name, q) })
		}
	}
	return all
}

func (s scale) times(script *script, programs []*languages.Process) ([]results.Row, error) {
	s.say("times")
	all := stages(script, programs)
	for round := range s.rounds {
		order := slices.Clone(all)
		if round%2 == 1 {
			slices.Reverse(order)
		}
		for i, q := range questions {
			for _, st := range order {
				took, err := st.turn(q)
				if err != nil {
					return nil, err
				}
				st.rounds[i] = append(st.rounds[i], took)
			}
		}
		s.say(fmt.Sprintf("turn %d of %d", round+1, s.rounds))
	}
	return timeRows(all), nil
}

func timeRows(all []*stage) (rows []results.Row) {
	ours := map[string]*stage{}
	for _, st := range all {
		if st.ours { // the first of its kind
			ours[st.kind.Name] = st
		}
		for i, q := range questions {
			count := asked * int64(len(st.rounds[i]))
			if q.atOnce > 0 {
				count = recorded * int64(len(st.rounds[i]))
			}
			rows = append(rows, spread(st.name, q.Query, results.Nanoseconds, st.rounds[i], count))
			if st.ours || st.name == nothing.name {
				continue
			}
			ratios := slices.Clone(st.rounds[i])
			for round := range ratios {
				ratios[round] /= ours[st.kind.Name].rounds[i][round]
			}
			rows = append(rows, spread(st.name, standing.Over(q.Query), results.Ratio, ratios, count))
		}
	}
	return rows
}

type memories struct {
	subject
	script   *script
	asked    library.Users // whose memory is full
	recorder library.Users // one user who is shown more and more
	shown    int           // articles of that one
}

// turn is the time of one candidate or article, in nanoseconds: the median over segments, as one may be interrupted.
func (m *memories) turn(q question) (float64, error) {
	var segments []float64
	if q.atOnce > 0 {
		for at := 0; at < recorded; at += recordSegment {
			segments = append(segments, m.record(m.script.articles, at, q.atOnce))
		}
		return median(segments), nil
	}
	seen := make([]bool, request)
	candidates := m.script.candidates[q.list]
	for at := 0; at < asked; {
		begin := time.Now()
		for range languages.Segment {
			m.asked.Seen(at/request%languages.Users, candidates[at:at+request], seen)
			at += request
		}
		segments = append(segments, float64(time.Since(begin))/segment)
	}
	return median(segments[1:]), nil // the first warms up
}

// record is the time of an article in a segment of updates. A filter of fixed capacity is emptied when it holds what
// it was made for. A static one is built anew at each update, from articles that somebody else must have kept.
func (m *memories) record(articles []strategies.ID, at, atOnce int) float64 {
	begin := time.Now()
	for end := at + recordSegment; at < end; at += atOnce {
		if m.lib.Static {
			m.recorder.Record(0, articles[at:at+items])
			continue
		}
		m.recorder.Record(0, articles[at:at+atOnce])
		if m.shown += atOnce; m.kind.Wears && m.shown%m.kind.Shown == 0 {
			m.recorder.(library.Forgetter).Forget(0)
		}
	}
	return float64(time.Since(begin)) / recordSegment
}

// median is the middle one, or the upper of two.
func median(values []float64) float64 { return slices.Sorted(slices.Values(values))[len(values)/2] }

// spread is a row of a median, with the second and the last but one around it.
func spread(name string, q results.Query, unit string, values []float64, count int64) results.Row {
	sorted := slices.Sorted(slices.Values(values))
	r := number(name, q.Quantity, unit, median(values))
	r.Where = q.Where
	r.Low, r.High, r.Count = results.Num(sorted[1]), results.Num(sorted[len(sorted)-2]), count
	return r
}

type subject struct {
	name   string
	kind   library.Kind
	ours   bool
	lib    library.Library
	create func(users int) library.Users // nil in a program of another language
}

func subjects() (all []subject) {
	for _, k := range library.Kinds {
		for i, l := range libraries() {
			name := standing.Name(l.Name, k.Name)
			if i == 0 {
				name = standing.OurName(k.Name)
			}
			if create := l.Users[k.Name]; create != nil {
				all = append(all, subject{name, k, i == 0, l, create})
			}
		}
	}
	return all
}

func libraries() []library.Library {
	return append([]library.Library{library.Ours(standing.Ours)}, library.All()...)
}

// foreign are the strategies that a program builds: two single filters tell what a dual filter does.
func foreign(p languages.Program) (all []subject) {
	for _, k := range library.Kinds {
		if k.Name != "dual" {
			all = append(all, subject{name: standing.Name(p.Library, k.Name), kind: k})
		}
	}
	return all
}

// nothing remembers nothing: what it takes is the harness's own.
var nothing = subject{name: "nothing", kind: library.Kinds[2], create: func(int) library.Users { return noMemory{} }}

type noMemory struct{}

func (noMemory) Seen(_ int, _ []strategies.ID, seen []bool) { clear(seen) }
func (noMemory) Record(int, []strategies.ID)                {}

func number(strategy, quantity, unit string, value float64, where ...results.Condition) results.Row {
	return row.Number(results.Peers, strategy, quantity, unit, value).With(where...)
}
