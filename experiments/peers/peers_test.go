package peers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dejavu/experiments/experimenttest"
	"dejavu/internal/document"
	"dejavu/internal/golden"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/strategies/strategytest"
)

// row returns a row of the peers: a value, or low, value and high.
func row(strategy string, q results.Query, unit string, v ...float64) results.Row {
	r := results.Row{Experiment: results.Peers, Strategy: strategy, Where: q.Where, Quantity: q.Quantity, Unit: unit}
	if r.Value = results.Num(v[0]); len(v) == 3 {
		r.Low, r.Value, r.High = results.Num(v[0]), results.Num(v[1]), results.Num(v[2])
	}
	return r
}

// made returns a run of two libraries, "swift" and "slow". One has few quantities.
func made() *results.Run {
	rate := func(name string, bits float64, keys string, v ...float64) results.Row {
		return row(name, results.Find(results.QFPR, by.Bits.At(bits), by.Keys.Is(keys)), results.Ratio, v...).Expect(0.02)
	}
	million := by.Users.At(1e6)
	chain, swift, slow := name(ours, "chain"), name("swift", "chain"), name("slow", "chain")
	unseen, byTen := timed[0].query, timed[3].query
	return &results.Run{
		Manifest: results.Manifest{
			Args: []string{"--rounds", "21"}, Started: "2026-11-20T10:00:00Z",
			Environment: results.Environment{Go: "go1.26.8", OS: "linux", Arch: "amd64", CPU: "Some CPU", GOMAXPROCS: 2},
		},
		Rows: []results.Row{
			{Experiment: results.FPR, Strategy: name(ours, "queue"), Quantity: results.QFPR}, // not of the peers
			rate(ours, 4064, "random", 0.0199, 0.0201, 0.0203),
			rate(ours, 4064, "sequential", 0.0198, 0.02, 0.0202),
			rate("swift", 4096, "random", 0.0194, 0.0196, 0.0198),
			rate("swift", 4096, "sequential", 0.029, 0.03, 0.031),
			rate("slow", 6144, "random", 0.02, 0.0202, 0.0204),
		},
		Timing: []results.Row{
			row(name(ours, "single"), unseen, results.Nanoseconds, 5),
			row(name("swift", "single"), over(unseen), results.Ratio, 2, 3, 4),
			row(chain, unseen, results.Nanoseconds, 6.25),
			row(chain, byTen, results.Nanoseconds, 8),
			row(swift, unseen, results.Nanoseconds, 3),
			row(swift, over(unseen), results.Ratio, 0.47, 0.48, 0.5),
			row(swift, byTen, results.Nanoseconds, 9), // but level in turns
			row(swift, over(byTen), results.Ratio, 0.9, 1.01, 1.2),
			row(swift, results.Find(results.QBytesPerUser, million), results.Bytes, 1040),
			row(swift, results.Find(results.QObjectsPerUser, million), "", 11),
			row(slow, unseen, results.Nanoseconds, 62),
			row(slow, over(unseen), results.Ratio, 9, 9.9, 10),
			row(chain, results.Find(results.QBytesPerUser, million), results.Bytes, 520),
			row(chain, results.Find(results.QObjectsPerUser, million), "", 7.9e-5),
		},
	}
}

// The report of a run, and the figures of the committed one.
func TestGolden(t *testing.T) {
	golden.File(t, "standing.golden", document.Markdown(Report(made())...))
	experimenttest.Figures(t, Figures, strategytest.Value(results.Committed(results.PeersDir)).All())
}

// Zero has no place on a logarithmic axis, and nothing is over zero. An axis contains one, all values and their
// intervals.
func TestZeros(t *testing.T) {
	rows := made().All()
	s, _, err := plots.NewData(Figures, rows).Lay(Figures[0])
	strategytest.Must(t, err)
	strategytest.Near(t, s.Panels[0].X.Min, 0.47/1.25, 1e-12, "the least time")
	strategytest.Near(t, s.Panels[0].X.Max, 10*1.25, 1e-12, "the most time")
	strategytest.Near(t, s.Panels[2].X.Min, 1/1.25, 1e-12, "the least memory")
	strategytest.Near(t, s.Panels[2].X.Max, 2*1.25, 1e-12, "the most memory")
	for i, r := range rows {
		if r.Strategy == name(ours, "chain") && r.Quantity == results.QBytesPerUser ||
			r.Strategy == "swift single" && r.Quantity == results.QTimeRatio {
			rows[i].Value = results.Num(0)
		}
	}
	s, _, err = plots.NewData(Figures, rows).Lay(Figures[0])
	strategytest.Must(t, err)
	strategytest.Equal(t, len(s.Panels), 2, "panels without memory over nothing")
	strategytest.Equal(t, len(s.Panels[0].Series), 1, "strategies with a time")
}

