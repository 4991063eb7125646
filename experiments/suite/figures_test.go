package suite

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/experimenttest"
	"dejavu/experiments/peers"
	"dejavu/experiments/replay"
	"dejavu/internal/sysinfo"
	"dejavu/measure/stopwatch"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/strategies/strategytest"
	_ "dejavu/strategies/strategytest/seeded"

	"pgregory.net/rapid"
)

// along is the dimension of these tests' rows.
var along = results.Dimension{Name: "x"}

// holdsNoGoroutines skips a test that is slow with the race detector, and nothing to it.
func holdsNoGoroutines(t *testing.T) {
	if sysinfo.RaceDetector {
		t.Skip("drawing is slow, and holds no goroutines")
	}
	t.Parallel()
}

// drawable are the committed rows of a run of ten million users and of the peers. No replay is committed: rows of other
// experiments stand for one.
var drawable = sync.OnceValues(func() ([]results.Row, error) {
	run, _ := results.Reference(results.DefaultUsers, results.DefaultSeed)
	others, err := results.Committed(results.PeersDir)
	if err != nil {
		return nil, err
	}
	rows := append(run.All(), others.All()...)
	for _, r := range run.All() {
		if e := r.Experiment; e == results.FPR || e == results.Window || e == results.Daily {
			r.Experiment, r.Where = results.Replay, r.Where.With(by.Rule.Is("")) // a replay has one rule
			rows = append(rows, r)
			r.Strategy = results.Beyond + strings.TrimPrefix(r.Strategy, results.Beyond)
			rows = append(rows, r)
		}
	}
	return rows, nil
})

// figures are all that the program draws.
var figures = sync.OnceValue(func() (all []plots.Figure) {
	for _, x := range All {
		all = append(all, x.Figures...)
	}
	return slices.Concat(all, peers.Figures, replay.Figures)
})

// colours maps the paper's colours to the names that may use them, also for a filter of a month and the paper's values.
var colours = map[plots.Color]*regexp.Regexp{
	plots.Black:      regexp.MustCompile("^queue|Queue|" + plots.PaperLook.Name),
	plots.Vermillion: regexp.MustCompile("^single|[Rr]ebuilt|Single"),
	plots.Blue:       regexp.MustCompile("^dual|Dual"),
	plots.Green:      regexp.MustCompile("^chain|Chain"),
}

// A figure has a name of its own, a title and a sentence. Nothing else has a colour of the paper's strategies. Packages
// of experiments compare their figures with plots/reference.
func TestFigures(t *testing.T) {
	holdsNoGoroutines(t)
	rows := strategytest.Value(drawable())
	experimenttest.Figures(t, replay.Figures, rows)
	d, empty := plots.NewData(figures(), rows), plots.NewData(figures(), nil)
	names := map[string]bool{}
	for _, f := range figures() {
		if names[f.Name] || f.Title == "" || !strings.HasSuffix(f.Caption, ".") {
			t.Errorf("figure %s: twice, or without a title or a sentence", f.Name)
		}
		names[f.Name] = true
		if _, reason, err := empty.Lay(f); err != nil || !strings.Contains(reason, "no rows of experiment "+f.Experiment) {
			t.Errorf("%s: from no rows, the reason is %q, error %v", f.Name, reason, err)
		}
		s, _, err := d.Lay(f)
		strategytest.Must(t, err)
		for _, p := range s.Panels {
			for _, one := range p.Series {
				if whose, ok := colours[one.Look.Color]; ok && !whose.MatchString(one.Strategy+one.Look.Name) {
					t.Errorf("%s: %q of %s has a colour of the paper's strategies", f.Name, one.Look.Name, one.Strategy)
				}
			}
		}
	}
}

// Every query that a table declares finds a row of the committed run.
func TestTablesFromReference(t *testing.T) {
	rows := strategytest.Value(drawable())
	cells := results.NewCells(rows)
	for _, x := range All {
		for _, table := range x.Tables {
			for _, q := range table.Unfound(cells) {
				t.Errorf("%s, table %q: no row of the reference is %s", x.Name, table.Of(cells).Title, q)
			}
		}
	}
}

