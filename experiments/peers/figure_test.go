package peers

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"dejavu/experiments/experiment"
	"dejavu/experiments/golden"
	"dejavu/experiments/peers/standing"
	"dejavu/experiments/roomtest"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
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
	for i, name := range []string{standing.Ours, "bloomy", hashless} {
		for k, m := range standing.Shapes {
			rows = append(rows, rate(name, m.Name, 0.0202*(1+0.05*float64(i*i*k)), 0.0002))
		}
	}
	million := by.Users.At(1e6)
	for k, kind := range []string{"single", "dual", "chain"} {
		for i, name := range []string{
			standing.OurName(kind), standing.Name("bloomy", kind), standing.Name(hashless, kind),
		} {
			if kind == "dual" && i == 2 {
				continue
			}
			for q, m := range standing.Timed {
				rows = append(rows, row(name, m.Query, 5.125, 5, 5.25))
				if v := 10 * float64(i+k+q+1); i > 0 {
					rows = append(rows, row(name, standing.Over(m.Query), v, 0.9*v, 1.2*v))
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

// What is drawn stands where the rows say: a panel a question, a line a library, each
// strategy's quotient with its interval, and ours at one.
func TestPeersPlaces(t *testing.T) {
	d := plots.NewData(Figures, syntheticPeers())
	s, reason, err := d.Lay(Figures[0])
	if err != nil || reason != "" || len(s.Grid) != 2 {
		t.Fatalf("%d rows of panels, %s, %v", len(s.Grid), reason, err)
	}
	unseen, records, memory := s.Grid[0][0], s.Grid[1][1], s.Grid[1][2]
	if want := []string{"bloomy", "the hashless\nlibrary (Rust)"}; !slices.Equal(unseen.Y.Names, want) ||
		!slices.Equal(memory.Y.Names, want) {
		t.Errorf("names are %q and %q", unseen.Y.Names, memory.Y.Names)
	}
	for _, p := range slices.Concat(s.Grid...) {
		if len(p.Guides) != 1 || p.Guides[0].At != 1 {
			t.Errorf("%s has the guides %v, want one at 1", p.Title, p.Guides)
		}
	}
	if len(unseen.Series) != 3 || unseen.Title != "(a) Unseen candidate" ||
		unseen.X.Label != "times ours (5.12 / 5.12 / 5.12 ns)" {
		t.Fatalf("%d strategies in %q, %q", len(unseen.Series), unseen.Title, unseen.X.Label)
	}
	single, dual := unseen.Series[0].Points, records.Series[1].Points
	if len(single) != 2 || single[1].Y != 30 || single[1].Low != 27 || single[1].High != 36 {
		t.Errorf("unseen candidates are at %+v", single)
	}
	if math.Round(single[0].X) != 1 || math.Round(single[1].X) != 0 || single[0].X <= unseen.Series[1].Points[0].X {
		t.Errorf("the places are %v and %v from the bottom, want 1 and 0, and the dual filter's below", single[0].X,
			single[1].X)
	}
	if len(dual) != 1 || dual[0].Y != 70 {
		t.Errorf("records of the dual filter are at %+v", dual)
	}
	// Memory is over ours: with garbage first, and live bytes.
	if goal, live := memory.Series[0].Points, memory.Series[1].Points; math.Abs(goal[0].Y-600./520) > 1e-9 ||
		live[0].Y != goal[0].Y {
		t.Errorf("bytes are at %+v and %+v", goal, live)
	}
	hollow, full := d.Look("single").Hollow(), d.Look("single")
	if a, b := memory.Series[0].Look.Mark, memory.Series[1].Look.Mark; !reflect.DeepEqual(a, hollow.Mark) ||
		!reflect.DeepEqual(b, full.Mark) {
		t.Errorf("marks of memory are %v and %v", a, b)
	}
	if unseen.Y.Blank || !s.Grid[0][1].Y.Blank || !memory.Y.Blank {
		t.Error("the libraries' names stand not beside the first panel of a row alone")
	}
	// Candidates share their axis, and so do records.
	if a, b := unseen.X, s.Grid[0][2].X; a.Min != b.Min || a.Max != b.Max {
		t.Errorf("candidates: %v to %v in one panel, %v to %v in another", a.Min, a.Max, b.Min, b.Max)
	}
	if records.X.Max <= 108 ||
		records.X.Max > 140 { // no whole decades: the largest quotient is 90, its interval reaches to 108
		t.Errorf("records reach to %v", records.X.Max)
	}

	s, _, err = d.Lay(Figures[1])
	if err != nil {
		t.Fatal(err)
	}
	last := s.Grid[0][3].Series[0].Points
	if theirs := last[2]; math.Abs(theirs.Y-(0.0202*1.6/0.02026848-1)) > 1e-9 {
		t.Errorf("the error on URL keys is %v", theirs.Y)
	}
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
		if r.Strategy == standing.OurName("chain") && r.Quantity == results.QBytesPerUser ||
			r.Strategy == "bloomy single" && r.Quantity == results.QTimeRatio {
			rows[i].Value = results.Num(0)
		}
	}
	s, _, err := plots.NewData(Figures, rows).Lay(Figures[0])
	if err != nil {
		t.Fatal(err)
	}
	if n := len(s.Grid[0][0].Series[0].Points); n != 1 {
		t.Errorf("%d libraries have a time, want one", n)
	}
	if n := len(s.Grid[1][2].Series); n != 5 { // of three strategies with garbage, and of two without
		t.Errorf("%d lines of memory, want 5", n)
	}
}

// A library from which not all strategies are built stands behind the one before it.
func TestBuilt(t *testing.T) {
	var rows []results.Row
	for _, name := range []string{
		standing.OurName("single"), standing.Name("a", "single"), standing.Name("c", "single"),
		standing.OurName("chain"), standing.Name("a", "chain"), standing.Name("b", "chain"), standing.Name("c", "chain"),
	} {
		rows = append(rows, results.Row{Experiment: results.Peers, Strategy: name})
	}
	if got := built(standing.NewRows(rows)); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("the libraries are %q", got)
	}
}

func TestPeersWithoutTimes(t *testing.T) {
	rows := slices.DeleteFunc(syntheticPeers(), func(r results.Row) bool {
		return r.Quantity == results.QTimeRatio
	})
	if _, reason, _ := plots.NewData(Figures, rows).Lay(Figures[0]); !strings.Contains(reason,
		"no rows of experiment peers") {
		t.Errorf("the reason is %q", reason)
	}
}

// The figures as they are laid out, and of a part of the rows.
func TestGolden(t *testing.T) {
	static := "a static one"
	rows := append(syntheticPeers(),
		row(static, results.Find(results.QStatic, by.Bits.At(4064)), 1),
		rate(static, "random", 0.01, 0.005),
		row(standing.Name(static, "single"), standing.Over(standing.Timed[0].Query), 0.5, 0.25, 1))
	x := experiment.Experiment{Name: results.Peers, Figures: Figures}
	golden.File(t, "peers.golden", roomtest.Text(t, x, rows, nil))
}

// Names keep to two lines of sixteen letters.
func TestFolded(t *testing.T) {
	for name, want := range map[string]string{
		"sixteen letters ": "sixteen letters ", "a": "a",
		"seventeen letters":                    "seventeen\nletters",
		"a wordofseventeenletters":             "a wordofseventee\nnletters",
		"eight ch and the sixteenth b":         "eight ch\nand the sixteen…",
		"onewordthatgoeson andthenanotherword": "onewordthatgoeso\nn andthenanothe…",
		"thirteenchars andsixteenletter":       "thirteenchars\nandsixteenletter",
	} {
		if got := folded([]string{name}); fmt.Sprint(got) != fmt.Sprint([]string{want}) {
			t.Errorf("%q is folded to %q, want %q", name, got, want)
		}
	}
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
