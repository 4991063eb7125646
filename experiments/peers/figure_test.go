package peers

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"dejavu/experiments/experiment"
	"dejavu/experiments/golden"
	"dejavu/experiments/peers/standing"
	"dejavu/experiments/roomtest"
	"dejavu/plots"
	"dejavu/results"
)

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
	for i, name := range []string{standing.Ours, "bloomy", "the hashless library"} {
		for k, shape := range results.KeyShapes {
			v := 0.0202 * (1 + 0.05*float64(i*i*k))
			add(name, 4064, results.QFPROf+shape, results.Ratio, v, v-0.0002, v+0.0002).Theory = results.Num(0.02026848)
		}
	}
	for k, kind := range []string{"single", "dual", "chain"} {
		for i, name := range []string{standing.OurName(kind), standing.Name("bloomy", kind), standing.Name("the hashless library", kind)} {
			if kind == "dual" && i == 2 {
				continue
			}
			for q, quantity := range times {
				add(name, 40, quantity, results.Nanoseconds, 5.125, 5, 5.25)
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
	s, reason, err := plots.NewData(Figures, syntheticPeers()).Lay(Figures[0])
	if err != nil || reason != "" || len(s.Grid) != 4 {
		t.Fatalf("%d rows of panels, %s, %v", len(s.Grid), reason, err)
	}
	single, dual := s.Grid[0], s.Grid[1]
	want := []string{"dejavu", "bloomy", "the hashless\nlibrary"}
	if !slices.Equal(single[0].Y.Names, want) || !slices.Equal(dual[0].Y.Names, want[:2]) {
		t.Errorf("names are %q and %q", single[0].Y.Names, dual[0].Y.Names)
	}
	fresh := single[0].Series[0].Points
	if len(fresh) != 3 || fresh[0].Y != 1 || fresh[2].Y != 30 || fresh[2].Low != 27 || fresh[2].High != 36 {
		t.Errorf("fresh candidates are at %+v", fresh)
	}
	if math.Round(fresh[0].X) != 2 || math.Round(fresh[1].X) != 1 || math.Round(fresh[2].X) != 0 {
		t.Errorf("the places are %v, %v and %v from the bottom, want 2, 1 and 0", fresh[0].X, fresh[1].X, fresh[2].X)
	}
	if recorded := dual[1].Series[0].Points; len(recorded) != 2 || recorded[1].Y != 60 {
		t.Errorf("records of the dual filter are at %+v", recorded)
	}
	// Columns share their axes, so that rows compare.
	for column := range 4 {
		if a, b := single[column].X, s.Grid[2][column].X; a.Min != b.Min || a.Max != b.Max {
			t.Errorf("column %d: %v to %v in one row, %v to %v in another", column, a.Min, a.Max, b.Min, b.Max)
		}
	}
	if recorded := single[1].X; recorded.Max <= 100 || recorded.Max > 200 { // no whole decades: the largest quotient is 80
		t.Errorf("records reach to %v", recorded.Max)
	}
	last := s.Grid[3][3].Series[0].Points
	if theirs := last[2]; math.Abs(theirs.Y-(0.0202*1.6/0.02026848-1)) > 1e-9 {
		t.Errorf("the error on URL keys is %v", theirs.Y)
	}
}

func TestPeersWithoutTimes(t *testing.T) {
	rows := slices.DeleteFunc(syntheticPeers(), func(r results.Row) bool { return strings.HasSuffix(r.Quantity, results.OverOurs) })
	if _, reason, _ := plots.NewData(Figures, rows).Lay(Figures[0]); !strings.Contains(reason, "no rows of experiment peers") {
		t.Errorf("the reason is %q", reason)
	}
}

// The figures as they are laid out, and of a part of the rows.
func TestGolden(t *testing.T) {
	rows := syntheticPeers()
	for _, strategy := range []string{standing.Name("a static one", "single"), "a static one"} {
		for _, quantity := range []string{results.QStatic, results.QFreshNanos + results.OverOurs, results.QFPROf + results.KeyShapes[0]} {
			rows = append(rows, results.Row{
				Experiment: results.Peers, Strategy: strategy, X: results.Num(40), Quantity: quantity,
				Value: results.Num(0.5), Low: results.Num(0.25), High: results.Num(1), Theory: results.Num(0.25),
			})
		}
	}
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
