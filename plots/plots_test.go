package plots

import (
	"bytes"
	"hash/crc32"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// along is the dimension of rows in these tests.
var along = results.Dimension{Name: "x"}

// demo is an experiment of this test: its figure shows a panel of curves, and one of bars.
const demo = "demo"

var byX = results.Find(results.QFPR, along.Open())

var demoFigures = []Figure{
	{Name: "demo", Experiment: demo, Query: byX, Build: demoSheet},
	{Name: "beyond-demo", Experiment: demo, Query: byX, Strategies: Beyond, Build: demoSheet},
	{Name: "together", Experiment: demo, Query: byX, Strategies: All, Build: demoSheet},
	{
		Name: "ways", Experiment: "ways", Query: results.Find(results.QBits), Strategies: None,
		Build: func(Data) Sheet { return Sheet{} },
	},
	{
		Name: "broken", Experiment: "broken", Query: results.Find(results.QBits),
		Build: func(Data) Sheet { panic("a builder's fault") },
	},
}

func demoSheet(d Data) Sheet {
	curves := &Panel{
		Title: "(a) Curves", X: Axis{Label: "articles"}, Y: Axis{Scale: Log, Format: Number, Label: "rate"},
		Guides: []Guide{{At: 0.02, Label: "2 %"}, {At: 50, Label: "half", Vertical: true}},
	}
	bars := &Panel{Title: "(b) Bars", X: Axis{Format: Bytes}}
	bars.Y.Names = d.NamesIn(d.Find(byX))
	for i, g := range d.Find(byX) {
		s := Series{Look: d.Look(g.Strategy), Line: g.Theory(), Points: g.Points()}
		curves.Add(s)
		oneBar(bars, s.Look, bars.Place(i), float64(1000*i+1000))
		bars.Dots(s.Look, Point{bars.Place(i), 500, 400, 700})
	}
	curves.Add(Series{Look: PaperLook, Points: []Point{At(50, 0.02)}})
	return Sheet{Panels: []*Panel{curves, bars}, Columns: 2, Height: 120, Note: "Drawn from two strategies, at 95 %."}
}

// oneBar adds a bar with its value, as Bars does.
func oneBar(p *Panel, l Look, place, v float64) { p.bar(l, place, v, p.X.barLabel(v, "")) }

func demoRows() (rows []results.Row) {
	for i, strategy := range []string{"chain", "single", results.Beyond + "ring", results.Beyond + "mine"} {
		for x := 0.; x <= 100; x += 10 {
			v := 0.001 * x * float64(i)
			rows = append(rows, results.Row{
				Experiment: demo, Strategy: strategy, Quantity: results.QFPR, Where: results.Where(along.At(100 - x)),
				Value: results.Num(v), Low: results.Num(0.5 * v), High: results.Num(2 * v), Theory: results.Num(v),
			})
		}
	}
	return append(rows, results.Row{Experiment: "ways", Strategy: "a way", Quantity: results.QBits, Value: results.Num(1)})
}

// All that Draw writes and returns. Set DEJAVU_FIGURES to a directory to look at it.
func TestDraw(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "directory")
	if keep := os.Getenv("DEJAVU_FIGURES"); keep != "" {
		dir = keep
	}
	drawn, err := Draw(demoFigures, append(demoRows(), results.Row{Experiment: "broken", Quantity: results.QBits}), dir)
	strategytest.ErrorSays(t, "a broken figure", err, "figure broken: drawing: a builder's fault")
	reasons := []string{"", "", "", "too few numbers in the rows of experiment ways", "drawing: a builder's fault"}
	for i, f := range drawn {
		if f.Name != demoFigures[i].Name || f.Skipped != reasons[i] ||
			len(f.Files) != map[bool]int{true: 2}[reasons[i] == ""] {
			t.Errorf("%s: %d files, skipped %q, want %q", f.Name, len(f.Files), f.Skipped, reasons[i])
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 6 {
		t.Errorf("%d files, %v, want those of three figures", len(entries), err)
	}
	svg, err := os.ReadFile(drawn[0].Files[0])
	// Each text has a width, and no font of its own beside the figure's.
	texts, widths := bytes.Count(svg, []byte("<text ")), bytes.Count(svg, []byte(` textLength="`))
	if err != nil || texts < 10 || widths != texts || bytes.Count(svg, []byte("font-family")) != 1 ||
		!bytes.Contains(svg, []byte("</svg>")) {
		t.Errorf("of %d texts %d have a width, or the file is cut off: %v", texts, widths, err)
	}
	image := strategytest.Value(os.ReadFile(drawn[0].Files[1]))
	if config, err := png.DecodeConfig(bytes.NewReader(image)); err != nil || config.Width != 1440 {
		t.Errorf("got %d pixels, %v, want 1440", config.Width, err)
	}
	var again bytes.Buffer
	s, _, err := NewData(demoFigures, demoRows()).Lay(demoFigures[0])
	if err != nil || s.Write(&again, ".png") != nil || !bytes.Equal(again.Bytes(), image) {
		t.Errorf("two images of the same rows differ: %v", err)
	}
}

func TestNothingToDraw(t *testing.T) {
	dir := t.TempDir()
	drawn := strategytest.Value(Draw(demoFigures, nil, dir))
	for _, f := range drawn {
		if want := "no rows of experiment " + f.Experiment; !strings.HasPrefix(f.Skipped, want) || len(f.Files) != 0 {
			t.Errorf("%s: %d files, skipped %q from no rows, want %q", f.Name, len(f.Files), f.Skipped, want)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("%d files from no rows", len(entries))
	}
}

func TestDirectoryThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	strategytest.Must(t, os.WriteFile(file, nil, 0o644))
	strategytest.ErrorSays(t, "a file for a folder", strategytest.ErrorOf(Draw(demoFigures, demoRows(), file)), file)
}

func TestFormatThatIsNone(t *testing.T) {
	s, _, _ := NewData(demoFigures, demoRows()).Lay(demoFigures[0])
	strategytest.ErrorSays(t, "a format that there is not", s.Write(new(bytes.Buffer), ".pdf"), ".pdf")
}

// Each figure sees the strategies it chose, by their short names, in the order of the legend, and their rows by x.
func TestStrategiesOfAFigure(t *testing.T) {
	all := NewData(demoFigures, demoRows())
	for _, c := range []struct {
		strategies Strategies
		want       []string
	}{
		{Paper, []string{"single", "chain"}},
		{Beyond, []string{"ring", "mine"}},
		{All, []string{"single", "chain", "ring", "mine"}},
		{None, []string{"chain", "single", "ring", "mine"}},
	} {
		d := all
		d.figure = Figure{Experiment: demo, Strategies: c.strategies}
		var got []string
		for _, g := range d.Find(byX) {
			got = append(got, g.Strategy)
		}
		strategytest.EqualSlices(t, got, c.want, "choice %d", c.strategies)
		points := d.Find(byX).Of(c.want[1]).Points()
		if len(points) != 11 || !slices.IsSortedFunc(points, func(a, b Point) int { return int(a.X - b.X) }) {
			t.Errorf("choice %d: the points are %v", c.strategies, points)
		}
		if names := d.NamesIn(d.Find(byX)); c.strategies != None && !slices.Equal(names, c.want) {
			t.Errorf("choice %d: names %q, want %q", c.strategies, names, c.want)
		}
		other := d.Find(results.Find(results.QBits).In("ways"))
		strategytest.Equal(t, len(other), map[bool]int{true: 1}[c.strategies != Beyond],
			"choice %d: groups of another experiment", c.strategies)
	}
}

// Names are in the order of the legend, each once, whichever quantity has them.
func TestNamesOfSeveralQuantities(t *testing.T) {
	d := NewData(nil, []results.Row{
		{Strategy: "chain", Quantity: "first"},
		{Strategy: "single", Quantity: "second"},
		{Strategy: "chain", Quantity: "second"},
		{Strategy: "queue", Quantity: "second"},
	})
	if got := d.NamesIn(d.Find(results.Find("first")), d.Find(results.Find("second"))); !slices.Equal(got,
		[]string{"queue", "single", "chain"}) {
		t.Errorf("the names are %q", got)
	}
}

// A method or a library is not a strategy: it must not take a look from one.
func TestWaysTakeNoLook(t *testing.T) {
	mine := []results.Row{{Experiment: demo, Strategy: "mine"}}
	alone, beside := NewData(demoFigures, mine), NewData(demoFigures, append(demoRows(), mine...))
	if a, b := alone.Look("mine"), beside.Look("mine"); a.Color != b.Color || a.Mark != b.Mark ||
		len(alone.palette) != len(beside.palette) {
		t.Errorf("mine looks %+v alone, %+v beside ways", a, b)
	}
	if l := beside.Look("a way"); l.Name != "a way" || l.Color != Grey {
		t.Errorf("a way looks %+v, want grey", l)
	}
}

// Rows of a strategy are in the order of x; one without x is not found.
func TestRowsOfAGroup(t *testing.T) {
	var rows []results.Row
	for _, x := range []results.Number{results.Num(0), {}, results.Num(-5), results.Num(3)} {
		rows = append(rows,
			results.Row{Strategy: "chain", Quantity: "q", Where: results.Where(along.Is(x.String())), Value: x})
	}
	got := NewData(nil, rows).Find(results.Find("q", along.Open()))
	if len(got) != 1 || !slices.Equal(got[0].Points(), []Point{At(-5, -5), At(0, 0), At(3, 3)}) {
		t.Errorf("%+v", got)
	}
}

// A total is the first row's with a number, if the query left nothing open.
func TestTotal(t *testing.T) {
	row := func(value, theory results.Number) results.Row {
		return results.Row{Value: value, Theory: theory, Low: results.Num(1), High: results.Num(9)}
	}
	none, two, three := results.Number{}, results.Num(2), results.Num(3)
	for _, c := range []struct {
		group Group
		want  Point
		ok    bool
	}{
		{Group{Rows: []results.Row{row(two, three)}}, Point{0, 2, 1, 9}, true},
		{Group{Rows: []results.Row{row(none, three)}}, At(0, 3), true},
		{Group{Rows: []results.Row{row(none, none), row(three, none)}}, Point{0, 3, 1, 9}, true},
		{Group{Rows: []results.Row{row(two, two)}, along: results.Dimension{Name: "day"}}, Point{}, false},
	} {
		if p, ok := c.group.Total(); ok != c.ok || ok && p != c.want {
			t.Errorf("%+v: got %v, %v, want %v, %v", c.group, p, ok, c.want, c.ok)
		}
	}
}

// What cannot be drawn is dropped; a sheet has no empty panels, and is no wider than necessary.
func TestAddAndSettle(t *testing.T) {
	var empty, full Panel
	empty.Add(Series{Line: []Point{At(1, math.NaN())}, Points: []Point{At(math.Inf(1), 1), At(1, 1e31)}})
	full.Add(Series{Points: []Point{At(1, 2), At(math.Inf(-1), 1)}})
	if len(empty.Series) != 0 || len(full.Series) != 1 || !slices.Equal(full.Series[0].Points, []Point{At(1, 2)}) {
		t.Errorf("kept %v of what cannot be drawn, %v of the other", empty.Series, full.Series)
	}
	one := Sheet{Panels: []*Panel{&empty, &full}, Columns: 3}
	if one.settle(); one.Columns != 1 || !slices.Equal(one.Panels, []*Panel{&full}) {
		t.Errorf("the sheet is %v, want the one full panel", one)
	}
	three := Sheet{Panels: []*Panel{&full, &full, &full}, Columns: 2}
	if rows, free := three.rows(); rows != 2 || free != 1 {
		t.Errorf("%d rows, %d places free, want a row of two and a row of one", rows, free)
	}
}

func TestStrangersGetALookOfTheirOwn(t *testing.T) {
	p := newPalette([]string{"zeta", "queue", "alpha", "", "alpha"})
	if got := p[len(looks):]; len(got) != 2 || got[0].strategy != "alpha" || got[1].strategy != "zeta" {
		t.Fatalf("got %v behind the known strategies, want alpha and zeta", got)
	}
	for i, a := range p {
		for _, b := range p[i+1:] {
			if a.Color == b.Color && a.Mark == b.Mark {
				t.Errorf("%s and %s look the same", a.strategy, b.strategy)
			}
		}
	}
	// The order of the rows must not affect colours.
	q := newPalette([]string{"alpha", "zeta"})
	if p[p.place("zeta")].Color != q[q.place("zeta")].Color {
		t.Error("a strategy changed its colour with the order of the rows")
	}
}

func TestVariant(t *testing.T) {
	names := []string{"queue", "chain", "chain-sized", "chained"}
	for _, name := range names {
		strategytest.Equal(t, Variant(name, names), name == "chain-sized", "%s: variant", name)
	}
}

// A line may break before a number, not between it and its per cent, and joined lines are the text.
func TestWrapKeepsPerCent(t *testing.T) {
	sty := textStyle(noteSize, mute)
	const s = "Whiskers: 95 %. Of all users 12 % come back, and the rest at 100 %"
	cut := 0
	for width := sty.Width("Whiskers:"); width < sty.Width(s); width++ {
		lines := wrap(s, sty, width)
		if got := strings.Join(lines, " "); got != s {
			t.Fatalf("at %v: %q, want the words of %q", width, got, s)
		}
		if slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, "%") }) {
			t.Errorf("at %v: %q, want no line that begins with its per cent", width, lines)
		}
		cut = max(cut, len(lines))
	}
	if cut < 4 {
		t.Errorf("at most %d lines: nothing was broken", cut)
	}
}