// zeros are the experiments whose tables show 0 in place of a row that is lacking.
var zeros = []string{results.Sizing, results.Hashes}

// digits finds the digits shown of a number.
var digits = regexp.MustCompile(`[0-9]+([.,][0-9]+)*`)

// numbers returns the numbers in each of an experiment's tables.
func numbers(x experiment.Experiment, rows []results.Row) (all []map[string]bool) {
	for _, table := range x.Tell(results.NewCells(rows)) {
		found := map[string]bool{}
		for _, number := range digits.FindAllString(fmt.Sprint(table.Rows), -1) {
			found[number] = true
		}
		all = append(all, found)
	}
	return all
}

// The tables of rows that lack a quantity, a strategy or both, as an interrupted run's do, show no number that the
// tables of all rows do not. Few turns have no interval, few requests no rate, and none may be 0.
func TestTablesOfSomeRows(t *testing.T) {
	holdsNoGoroutines(t)
	run, _ := results.Reference(20_000, results.DefaultSeed)
	rows := run.All()
	nothing, zero := results.Number{}, results.Num(0)
	for _, x := range All {
		var own []results.Row
		lacking := map[string]func(results.Row) bool{}
		for _, r := range rows {
			if r.Experiment != x.Name {
				continue
			}
			own = append(own, r)
			quantity, strategy := r.Quantity, r.Strategy
			lacking[quantity] = func(r results.Row) bool { return r.Quantity == quantity }
			lacking[strategy] = func(r results.Row) bool { return r.Strategy == strategy }
			lacking[strategy+" "+quantity] = func(r results.Row) bool {
				return r.Strategy == strategy && r.Quantity == quantity
			}
		}
		whole := numbers(x, own)
		for name, lacks := range lacking {
			for i, shown := range numbers(x, slices.DeleteFunc(slices.Clone(own), lacks)) {
				for number := range shown {
					asZero := strings.Trim(number, "0.,") == "" && slices.Contains(zeros, x.Name)
					if !whole[i][number] && !asZero {
						t.Errorf("%s without %q: table %d says %s", x.Name, name, i+1, number)
					}
				}
			}
		}
		for _, change := range []func(r *results.Row){
			func(r *results.Row) { r.Value = nothing },
			func(r *results.Row) { r.Low, r.High = nothing, nothing },
			func(r *results.Row) { r.Theory = nothing },
			func(r *results.Row) { r.Count = 0 },
			func(r *results.Row) { r.Value, r.Low, r.High = zero, zero, zero },
		} {
			changed := slices.Clone(own)
			for i := range changed {
				change(&changed[i])
			}
			for _, table := range x.Tell(results.NewCells(changed)) {
				if text := table.Within(120); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
					t.Errorf("%s: no number in %s", x.Name, text)
				}
			}
		}
	}
}

// quantities returns the first rows of each quantity of each experiment.
func quantities(t *testing.T) map[[2]string][]results.Row {
	rows := strategytest.Value(drawable())
	found := map[[2]string][]results.Row{}
	for _, r := range rows {
		// Few points: these tests are about what is missing, not about how much there is.
		words, _ := r.Where.Divided()
		if key := [2]string{r.Experiment, r.Quantity + " " + string(words)}; len(found[key]) < 20 {
			found[key] = append(found[key], r)
		}
	}
	return found
}

