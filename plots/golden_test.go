package plots

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"dejavu/experiments/golden"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// rows are of strategies known and unknown, with all that figures look for.
func rows() (all []results.Row) {
	for i, strategy := range []string{"chain", "single", "queue", results.Beyond + "ring", results.Beyond + "a newcomer"} {
		add := func(quantity string, x, value, theory results.Number, spread float64) {
			r := results.Row{
				Experiment: "demo", Strategy: strategy, Quantity: quantity,
				Where: results.Where(along.Is(x.String())), Value: value, Theory: theory,
			}
			if v, ok := value.Get(); ok && spread > 0 {
				r.Low, r.High = results.Num(v/spread), results.Num(v*spread)
			}
			if quantity == results.QFPR && x == results.Num(20) {
				r.Paper = results.Num(0.0156)
			}
			all = append(all, r)
		}
		for x := range 30 {
			v := float64(i*x) / 4096
			add(results.QFPR, results.Num(float64(10*x)), results.Num(v), results.Num(v*1.25), 1.5)
		}
		for x := range 60 {
			add("dense", results.Num(float64(5*x)), results.Number{}, results.Num(float64((i+1)*x)/8192), 0)
		}
		for _, x := range []float64{-3, 0, 1, 8, 1024} {
			add("by activity", results.Num(x), results.Num(0.25+float64(i)/8), results.Number{}, 1.25)
		}
		add(results.QPayloadPerUser, results.Number{}, results.Num(float64(400+100*i)), results.Number{}, 1.125)
		add(results.QBits, results.Number{}, results.Number{}, results.Num(float64(40+10*i)), 0)
	}
	return all
}

// everything has a panel of each kind, and a series of each manner.
func everything(d Data) Sheet {
	curves := &Panel{
		Title:  "(a) Decades, with zeros",
		X:      Axis{Label: "articles shown"},
		Y:      Axis{Scale: Log, Format: Power, Label: "rate in 10^{−3}"},
		Guides: []Guide{{At: 0.02, Label: "2 %"}, {At: 0.021, Label: "2.1 %"}, {At: 100, Label: "a change", Vertical: true}},
	}
	linear := &Panel{
		Title: "(b) Linear", X: Axis{Label: "from −50", Min: -50, Max: 310, Labels: 4}, Y: Axis{Format: Percent},
		Guides: []Guide{{At: 0.01, Label: "one per cent"}},
	}
	dense := d.Find(results.Find("dense", along.Open()))
	for i, g := range d.Find(byX) {
		s := Series{Look: d.Look(g.Strategy), Line: dense.Of(g.Strategy).Theory(), Points: g.Points()}
		curves.Add(s)
		s.Step, s.Join, s.Bare, s.Unnamed = i == 0, i == 1, i == 2, i == 3
		s.Points = Thin(s.Points, 7)
		linear.Add(s)
	}
	linear.Add(Series{Look: PaperLook, Points: d.Find(byX)[0].Stated()})

	names := d.NamesIn(d.Find(results.Find(results.QPayloadPerUser)))
	bars := &Panel{Title: "(c) Bars", X: Axis{Format: Bytes, Label: "bytes", Told: true, Most: true}}
	decades := &Panel{Title: "(d) Sideways", X: Axis{Scale: Log, Format: Duration, Labels: 3}}
	differences := &Panel{
		Title: "(e) Differences", X: Axis{Min: -0.4, Max: 0.2, Format: Percent, Labels: 3},
		Guides: []Guide{{At: 0, Vertical: true, Label: "exact"}},
	}
	bars.Y.Names, decades.Y.Names, differences.Y.Names = names, names, names
	decades.Y.Blank, differences.Y.Blank = true, true
	for i, g := range d.Find(results.Find(results.QPayloadPerUser)) {
		look, place := d.Look(g.Strategy), bars.Place(i)
		total, _ := g.Total()
		bars.Bar(look.Hollow(), place, total.Y)
		bars.Dots(look.Solid(), Point{X: place + 0.2, Y: total.Y, Low: total.Low, High: total.High})
		decades.Dots(look,
			Point{X: place, Y: math.Exp2(float64(5 * i)), Low: math.Exp2(float64(5*i) - 1), High: math.Exp2(float64(5*i) + 2)},
			Point{X: place + 0.25, High: 3}, At(place-0.25, 1e-40))
		differences.Dots(look,
			Point{X: place, Y: float64(i-2) / 8, Low: float64(i-2)/8 - 0.0625, High: float64(i-2)/8 + 0.125})
	}

	users := results.Find("by activity", along.Open())
	axis := ActivityAxis("articles of a user", d.Find(users))
	activity := &Panel{Title: "(f) By activity", X: axis, Y: Axis{Max: 1}}
	for _, g := range d.Find(users) {
		activity.Add(Series{Look: d.Look(g.Strategy), Points: ByBin(g.Points()), Join: true})
	}
	tight := &Panel{Title: "(g) Tight", X: Axis{Scale: Log, Format: Number}, Y: Axis{Scale: Log, Format: Multiple}}
	tight.Add(Series{
		Look: d.Look("nobody"), Points: []Point{At(20, 2), At(60, 5)},
		Line: []Point{At(20, 0), At(60, 0)},
	})
	tight.TightX()

	marks := []Look{PaperLook}
	for i, name := range strings.Fields("circle ring square diamond up down pentagon hexagon cross plus") {
		look := Look{Name: fmt.Sprintf("mark %d of a long name", i), Color: Purple}
		if err := look.Mark.UnmarshalText([]byte(name)); err != nil {
			panic(err)
		}
		marks = append(marks, look)
	}
	for i, m := range marks {
		tight.Add(Series{Look: m, Points: []Point{At(20+4*float64(i), 3)}})
	}
	return Sheet{
		Panels: []*Panel{curves, linear, bars, {}, decades, differences, activity, tight}, Columns: 3, Height: 130,
		Note: "Marks are measured, at 95 %, and lines are computed. A note that is so long that the page has no room for " +
			"it in one line goes on in the next one, and 12 % of it do so here.",
	}
}

