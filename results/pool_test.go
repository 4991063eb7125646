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
)

// ran is a finished run of one experiment in a directory of its own, with a time, a count and a pause.
func ran(t *testing.T, i int, change func(dir string, m *Manifest, rows, timing []Row)) (dir string) {
	t.Helper()
	dir = t.TempDir()
	m := Manifest{
		Seed: 7, Users: 1000, Started: fmt.Sprintf("2026-01-0%dT00:00:00Z", i+1), Commit: "c0ffee", Program: "abacus",
		Environment: Environment{CPU: "beads", CPUs: 2, MemoryBytes: int64(i)},
		Experiments: []Status{{Name: "e", Status: Done}},
	}
	at := func(quantity, x string, value float64) Row {
		return Row{Experiment: "e", Where: Where(Condition{"x", x}), Quantity: quantity, Value: Num(value)}
	}
	rows := []Row{at("q", "1", 0.5)}
	timing := []Row{
		at("time", "1", math.Exp2(float64(i))), at("parts", "", 10), at("pauses", "", float64(i/4)), at("time", "2", 100),
	}
	timing[0].Low, timing[0].High, timing[0].Count = timing[0].Value, timing[0].Value, int64(5000-i)
	timing[3].Low, timing[3].High = Num(99), Num(101)
	if change != nil {
		change(dir, &m, rows, timing)
	}
	dimensions := []Dimension{{Name: "x"}, {Name: "empty"}} // the first that nobody uses stays, in its place
	err := errors.Join(WriteFile(filepath.Join(dir, "e.csv"), dimensions, rows),
		WriteFile(filepath.Join(dir, "e.timing.csv"), dimensions, timing))
	if err == nil {
		m.Experiments[0].Files, err = Sums(dir, "e")
	}
	if err = errors.Join(err, WriteManifest(dir, m)); err != nil {
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
	p, err := NewPool(dirs)
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	if err := p.Write(out); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"e.csv": "experiment,strategy,x,empty,quantity,unit,value,low,high,theory,paper,count\n" +
			"e,,1,,q,,0.5,,,,,\n",
		"e.timing.csv": "experiment,strategy,x,empty,quantity,unit,value,low,high,theory,paper,count\n" +
			"e,,1,,time,,4,0.1427,112.123,,,4996\n" +
			"e,,,,parts,,10,,,,,\n" +
			"e,,,,pauses,,0,,,,,\n" +
			"e,,2,,time,,100,99,101,,,\n",
	} {
		got, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		if rounded(t, got) != want {
			t.Errorf("%s:\n%swant\n%s", name, got, want)
		}
	}
	m, err := ReadManifest(out)
	if faults := Faults(out, m); err != nil || faults != nil || len(m.Runs) != 5 || m.Started != m.Runs[0] {
		t.Errorf("%v, %v, pooled of %v", err, faults, m.Runs)
	}
	if one, _ := ReadManifest(dirs[0]); !strings.Contains(one.Differs(m), "timings are of one run, not of 5 runs pooled") {
		t.Errorf("a run may lie where a pool does: %q", one.Differs(m))
	}
	if _, err := NewPool([]string{out, out, out}); err == nil || !strings.Contains(err.Error(), "pooled of 5 runs already") {
		t.Errorf("a pool of pools: %v", err)
	}
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
	type change = func(dir string, m *Manifest, rows, timing []Row)
	for what, c := range map[string]struct {
		change change
		want   string
	}{
		"another seed":       {func(_ string, m *Manifest, _, _ []Row) { m.Seed = 8 }, "seed is 8, not 7"},
		"another scale":      {func(_ string, m *Manifest, _, _ []Row) { m.Users = 2000 }, "users is 2000, not 1000"},
		"another population": {func(_ string, m *Manifest, _, _ []Row) { m.Population = "p" }, `population is "p", not the default`},
		"a shard":            {func(_ string, m *Manifest, _, _ []Row) { m.Shard.Of = 2 }, "no finished run of all users"},
		"unfinished":         {func(_ string, m *Manifest, _, _ []Row) { m.Started = "" }, "no finished run of all users"},
		"another commit":     {func(_ string, m *Manifest, _, _ []Row) { m.Commit = "tea" }, `commit is "tea", but "c0ffee" in`},
		"another program":    {func(_ string, m *Manifest, _, _ []Row) { m.Program = "rule" }, `program is "rule", but "abacus" in`},
		"another machine":    {func(_ string, m *Manifest, _, _ []Row) { m.Environment.CPUs = 4 }, "of 4 processors"},
		"merged":             {func(_ string, m *Manifest, _, _ []Row) { m.Shards = make([]Manifest, 2) }, "number of shards merged"},
		"failed":             {func(_ string, m *Manifest, _, _ []Row) { m.Experiments[0].Status = Failed }, "1 experiments failed: e"},
		"more experiments": {func(_ string, m *Manifest, _, _ []Row) {
			m.Experiments = append(m.Experiments, Status{Name: "f", Status: Done})
		}, `experiments is "e f", but "e" in`},
		"the first again": {func(_ string, m *Manifest, _, _ []Row) { m.Started = "2026-01-01T00:00:00Z" }, "is there already"},
		"another value": {func(_ string, _ *Manifest, rows, _ []Row) { rows[0].Value = Num(0.6) },
			"e.csv: values that follow from the seed are not those in"},
		"another time": {func(_ string, _ *Manifest, _, timing []Row) { timing[1].Quantity = "pieces" }, "timings are not of the same"},
	} {
		dirs := []string{ran(t, 0, nil), ran(t, 1, nil), ran(t, 2, c.change), ran(t, 3, nil)}
		_, err := NewPool(dirs)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), dirs[2]+": ") {
			t.Errorf("%s: %v, want %q", what, err, c.want)
		}
	}
	damaged := []string{ran(t, 0, nil), ran(t, 1, nil), ran(t, 2, nil)}
	if err := os.WriteFile(filepath.Join(damaged[1], "e.timing.csv"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for want, dirs := range map[string][]string{
		"e.timing.csv: ":                 damaged,
		"2 runs, want 3 or more":         damaged[:2],
		"nowhere: open .: no such file":  {damaged[0], "nowhere", damaged[2]},
		"is there already":               {damaged[0], damaged[2], damaged[0]},
		"no finished run of all users\n": {t.TempDir(), damaged[0], damaged[2]},
	} {
		if _, err := NewPool(dirs); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Of runs whose logarithms are normal the interval of five, and of three, holds a further one 95 times in 100: of
// 20,000 timings 19,000, with a standard deviation of 31. The bounds leave out 3.3 of them to either side, so that a
// sound interval fails with one seed in a thousand. Planted: an interval for the mean's own scatter about the truth, not
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
		if held < fewest || held > most {
			t.Errorf("of %d runs %d of %d intervals hold a further one, want %d to %d", n, held, timings, fewest, most)
		}
		if ofMean >= fewest || ofNormal >= fewest {
			t.Errorf("of %d runs intervals too short hold %d and %d: the test shows nothing", n, ofMean, ofNormal)
		}
	}
}