// Any numbers of a researcher's own experiment, and any quantities that an interrupted run leaves, make a figure.
func TestFiguresOfAnyNumbers(t *testing.T) {
	holdsNoGoroutines(t)
	odd := []float64{
		0, math.Copysign(0, -1), 1, -1, 0.5, 1e-17, 1e-300, 5e-324, 1e30, -1e30, 1e308, math.Inf(1),
		math.Inf(-1), math.NaN(), 500, 1e7,
	}
	numbers := rapid.Custom(func(t *rapid.T) results.Number {
		if rapid.IntRange(0, 5).Draw(t, "empty") == 0 {
			return results.Number{}
		}
		return results.Num(rapid.SampledFrom(odd).Draw(t, "number"))
	})
	found := quantities(t)
	keys := slices.SortedFunc(maps.Keys(found), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	rapid.Check(t, func(rt *rapid.T) {
		f := rapid.SampledFrom(figures()).Draw(rt, "figure")
		var rows []results.Row
		for _, key := range keys {
			if key[0] != f.Experiment {
				continue
			}
			few := found[key]
			for range rapid.IntRange(0, 4).Draw(rt, "rows") {
				row := results.Row{
					Experiment: key[0], Quantity: few[0].Quantity,
					Strategy: rapid.SampledFrom([]string{
						few[0].Strategy, "", "queue", "chain", "mine", "^{", "策略", results.Beyond + "ring", results.Beyond + "mine",
						"dejavu", "dejavu/chain", "dejavu/", "swift", "swift chain", "a library of a very long name indeed chain",
					}).Draw(rt, "strategy"),
					Where: results.Where(along.Is(numbers.Draw(rt, "x").String())), Value: numbers.Draw(rt, "value"),
					Low: numbers.Draw(rt, "low"), High: numbers.Draw(rt, "high"),
					Theory: numbers.Draw(rt, "theory"), Paper: numbers.Draw(rt, "paper"),
					Count: few[0].Count,
				}
				if rapid.Bool().Draw(rt, "its own x") {
					row.Where = few[0].Where
				}
				rows = append(rows, row)
			}
		}
		s, reason, err := plots.NewData(figures(), rows).Lay(f)
		if err == nil && reason == "" {
			var svg bytes.Buffer
			err = s.Write(&svg, ".svg")
			if bytes.Contains(svg.Bytes(), []byte("NaN")) || bytes.Contains(svg.Bytes(), []byte("Inf")) {
				rt.Fatalf("%s: coordinates that are no numbers", f.Name)
			}
		}
		if err != nil {
			rt.Fatal(f.Name, ": ", err)
		}
	})
}

// The golden rows of second/spec/rows.md and structures.md, from which a second program is written, come from a run.
func TestPage(t *testing.T) {
	if sysinfo.RaceDetector {
		t.Skip("theory takes ten times as long with the race detector, and holds no goroutines")
	}
	sizes := stopwatch.Sizes
	stopwatch.Sizes = sizes[:1]
	defer func() { stopwatch.Sizes = sizes }()

	for _, c := range []struct {
		page        string
		experiments int // that it has rows of
		has         func(e catalogue.Entry) bool
	}{
		{"../../second/spec/rows.md", 8, func(e catalogue.Entry) bool {
			return slices.Contains([]string{"single", "chain", "chain-literal"}, e.Name)
		}},
		{"../../second/spec/structures.md", 3, catalogue.Entry.IsBeyond},
	} {
		page := strategytest.Value(os.ReadFile(c.page))
		_, after, _ := strings.Cut(string(page), "\n```rows\n")
		block, _, _ := strings.Cut(after, "```")
		golden := map[string][]string{} // by experiment
		for line := range strings.Lines(strings.TrimSpace(block)) {
			name, _, _ := strings.Cut(line, ",")
			golden[name] = append(golden[name], strings.TrimSpace(line))
		}
		strategytest.Equal(t, len(golden), c.experiments, "%s has rows of experiments", c.page)
		scope := engine.Scope{Users: 2000, Seed: results.DefaultSeed}
		for _, e := range catalogue.All() {
			if c.has(e) {
				scope.Entries = append(scope.Entries, e)
			}
		}
		r := engine.New(t.Context(), scope, engine.NewProgress(io.Discard))
		r.Out, r.Program = t.TempDir(), "a test"
		for _, x := range All {
			if golden[x.Name] == nil {
				continue
			}
			rows, _, err := rowsOf(r, x)
			strategytest.Must(t, err)
			var file bytes.Buffer
			strategytest.Must(t, results.Write(&file, x.Dimensions, rows))
			lines := strings.Split(file.String(), "\n")
			for _, line := range golden[x.Name] {
				if !slices.Contains(lines, line) {
					t.Errorf("%s: the run has no row %s", c.page, line)
				}
			}
		}
	}
}