// edges has what lies at the end of an axis and beyond it, or is as wide as the page.
func edges(Data) Sheet {
	first := Look{Name: "a name so long that nothing has room beside it on the page, and so all the others stand in the " +
		"lines below it, as they must", Color: Blue}
	p := &Panel{
		Title: "at the ends",
		X:     Axis{Scale: Log, Min: 1, Max: 100, Label: " "}, Y: Axis{Scale: Log, Min: 0.01, Max: 1},
	}
	p.Add(Series{Look: first, Line: []Point{At(0.5, 0.5), At(1, 0.01), At(10, 0.02), At(100, 0.001)}},
		Series{
			Look: Look{Name: "two", Color: Black, Dash: Dash{3, 1}}, Line: []Point{At(1, 0.1), At(100, 1)},
			Points: []Point{
				At(1, 1), At(100, 0.01), At(101, 0.5), At(50, 1.1),
				{X: 20, Y: 0.5, Low: 0.001, High: 2},
				{X: 30, Y: 0.0001, Low: 0.00001, High: 0.5},
				{X: 40, Y: 0.5, Low: 0.5, High: 0.5},
				{X: 60, Y: 0.5, Low: 0.49, High: 0.51},
				{X: 70, Y: 0.01, Low: 0.005, High: 0.05},
			},
		},
		Series{Look: Look{Name: "one", Color: Green}, Line: []Point{At(10, 0.3)}, Points: []Point{At(10, 0.2)}, Join: true})
	q := &Panel{
		Title: "all of it", X: Axis{Min: 0, Max: 10}, Y: Axis{Min: -1, Max: 1},
		Guides: []Guide{{At: -0.5, Label: "low"}, {At: 0.5, Label: "high"}, {At: 0.45, Label: "next"}},
	}
	q.Add(Series{Look: first, Points: []Point{At(10, 1), At(0, -1), At(10.001, 0), At(5, -1.001)}})
	return Sheet{Panels: []*Panel{p, q}, Columns: 1, Height: 80}
}