// A sheet with one of everything is drawn as before. If a change of the drawing is meant, write the new checksums
// here.
func TestDrawingIsFrozen(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("other processors round differently")
	}
	curves := &Panel{
		Title: "(a) A title of curves that a telephone breaks", X: Axis{Label: "articles", Format: Bytes},
		Y: Axis{Scale: Log, Min: 1e-4, Max: 10, Format: Number, Label: "rate"}, Direct: true, Ends: "at the end",
		Guides: []Guide{{0.02, "2 %", false, Color{}}, {1e-9, "near none", false, Wine}, {50, "half", true, Color{}}},
	}
	bars := &Panel{Title: "(b) Bars", X: Axis{Max: 70, Format: Bytes, ShowValues: true, Least: true}}
	for i, look := range looks {
		v := float64(i*i) / 1000
		points := []Point{{10, v, v / 2, v * 2}, At(20, 4*v), At(30, v*v), {90, 2 * v, v, v * 3}}
		curves.Add(Series{
			Look: look, Line: points, Points: points, Join: i%5 == 1, Rising: i%5 == 3, Unnamed: i%5 == 4,
		})
		bars.Y.Names = append(bars.Y.Names, look.Name)
	}
	for i, look := range looks {
		oneBar(bars, look, bars.Place(i), float64(i*i%60)+1)
		bars.Dots(look.With(look.Mark.Large()), Point{bars.Place(i), float64(i * 5), float64(i), float64(i * 6)})
	}
	bars.Endless(looks[1].Hollow(), bars.Place(0), "endless")
	many := &Panel{Title: "(c) Names", X: Axis{Blank: true}, Y: Axis{Blank: true, Min: 1, Max: 5, Format: Percent}}
	many.Add(Series{Look: PaperLook, Points: Thin(ByBin([]Point{At(0, 1), At(1, 2), At(2, 3), At(4, 4), At(8, 9)}), 3)})
	many.Add(Series{Look: looks[2], Join: true, Points: FewDays([]Point{At(7, 2), At(8, 3), At(9, 4), At(10, 5)})})
	s := Sheet{Title: "Everything", Panels: []*Panel{curves, bars, many}, Columns: 2, Height: 250, Note: "A note."}
	// The narrow form, a panel a row, leaves the wide one as it is.
	for want, s := range map[uint32]Sheet{2403399134: s, 1493984172: s.Narrow()} {
		var svg bytes.Buffer
		strategytest.Must(t, s.Write(&svg, ".svg"))
		strategytest.Equal(t, crc32.ChecksumIEEE(svg.Bytes()), want, "the checksum of %d columns", s.Columns)
	}
}

