package results

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dejavu/strategies/strategytest"
)

// ran is a finished run of one experiment in a directory of its own, with a time, a count and a pause.
func ran(t *testing.T, i int, change func(*Run)) (dir string) {
	t.Helper()
	at := func(quantity, x string, value float64) Row {
		return Row{Experiment: "e", Where: Where(Condition{"x", x}), Quantity: quantity, Value: Num(value)}
	}
	time, agreed := at("time", "1", math.Exp2(float64(i))), at("time", "2", 100)
	time.Low, time.High, time.Count = time.Value, time.Value, int64(5000-i)
	agreed.Low, agreed.High = Num(99), Num(101)
	run := Run{
		Manifest: Manifest{
			Seed: 7, Users: 1000, Started: fmt.Sprintf("2026-01-0%dT00:00:00Z", i+1), Commit: "c0ffee", Program: "abacus",
			Environment: Environment{CPU: "beads", CPUs: 2, MemoryBytes: int64(i)},
			Experiments: []Status{{Name: "e", Status: Done}},
		},
		Rows:   []Row{at("q", "1", 0.5)},
		Timing: []Row{time, at("parts", "", 10), at("pauses", "", float64(i/4)), agreed},
	}
	if change != nil {
		change(&run)
	}
	dir = t.TempDir()
	dimensions := []Dimension{{Name: "x"}, {Name: "empty"}} // which no row uses, and stays
	err := errors.Join(WriteFile(filepath.Join(dir, "e.csv"), dimensions, run.Rows),
		WriteFile(filepath.Join(dir, "e.timing.csv"), dimensions, run.Timing))
	if err == nil {
		run.Manifest.Experiments[0].Files, err = Sums(dir, "e")
	}
	if err = errors.Join(err, WriteManifest(dir, run.Manifest)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Five runs by hand: 1, 2, 4, 8 and 16 ns have the geometric mean 4, and logarithms of standard deviation 1.5811 ln 2.
// Tables have t = 2.776 for four degrees of freedom, so that the ends are 4 over and times exp(3.333).
func TestPool(t *testing.T) {
	var dirs []string
	for i := range 5 {
		dirs = append(dirs, ran(t, i, nil))
	}
	p := strategytest.Value(NewPool(dirs))
	out := t.TempDir()
	strategytest.Must(t, p.Write(out))
	for name, want := range map[string]string{
		"e.csv": "experiment,strategy,x,empty,quantity,unit,value,low,high,theory,paper,count\n" +
			"e,,1,,q,,0.5,,,,,\n",
		"e.timing.csv": "experiment,strategy,x,empty,quantity,unit,value,low,high,theory,paper,count\n" +
			"e,,1,,time,,4,0.1427,112.123,,,4996\n" +
			"e,,,,parts,,10,,,,,\n" +
			"e,,,,pauses,,0,,,,,\n" +
			"e,,2,,time,,100,99,101,,,\n",
	} {
		got := strategytest.Value(os.ReadFile(filepath.Join(out, name)))
		if rounded(t, got) != want {
			t.Errorf("%s:\n%swant\n%s", name, got, want)
		}
	}
	m, err := ReadManifest(out)
	if faults := Faults(out, m); err != nil || faults != nil || len(m.Runs) != 5 || m.Started != m.Runs[0] {
		t.Errorf("%v, %v, pooled of %v", err, faults, m.Runs)
	}
	one, _ := ReadManifest(dirs[0])
	strategytest.Contains(t, one.Differs(m), "runs pooled are [], not [\"2026-01-01T00:00:00Z\" ",
		"a run may lie where a pool does")
	_, err = NewPool([]string{out, out, out})
	strategytest.ErrorSays(t, "a pool of pools", err, "pooled of 5 runs already")
}

// rounded is a file whose ends of intervals have six digits, as many as were worked out by hand.
func rounded(t *testing.T, file []byte) string {
	t.Helper()
	lines := strings.SplitAfter(string(file), "\n")
	for i, line := range lines {
		fields := strings.Split(line, ",")
		for j, field := range fields {
			if n, err := parseNumber("end", field); err == nil && n.IsSet() && len(field) > 8 {
				fields[j] = n.format(6)
			}
		}
		lines[i] = strings.Join(fields, ",")
	}
	return strings.Join(lines, "")
}

// What is no other run of the same is refused, and named.
func TestPoolRefuses(t *testing.T) {
	for want, change := range map[string]func(*Run){
		"seed is 8, not 7":                       func(r *Run) { r.Manifest.Seed = 8 },
		"users is 2000, not 1000":                func(r *Run) { r.Manifest.Users = 2000 },
		`population is "p", not the default`:     func(r *Run) { r.Manifest.Population = "p" },
		"no finished run of all users":           func(r *Run) { r.Manifest.Shard.Of = 2 },
		"no finished run of all":                 func(r *Run) { r.Manifest.Started = "" },
		"commit is tea, but c0ffee in":           func(r *Run) { r.Manifest.Commit = "tea" },
		"program is rule, but abacus in":         func(r *Run) { r.Manifest.Program = "rule" },
		"of 4 processors":                        func(r *Run) { r.Manifest.Environment.CPUs = 4 },
		"number of shards merged is 2, but 0 in": func(r *Run) { r.Manifest.Shards = make([]Manifest, 2) },
		"1 of the experiments failed: e":         func(r *Run) { r.Manifest.Experiments[0].Status = Failed },
		"experiments is e f, but e in": func(r *Run) {
			r.Manifest.Experiments = append(r.Manifest.Experiments, Status{Name: "f", Status: Done})
		},
		"is there already": func(r *Run) { r.Manifest.Started = "2026-01-01T00:00:00Z" },
		"e.csv: values that follow from the seed are not those in": func(r *Run) { r.Rows[0].Value = Num(0.6) },
		"timings are not of the same names as in":                  func(r *Run) { r.Timing[1].Quantity = "pieces" },
	} {
		dirs := []string{ran(t, 0, nil), ran(t, 1, nil), ran(t, 2, change), ran(t, 3, nil)}
		_, err := NewPool(dirs)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), dirs[2]+": ") ||
			strings.Contains(err.Error(), dirs[3]) { // only the third is another
			t.Errorf("%v, want %q", err, want)
		}
	}
	damaged := []string{ran(t, 0, nil), ran(t, 1, nil), ran(t, 2, nil)}
	strategytest.Must(t, os.WriteFile(filepath.Join(damaged[1], "e.timing.csv"), nil, 0o600))
	for want, dirs := range map[string][]string{
		"e.timing.csv: ":                 damaged,
		"2 runs, want 3 or more":         damaged[:2],
		"nowhere: open .: no such file":  {damaged[0], "nowhere", damaged[2]},
		"is there already":               {damaged[0], damaged[2], damaged[0]},
		"no finished run of all users\n": {t.TempDir(), damaged[0], damaged[2]},
	} {
		strategytest.ErrorSays(t, "the error", strategytest.ErrorOf(NewPool(dirs)), want)
	}
}