// allLooks has every look there is, with a line and a mark, and those of strangers until they begin again.
func allLooks(d Data) Sheet {
	p := &Panel{Y: Axis{Max: 80}}
	for i, name := range d.NamesIn(d.Find(results.Find("look"))) {
		y := float64(i)
		p.Add(Series{Look: d.Look(name), Line: []Point{At(0, y), At(1, y)}, Points: []Point{At(0.5, y)}})
	}
	return Sheet{Panels: []*Panel{p}, Columns: 1, Height: 500}
}

// standAlone has what nothing else on the page makes room for: bars beside no curve, guides and labels beyond the
// data, a name for which there is no room, one that a line and a mark share, and text of two lines.
func standAlone(d Data) Sheet {
	one, two := d.Look("single"), d.Look("queue")
	const wide = "a name as long as the page is wide, so that nothing at all is left of it for data, and data are drawn " +
		"nevertheless"
	bars := &Panel{Title: "bars", X: Axis{Scale: Log}, Y: Axis{Names: []string{wide, "b"}}}
	bars.Bar(one, bars.Place(0), 300)
	bars.Bar(one, bars.Place(1), 0)
	bars.Dots(two.Hollow(), Point{X: bars.Place(0), Y: 20, Low: 10, High: 21})
	guides := &Panel{
		X: Axis{Label: "articles\nin two lines"},
		Guides: []Guide{
			{At: 12, Label: "a guide above the data"},
			{At: -3, Label: "below"},
			{At: -3.1, Label: "just below"},
			{At: -2.9, Label: "just above"},
			{At: 9, Vertical: true, Label: "a guide to the right of all data"},
			{At: -4, Vertical: true, Label: "one to the left"},
		},
	}
	guides.Add(Series{Look: one, Points: []Point{At(1, 2)}}, Series{Look: two, Line: []Point{At(1, 2), At(3, 4)}})
	more := &Panel{}
	more.Add(Series{Look: one, Points: []Point{At(1, 2), At(2, 1)}, Join: true},
		Series{Look: two, Points: []Point{At(3, 2)}})
	return Sheet{Panels: []*Panel{bars, guides, more}, Columns: 1, Height: 60}
}

// named has names at the ends of lines, keys under titles, and a place that is free for the
// legend and the note.
func named(d Data) Sheet {
	var panels []*Panel
	for i, title := range []string{"two ends", "one end, and a key", "no end"} {
		p := &Panel{
			Title: title, Direct: i < 2, X: Axis{Min: 1, Max: 100, Scale: Log, Label: "articles"},
			Y:      Axis{Max: 1, Label: "rate"},
			Guides: []Guide{{At: 0.3, Label: "a guide"}},
		}
		for j, name := range []string{"single", "chain", "queue"}[i:] {
			p.Add(Series{Look: d.Look(name), Line: []Point{At(1, 0.1*float64(j)), At(100, 0.8-0.05*float64(j))}})
		}
		if i == 1 {
			p.Key = []Look{PaperLook, d.Look("dual").Hollow()}
		}
		panels = append(panels, p)
	}
	return Sheet{
		Panels: panels, Columns: 2, Height: 130, Note: "A note that stands where there is room for it.",
	}
}

var (
	manyStrokes = regexp.MustCompile(`<path d="[^"]{300,}"`)
	image       = regexp.MustCompile(`(?s)<svg.*`)
)

// declared has a panel for each strategy.
func declared(t *testing.T) Figure {
	var d Declaration
	_, err := toml.Decode(`
name = "each"
title = "Each"
caption = "A panel for each strategy."
query = "fpr at x=*"
columns = 3
shared = true
height = 90
[[panels]]
each = true
y = {label = "rate"}
series = [{marks = "fpr at x=*", lines = ["gone at x=*", "dense at x=*", "fpr at x=*"], thin = 21, unnamed = true}]
`, &d)
	strategytest.Must(t, err)
	return d.Of("demo", nil)
}