// Sheets drawn at random are drawn as before. In the fixed sheet above hardly anything is outermost, alone or missing.
func TestDrawnSheetsAreFrozen(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("other processors round differently")
	}
	sum := crc32.NewIEEE()
	for n := range 40 {
		s := drawSheet(rand.New(rand.NewPCG(uint64(n), 1)))
		if s.settle(); len(s.Panels) == 0 {
			continue
		}
		strategytest.Must(t, s.Write(sum, ".svg"))
		strategytest.Must(t, s.Narrow().Write(sum, ".svg"))
	}
	strategytest.Equal(t, sum.Sum32(), 1422419163, "the checksum of drawn sheets")
}

func drawSheet(r *rand.Rand) Sheet {
	one := func() bool { return r.IntN(2) == 0 }
	words := func() string { return strings.Repeat("some words ", r.IntN(5)) }
	look := func() Look { return looks[r.IntN(12)] }
	number := func() float64 { return math.Round(math.Pow(10, 4*r.Float64()-2)*1000) / 1000 }
	axis := func() Axis {
		a := Axis{Label: words(), Scale: Scale(r.IntN(2)), Blank: r.IntN(4) == 0, Labels: r.IntN(4) * 2, ShowValues: one()}
		if r.IntN(3) == 0 {
			a.Min = number()
			a.Max = a.Min * (1 + number())
		}
		return a
	}
	s := Sheet{Title: words(), Note: words(), Columns: 1 + r.IntN(3), Height: float64(100 + r.IntN(100))}
	for range 1 + r.IntN(3) {
		p := &Panel{Title: words(), X: axis(), Y: axis(), Direct: one(), Ends: words()}
		for range r.IntN(3) {
			p.Guides = append(p.Guides, Guide{number() * number(), words(), one(), look().Color})
		}
		named := r.IntN(3) == 0
		if named {
			p.Y, p.X.Least, p.X.Most = Axis{Blank: one()}, one(), one()
			p.Y.Names = slices.Repeat([]string{"a name"}, 1+r.IntN(6))
		}
		for i := range 1 + r.IntN(4) {
			l := look()
			if i %= max(len(p.Y.Names), 1); named {
				oneBar(p, l, p.Place(i), number())
				p.Dots(l, Point{p.Place(i), number(), number() / 2, number() + 1})
				continue
			}
			var points []Point
			for range r.IntN(4) {
				points = append(points, Point{number(), number(), number() / 2, number() + 1})
			}
			p.Add(Series{Look: l, Line: points[len(points)/2:], Points: points, Rising: one(), Join: one(), Unnamed: one()})
		}
		s.Panels = append(s.Panels, p)
	}
	return s
}