func TestStand(t *testing.T) {
	row := func(v ...float64) results.Row { return row("", results.Query{}, "", v...) }
	stands := func(name string, theirs, ours results.Row, margin float64, want standing) {
		t.Helper()
		strategytest.Equal(t, stand(theirs, ours, margin), want, "%s: got", name)
		opposite := map[standing]standing{ahead: behind, behind: ahead}
		strategytest.Equal(t, stand(ours, theirs, margin), opposite[want], "%s, the other way: got", name)
	}
	stands("within the margin", row(1.02), row(1), 0.02, level)
	stands("beyond it", row(1.021), row(1), 0.02, ahead)
	stands("within it, below", row(0.981), row(1), 0.02, level)
	stands("beyond it, below", row(0.98), row(1), 0.02, behind)
	stands("the interval touches the margin", row(1.02, 1.5, 2), row(1), 0.02, level)
	stands("the interval is clear of it", row(1.03, 1.5, 2), row(1), 0.02, ahead)
	stands("two intervals that meet", row(2, 3, 4), row(1, 1.5, 2), 0, level)
	stands("and that do not", row(2.1, 3, 4), row(1, 1.5, 2), 0, ahead)
	stands("nothing to nothing", row(0), row(0), 0.02, level)
	stands("something to nothing", row(3), row(0), 0.02, ahead)
	for _, c := range [][5]float64{{-0.5, 0.25, 1, 0, 1}, {-2, -1, 0.5, 0, 2}, {-3, -2, -1, 1, 3}, {1, 2, 3, 1, 3}} {
		low, high := span(size(row(c[0], c[1], c[2])))
		strategytest.Equal(t, [2]float64{low, high}, [2]float64{c[3], c[4]}, "the size of %v is", c)
	}
}

// Numbers for people have three digits, and their unit.
func TestAmount(t *testing.T) {
	reads := func(quantity, unit string, value float64, want string) {
		t.Helper()
		r := row("", results.Query{Quantity: quantity}, unit, value)
		strategytest.Equal(t, amount(r, true), want, "%v %s of %q is", value, unit, quantity)
	}
	reads(results.QExcess, results.Ratio, 0.012345, "+1.23 %")
	reads("rate", results.Ratio, 0.012345, "1.23 %")
	reads("bytes", results.Bytes, 512.4, "512 "+results.Bytes)
	reads("objects", "", 0.00499, "0")
	reads("objects", "", 0.005, "0.005")
	reads("objects", "", 99.96, "100")
	strategytest.Equal(t, amount(results.Row{}, false), none, "nothing is")
}

// Rows beside a run come before the committed ones.
func TestBeside(t *testing.T) {
	out, none := t.TempDir(), t.TempDir()
	dir := filepath.Join(out, results.PeersDir)
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
	says(out, 100, 1e6, "committed with this program", "To have your own, run `cd peers", "bits-and-blooms chain")
	unseen := timed[0].query
	strategytest.Must(t, os.Mkdir(dir, 0o755))
	strategytest.Must(t, results.WriteFile(filepath.Join(dir, results.TimingFileName(results.Peers)),
		[]results.Dimension{by.Candidates, by.Request, by.Over}, []results.Row{
			row(name(ours, "single"), unseen, "", 5), row("swift single", unseen, "", 10),
			row("swift single", over(unseen), "", 2),
		}))
	says(out, 3, 3, "beside this report", "| swift single | 2× |")
	says(none, 0, 0, "There are no rows to show.")
	file := results.FileName(results.Peers)
	strategytest.Must(t, os.WriteFile(filepath.Join(dir, file), []byte("no rows\n"), 0o600))
	says(out, 0, 0, "Nothing to show: ", file+": line 1")
}