// Of runs whose logarithms are normal the interval of five, and of three, holds a further one 95 times in 100: of
// 20,000 timings 19,000, with a standard deviation of 31. The bounds leave out 3.3 of them to either side, so that of
// a thousand seeds one fails. Planted: an interval for the mean's own scatter about the truth, not
// for a further run, and one that takes the standard deviation of five for the true one.
func TestPooledCovers(t *testing.T) {
	const timings, fewest, most = 20_000, 18_898, 19_102
	random := rand.New(rand.NewPCG(2016, 8))
	draw := func() Row { return Row{Value: Num(250 * math.Exp(0.042*random.NormFloat64()))} }
	for _, n := range []int{5, 3} {
		held, ofMean, ofNormal := 0, 0, 0
		for range timings {
			var runs []Row
			for range n {
				runs = append(runs, draw())
			}
			row, further := pooled(runs), draw().Value.Or(0)
			reach := math.Log(row.High.Or(0) / row.Value.Or(0))
			off := math.Abs(math.Log(further / row.Value.Or(0)))
			t := map[int]float64{5: 2.776, 3: 4.303}[n]
			if row.Low.Or(0) <= further && further <= row.High.Or(0) {
				held++
			}
			if off <= reach/math.Sqrt(float64(n+1)) {
				ofMean++
			}
			if off <= reach*1.96/t {
				ofNormal++
			}
		}
		strategytest.Between(t, held, fewest, most, "of %d runs: intervals of %d that hold a further one", n, timings)
		if ofMean >= fewest || ofNormal >= fewest {
			t.Errorf("of %d runs intervals too short hold %d and %d: the test shows nothing", n, ofMean, ofNormal)
		}
	}
}
