package plots

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"dejavu/results"
)

// syntheticServe is a run of the experiment serve on a machine of 16 processors,
// where every doubling costs a strategy a twentieth.
func syntheticServe() (rows []results.Row) {
	add := func(strategy string, x float64, experiment, quantity string, v float64) {
		rows = append(rows, results.Row{
			Experiment: experiment, Strategy: strategy, X: results.Num(x), Quantity: quantity, Value: results.Num(v), Count: 1e6,
		})
	}
	for i, t := range theories {
		for k := range 5 {
			n := math.Exp2(float64(k))
			add(t.name, n, results.Serve, results.QRequestsPerSecond, (4+float64(i))*2e5*n*math.Pow(0.95, float64(k)))
			add(t.name, n, results.Serve, results.QFairness, 1-0.01*float64(k))
		}
		rows = append(rows, results.Row{
			Experiment: results.Serve, Strategy: t.name, Quantity: results.QObjectsPerUser, Value: results.Num(0), Count: 1e7 >> (i / 4),
		})
		add(t.name, 40, results.Latency, results.QHotOverFloor, 2+0.3*float64(i))
		add(t.name, 40, results.Latency, results.QTogetherOverFloor, 1.7)
		add(t.name, 40, results.Latency, results.QTouchP50, 220)
	}
	return rows
}

// syntheticPeers is a run of the peers with two libraries, of which the second
// has no dual filter and no hash worth the name.
func syntheticPeers() (rows []results.Row) {
	add := func(strategy string, x float64, quantity, unit string, v, low, high float64) *results.Row {
		rows = append(rows, results.Row{
			Experiment: results.Peers, Strategy: strategy, X: results.Num(x), Quantity: quantity, Unit: unit,
			Value: results.Num(v), Low: results.Num(low), High: results.Num(high),
		})
		return &rows[len(rows)-1]
	}
	times := []string{results.QFreshNanos, results.QSeenNanos, results.QMixedNanos, results.QRecordNanos}
	for i, name := range []string{results.Ours, "bloomy", "the hashless library"} {
		for k, shape := range results.KeyShapes {
			v := 0.0202 * (1 + 0.05*float64(i*i*k))
			add(name, 4064, results.QFPROf+shape, results.Ratio, v, v-0.0002, v+0.0002).Theory = results.Num(0.02026848)
		}
	}
	for k, kind := range []string{"single", "dual", "chain"} {
		for i, name := range []string{results.OurName(kind), results.PeerName("bloomy", kind), results.PeerName("the hashless library", kind)} {
			if kind == "dual" && i == 2 {
				continue
			}
			for q, quantity := range times {
				add(name, 40, quantity, results.Nanoseconds, 5, 5, 5)
				if v := 10 * float64(i+k+q+1); i > 0 {
					add(name, 40, quantity+results.OverOurs, results.Ratio, v, 0.9*v, 1.2*v)
				}
			}
			bytes, objects := 520.0, 0.0
			if i > 0 {
				bytes, objects = 600*float64(k+1), float64(3*k+2)
			}
			add(name, 1e6, results.QBytesPerUser, results.Bytes, bytes, bytes, bytes)
			add(name, 1e6, results.QGoalPerUser, results.Bytes, 2*bytes, 2*bytes, 2*bytes)
			add(name, 1e6, results.QObjectsPerUser, "", objects, objects, objects)
		}
	}
	return rows
}

// What is drawn stands where the rows say: each quotient in its library's place,
// with its interval, and ours at one.
func TestPeersPlaces(t *testing.T) {
	s, reason := peers(newData(syntheticPeers()))
	if reason != "" || len(s.grid) != 4 {
		t.Fatalf("%d rows of panels, %s", len(s.grid), reason)
	}
	single, dual := s.grid[0], s.grid[1]
	want := []string{"dejavu", "bloomy", "the hashless\nlibrary"}
	if !slices.Equal(single[0].y.names, want) || !slices.Equal(dual[0].y.names, want[:2]) {
		t.Errorf("names are %q and %q", single[0].y.names, dual[0].y.names)
	}
	fresh := single[0].series[0].points
	if len(fresh) != 3 || fresh[0].y != 1 || fresh[2].y != 30 || fresh[2].low != 27 || fresh[2].high != 36 {
		t.Errorf("fresh candidates are at %+v", fresh)
	}
	if math.Round(fresh[0].x) != 2 || math.Round(fresh[1].x) != 1 || math.Round(fresh[2].x) != 0 {
		t.Errorf("the places are %v, %v and %v from the bottom, want 2, 1 and 0", fresh[0].x, fresh[1].x, fresh[2].x)
	}
	if recorded := dual[1].series[0].points; len(recorded) != 2 || recorded[1].y != 60 {
		t.Errorf("records of the dual filter are at %+v", recorded)
	}
	// Columns share their axes, so that rows compare.
	for column := range 4 {
		single[column].fit()
		s.grid[2][column].fit()
		if a, b := single[column].x, s.grid[2][column].x; a.min != b.min || a.max != b.max {
			t.Errorf("column %d: %v to %v in one row, %v to %v in another", column, a.min, a.max, b.min, b.max)
		}
	}
	if recorded := single[1].x; recorded.max <= 100 || recorded.max > 200 { // no whole decades: the largest quotient is 80
		t.Errorf("records reach to %v", recorded.max)
	}
	last := s.grid[3][3].series[0].points
	if theirs := last[2]; math.Abs(theirs.y-(0.0202*1.6/0.02026848-1)) > 1e-9 {
		t.Errorf("the error on URL keys is %v", theirs.y)
	}
}

