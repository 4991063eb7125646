package plots

import (
	"fmt"
	"math"
	"testing"

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
	decades := &Panel{Title: "(d) Sideways", X: Axis{Scale: Log, Format: Duration, Labels: 3}}
	differences := &Panel{
		Title: "(e) Differences", X: Axis{Min: -0.4, Max: 0.2, Format: Percent, Labels: 3},
		Guides: []Guide{{At: 0, Vertical: true, Label: "exact"}},
	}
	bars := &Panel{Title: "(c) Bars", X: Axis{Format: Bytes, Label: "bytes", Told: true, Most: true}}
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
	for i, mark := range []Mark{
		Circle, Ring, Square, Diamond, Up, Down, Pentagon, Hexagon, CrossStar, PlusStar,
	} {
		marks = append(marks, Look{Name: fmt.Sprintf("mark %d of a long name", i), Color: Purple, Mark: mark})
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