// Functions that figures share: series with the first theory found, without variants, and bars of ranked strategies
// with the paper's values.
func TestSeriesAndBars(t *testing.T) {
	var rows []results.Row
	for i, name := range []string{"queue", "dual", "dual-variant", results.Beyond + "ring"} {
		r := results.Row{Experiment: demo, Strategy: name, Quantity: "window", Paper: results.Num(4)}
		r.Value = results.Num(float64(9 - i))
		rows = append(rows, r)
		r.Quantity, r.Theory = results.QFPR, results.Num(float64(i))
		rows = append(rows, r.With(along.At(1)), r.With(along.At(2)))
	}
	d := NewData(demoFigures, rows)
	d.figure = demoFigures[0]
	all := d.Series(byX, results.Find("gone", along.Open()), byX)
	if len(all) != 3 || len(all[1].Points) != 2 || all[1].Strategy != "dual" ||
		!slices.Equal(all[1].Line, []Point{At(1, 1), At(2, 1)}) {
		t.Errorf("series: %+v", all)
	}
	if some := Unvaried(all); len(some) != 2 || some[0].Strategy != "queue" || some[1].Strategy != "dual" {
		t.Errorf("without variants: %+v", some)
	}
	joined := d.Joined(byX.Of("dual"), PaperLook)
	if len(joined) != 1 || !joined[0].Join || joined[0].Look.Name != PaperLook.Name {
		t.Errorf("joined: %+v", joined)
	}
	window := results.Find("window")
	p := (&Panel{X: Axis{ShowValues: true}}).Bars(d.Ranked(window, "queue", "dual"), d.Find(window), d.Solid)
	strategytest.EqualSlices(t, p.Y.Names, []string{"Dual filter", "Queue"}, "places are named")
	if s := p.Series[1]; s.bars[0] != At(0, 9) || s.label != "9 (4)" {
		t.Errorf("the queue's bar is %+v, and says %q", s.bars, s.label)
	}
	for _, g := range d.Find(window).Plus(d.Find(window)) {
		strategytest.Equal(t, g.Points()[0].Y, 2*d.Find(window).Of(g.Strategy).Points()[0].Y, "%s, twice", g.Strategy)
	}
	if a := ActivityAxis("shown", d.Find(byX)); a.Min != -0.5 || a.Max != 1.5 {
		t.Errorf("the axis of the bins 1 and 2 is %+v", a)
	}
	few := all[1].Change(func(points []Point) []Point { return Within(points, 1) })
	strategytest.EqualSlices(t, few.Line, []Point{At(1, 1)}, "the line up to 1")
	if n := len(d.Ranked(window)); n != 3 {
		t.Errorf("%d places without names, want one for each strategy of the paper", n)
	}
}