func TestPeersWithoutTimes(t *testing.T) {
	rows := slices.DeleteFunc(syntheticPeers(), func(r results.Row) bool { return strings.HasSuffix(r.Quantity, results.OverOurs) })
	if _, reason := peers(newData(rows)); !strings.Contains(reason, "no rows of experiment peers") {
		t.Errorf("the reason is %q", reason)
	}
}

// A library is no strategy of ours: it must not take a look from somebody's own.
func TestPeersTakeNoLook(t *testing.T) {
	mine := []results.Row{{Experiment: results.FPR, Strategy: "mine"}}
	alone, beside := newData(mine), newData(append(syntheticPeers(), mine...))
	if a, b := alone.palette.looks["mine"], beside.palette.looks["mine"]; a.color != b.color || a.mark != b.mark || len(alone.palette.order) != len(beside.palette.order) {
		t.Errorf("mine looks %+v alone, %+v beside the peers", a, b)
	}
}

func TestServeOnOneProcessor(t *testing.T) {
	rows := slices.DeleteFunc(syntheticServe(), func(r results.Row) bool { return r.Experiment == results.Serve && r.X.Or(1) > 1 })
	if _, reason := serve(newData(rows)); !strings.Contains(reason, "one processor") {
		t.Errorf("the reason is %q", reason)
	}
	if _, reason := serve(newData(nil)); !strings.Contains(reason, "no rows of experiment serve") {
		t.Errorf("the reason is %q", reason)
	}
}

func TestServePlaces(t *testing.T) {
	s, reason := serve(newData(syntheticServe()))
	if reason != "" || len(s.grid) != 2 || s.grid[1][1] == nil {
		t.Fatalf("the grid is %v, %s", s.grid, reason)
	}
	at := func(p *panel, series, point int) point { return p.series[series].points[point] }
	if p := at(s.grid[0][0], 0, 4); p.x != 4 || math.Abs(p.y-8e5*16*math.Pow(0.95, 4)) > 1 {
		t.Errorf("sixteen goroutines of the first strategy are at %+v", p)
	}
	if p := at(s.grid[0][1], 0, 2); p.x != 2 || math.Abs(p.y-0.95*0.95) > 1e-9 {
		t.Errorf("the share of one of four is at %+v", p)
	}
	if p := at(s.grid[1][0], 0, 0); p.x != 1 || p.y != 0.99 {
		t.Errorf("the least served of two is at %+v", p)
	}
	floors := s.grid[1][1]
	// 16 goroutines take 16/rate seconds for a request each.
	want := 1e9 / (8e5 * math.Pow(0.95, 4)) / 220
	if query, served := at(floors, 0, 0), at(floors, 2, 0); query.y != 2 || math.Abs(served.y-want) > 1e-9 {
		t.Errorf("a query is at %v, a request at %v, want 2 and %v", query.y, served.y, want)
	}
}

// Data areas are of one size, in line, and inside the sheet, however long the
// names beside them.
func TestAlign(t *testing.T) {
	for _, name := range []string{"a", "a name that is longer than a fourth of the page is wide"} {
		panels := make([][]*plot.Plot, 2)
		for j := range panels {
			for i := range 4 {
				if i == 2 && j == 1 {
					panels[j] = append(panels[j], nil)
					continue
				}
				p := &panel{
					y: axis{names: []string{name, "b"}, blank: i > 0}, x: axis{max: math.Pow(1000, float64(i)), min: -1},
					guides: []guide{{at: float64(j), vertical: true, label: "overhanging"}},
				}
				drawn, err := p.plot()
				if err != nil {
					t.Fatal(err)
				}
				panels[j] = append(panels[j], drawn)
			}
		}
		all := draw.New(vgimg.New(500, 300))
		var first vg.Rectangle
		pad := vg.Point{X: 10, Y: 20}
		canvases := align(panels, pad, all)
		for j, row := range canvases {
			for i, c := range row {
				if panels[j][i] == nil {
					continue
				}
				if j > 0 && canvases[0][i].Min.Y-c.Max.Y < pad.Y-0.1 || i > 0 && c.Min.X-row[i-1].Max.X < pad.X-0.1 {
					t.Errorf("%s: panel %d, %d is too near to its neighbours", name, j, i)
				}
				data := panels[j][i].DataCanvas(c).Rectangle
				if i == 0 && j == 0 {
					first = data
				}
				near := func(a, b vg.Length) bool { return math.Abs(float64(a-b)) < 0.1 }
				if !near(data.Size().X, first.Size().X) || !near(data.Size().Y, first.Size().Y) {
					t.Errorf("%s: panel %d, %d is %v, the first %v", name, j, i, data.Size(), first.Size())
				}
				if j == 0 && !near(data.Min.Y, first.Min.Y) || i == 0 && !near(data.Min.X, first.Min.X) {
					t.Errorf("%s: panel %d, %d begins at %v, the first at %v", name, j, i, data.Min, first.Min)
				}
				if c.Min.X < -0.1 || c.Max.X > 500.1 || c.Min.Y < -0.1 || c.Max.Y > 300.1 || data.Size().X < 20 {
					t.Errorf("%s: panel %d, %d lies at %v", name, j, i, c.Rectangle)
				}
			}
		}
	}
}