// Figures as they are drawn. A letter, or a mark, of many strokes is a digest: look at
// the figure with DEJAVU_FIGURES (TestDraw) or in plots/reference.
func TestGolden(t *testing.T) {
	var b bytes.Buffer
	figures := []Figure{
		{Name: "everything", Experiment: "demo", Query: byX, Strategies: All, Build: everything},
		{Name: "edges", Experiment: "demo", Query: byX, Build: edges},
		declared(t),
		{Name: "looks", Experiment: "demo", Query: results.Find("look"), Strategies: All, Build: allLooks},
		{Name: "alone", Experiment: "demo", Query: byX, Strategies: All, Build: standAlone},
		{Name: "named", Title: "A title", Experiment: "demo", Query: byX, Strategies: All, Build: named},
		{
			Name: "theory", Experiment: "demo", Query: results.Find(results.QBits), Strategies: Beyond,
			Build: func(d Data) Sheet {
				var p Panel
				for i, g := range d.Find(results.Find(results.QBits)) {
					total, _ := g.Total()
					p.Add(Series{Look: d.Look(g.Strategy), Points: []Point{At(float64(i), total.Y)}})
				}
				return Sheet{Panels: []*Panel{&p}, Columns: 3, Height: 90}
			},
		},
	}
	all := rows()
	for _, l := range looks {
		all = append(all, results.Row{Experiment: "demo", Strategy: l.strategy, Quantity: "look"})
	}
	for i := range 36 {
		all = append(all, results.Row{Experiment: "demo", Strategy: fmt.Sprintf("stranger %02d", i), Quantity: "look"})
	}
	d := NewData(figures, all)
	for _, f := range figures {
		s, reason, err := d.Lay(f)
		if err != nil || reason != "" {
			t.Fatal(reason, err)
		}
		var svg bytes.Buffer
		strategytest.Must(t, s.Write(&svg, ".svg"))
		fmt.Fprintf(&b, "%s\n%s\n", f.Name, manyStrokes.ReplaceAllFunc(image.Find(svg.Bytes()), func(path []byte) []byte {
			sum := sha256.Sum256(path)
			return fmt.Appendf(slices.Clone(path[:40]), "... %x\"", sum[:4])
		}))
	}
	golden.File(t, "figures.golden", b.String())
}

func TestFormats(t *testing.T) {
	for _, c := range []struct {
		format func(float64) string
		of     map[float64]string
	}{
		{Number, map[float64]string{
			0: "0", 1e-4: "0.0001", 9.9e-5: "9.9e−05", 9999999: "9999999", 1e7: "1e+07",
			-2.5: "−2.5", -1e7: "−1e+07",
		}},
		{Percent, map[float64]string{0: "0 %", -0.015: "−1.5 %", 1: "100 %"}},
		{Power, map[float64]string{1: "10^{0}", 1e-8: "10^{−8}", 0.003: "3·10^{−3}", 1000: "10^{3}"}},
		{Multiple, map[float64]string{2.5: "2.5×"}},
		{Duration, map[float64]string{
			999.4: "999.4 ns", 1234.6: "1.235 µs", 999.5: "0.9995 µs", 5e6: "5 ms", 2e12: "2000 s",
			-5e3: "−5 µs",
		}},
		{Bytes, map[float64]string{508: "508 B", 4e10: "40 GB", 3e15: "3 PB", 3e18: "3000 PB"}},
		{Count, map[float64]string{508: "508", 2e5: "200 thousand", 1e7: "10 million", 2e12: "2000 billion"}},
		{PowerOfTwo, map[float64]string{-1: "0", 0: "1", 10: "1024", 0.5: "", -0.5: ""}},
	} {
		for v, want := range c.of {
			strategytest.Equal(t, c.format(v), want, "%v is written", v)
		}
	}
}
