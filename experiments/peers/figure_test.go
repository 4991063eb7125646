package peers

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"dejavu/experiments/experiment"
	"dejavu/experiments/experimenttest"
	"dejavu/internal/document"
	"dejavu/internal/golden"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/strategies/strategytest"
)

// row is one of the peers, with an interval or as it is.
func row(strategy string, q results.Query, v float64, interval ...float64) results.Row {
	r := results.Row{
		Experiment: results.Peers, Strategy: strategy, Where: q.Where, Quantity: q.Quantity, Value: results.Num(v),
	}
	if interval != nil {
		r.Low, r.High = results.Num(interval[0]), results.Num(interval[1])
	}
	return r
}

// rate is a row of false positives at 4064 bits, of a theory of 2.03 %.
func rate(name, keys string, v, slip float64) results.Row {
	q := results.Find(results.QFPR, by.Bits.At(4064), by.Keys.Is(keys))
	return row(name, q, v, v-slip, v+slip).Expect(0.02026848)
}

// syntheticPeers is a run of the peers with two libraries, of which the second
// has no dual filter and no hash worth the name.
func syntheticPeers() (rows []results.Row) {
	const hashless = "the hashless library"
	for i, name := range []string{Ours, "bloomy", hashless} {
		for k, m := range Shapes {
			rows = append(rows, rate(name, m.Name, 0.0202*(1+0.05*float64(i*i*k)), 0.0002))
		}
	}
	million := by.Users.At(1e6)
	for k, kind := range []string{"single", "dual", "chain"} {
		for i, name := range []string{
			OurName(kind), Name("bloomy", kind), Name(hashless, kind),
		} {
			if kind == "dual" && i == 2 {
				continue
			}
			for q, m := range Timed {
				rows = append(rows, row(name, m.Query, 5.125, 5, 5.25))
				if v := 10 * float64(i+k+q+1); i > 0 {
					rows = append(rows, row(name, Over(m.Query), v, 0.9*v, 1.2*v))
				}
			}
			bytes := 520.0
			if i > 0 {
				bytes = 600 * float64(k+1)
			}
			rows = append(rows,
				row(name, results.Find(results.QBytesPerUser, million), bytes),
				row(name, results.Find(results.QGoalPerUser, million), 2*bytes))
		}
	}
	return append(rows, row(hashless, results.Find(results.QLanguage, by.Language.Is("Rust")), 1))
}

// The note names what was not measured.
func TestPeersMissing(t *testing.T) {
	rows := append(syntheticPeers(),
		row("absent", results.Find(results.QLanguage, by.Language.Is("C")), 1),
		row("absent", results.Find(results.QMissing, by.Tool.Is("cc")), 1))
	s, _, err := plots.NewData(Figures, rows).Lay(Figures[0])
	if err != nil || !strings.HasSuffix(s.Note, " Not measured, for want of a tool: absent (C).") {
		t.Errorf("the note is %q, %v", s.Note, err)
	}
}

// What is zero has no place on a logarithmic axis, and nothing is over zero.
func TestZeros(t *testing.T) {
	rows := syntheticPeers()
	for i, r := range rows {
		if r.Strategy == OurName("chain") && r.Quantity == results.QBytesPerUser ||
			r.Strategy == "bloomy single" && r.Quantity == results.QTimeRatio {
			rows[i].Value = results.Num(0)
		}
	}
	s, _, err := plots.NewData(Figures, rows).Lay(Figures[0])
	strategytest.Must(t, err)
	strategytest.Equal(t, len(s.Panels[0].Series[0].Points), 1, "libraries have a time")
	// With garbage that may accumulate, marks are hollow.
	d := plots.NewData(Figures, rows)
	if a, b := s.Panels[2].Series[0].Look.Mark, d.Look("single").Hollow().Mark; !reflect.DeepEqual(a, b) {
		t.Errorf("a mark of memory with garbage is %v, want %v", a, b)
	}
	if n := len(s.Panels[2].Series); n != 3 { // of two strategies with garbage, and of one without
		t.Errorf("%d lines of memory, want 3", n)
	}
}

// The figures as they are laid out, and of a part of the rows.
func TestGolden(t *testing.T) {
	static := "a static one"
	rows := append(syntheticPeers(),
		row(static, results.Find(results.QStatic, by.Bits.At(4064)), 1),
		rate(static, "random", 0.01, 0.005),
		row(Name(static, "single"), Over(Timed[0].Query), 0.5, 0.25, 1))
	x := experiment.Experiment{Name: results.Peers, Figures: Figures}
	golden.File(t, "peers.golden", experimenttest.Text(x, rows, nil))
}

// The range of multiples has one in it, all values and the ends of their intervals, but for
// an end at zero, which no logarithm has.
func TestMultiples(t *testing.T) {
	point := func(low, y, high float64) plots.Point { return plots.Point{X: 1, Y: y, Low: low, High: high} }
	for _, c := range []struct {
		points    []plots.Point
		low, high float64
	}{
		{[]plots.Point{point(2, 3, 4)}, 1, 4},
		{[]plots.Point{point(0, 3, 4), point(2, 2, 2)}, 1, 4},
		{[]plots.Point{point(0, 0.75, 0.8)}, 0.75, 1},
		{[]plots.Point{point(0.5, 0.75, 0.8), point(2, 5, 9)}, 0.5, 9},
	} {
		one, other := &plots.Panel{}, &plots.Panel{}
		one.Add(plots.Series{Points: c.points})
		multiples(one, other)
		for _, p := range []*plots.Panel{one, other} {
			if math.Abs(p.X.Min-c.low/1.25) > 1e-12 || math.Abs(p.X.Max-c.high*1.25) > 1e-12 {
				t.Errorf("%v: from %v to %v, want %v to %v", c.points, p.X.Min, p.X.Max, c.low/1.25, c.high*1.25)
			}
		}
	}
}

// leave leaves a run of the peers in the directory of another run: one library, half as fast as ours.
func leave(t *testing.T, out string) {
	t.Helper()
	dir := filepath.Join(out, results.PeersDir)
	strategytest.Must(t, os.MkdirAll(dir, 0o755))
	theirs, unseen := Name("swift", "single"), Timed[0].Query
	file := filepath.Join(dir, results.TimingFileName(results.Peers))
	err := results.WriteFile(file, Dimensions, []results.Row{
		row(OurName("single"), unseen, 5), row(theirs, unseen, 10), row(theirs, Over(unseen), 2),
	})
	strategytest.Must(t, err)
}

func TestBeside(t *testing.T) {
	out, none := t.TempDir(), t.TempDir()
	strategytest.Must(t, os.Mkdir(filepath.Join(none, results.PeersDir), 0o755))
	says := func(dir string, fewest, most int, phrases ...string) {
		t.Helper()
		run, blocks := Of(dir)
		strategytest.Between(t, len(run.All()), fewest, most, "rows")
		text := document.Markdown(blocks...)
		for _, phrase := range phrases {
			if !strings.Contains(text, phrase) {
				t.Errorf("%q is missing in\n%s", phrase, text)
			}
		}
	}
	says(out, 100, 1e6, "committed with this program", "cd peers && go run .", "bits-and-blooms chain")
	leave(t, out)
	says(out, 3, 3, "beside this report", "| swift single | ahead, 2× |")
	says(none, 0, 0, "There are no rows to show.")
	name := results.FileName(results.Peers)
	strategytest.Must(t, os.WriteFile(filepath.Join(out, results.PeersDir, name), []byte("no rows\n"), 0o600))
	says(out, 0, 0, "Nothing to show: ", name+": line 1")
}
