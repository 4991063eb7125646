package results

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dejavu/strategies/strategytest"
)

// share returns the manifest of one of two shares.
func share(index int) Manifest {
	return Manifest{
		Seed: 7, Users: 300, Program: "abacus", Args: []string{"daily", "--shard", fmt.Sprint(Shard{index, 2})}, Started: "now",
		Shard:       Shard{index, 2},
		Experiments: []Status{{Name: "daily", Status: Measured}, {Name: "fill", Status: Measured}},
		Environment: Environment{CPU: "beads", CPUs: 2},
	}
}

// Shares lie in the directory of their run, or are named; several whole runs are named.
func TestParts(t *testing.T) {
	root := t.TempDir()
	at := func(dir string) string { return filepath.Join(root, dir) }
	put := func(dir string, m Manifest) {
		strategytest.Must(t, os.MkdirAll(dir, 0o755))
		strategytest.Must(t, WriteManifest(dir, m))
	}
	for _, run := range []string{"run", "merged"} {
		for i := range 2 {
			put(Shard{i, 2}.Dir(at(run)), share(i))
		}
	}
	put(at("merged"), Manifest{Started: "now", Users: 300})
	put(at("whole"), Manifest{Started: "then", Users: 300})
	put(at("alone"), share(1))
	put(at("only"), Manifest{Started: "now", Shard: Shard{0, 1}})
	strategytest.Must(t, os.WriteFile(at("run/"+sharePrefix+"of notes"), nil, 0o600))
	strategytest.Must(t, os.Mkdir(at("run/figures"), 0o755))
	strategytest.Equal(t, Shard{}.Dir(root), root, "a whole run lies in")
	for dirs, want := range map[string]string{
		"alone run":         "alone, run/shard-0-of-2, run/shard-1-of-2",
		"merged":            "merged/shard-0-of-2, merged/shard-1-of-2", // again
		"merged whole":      "merged, whole",
		"only":              "only",
		"alone merged":      "alone, merged/shard-0-of-2, merged/shard-1-of-2",
		"whole":             "nothing to merge: no shares in whole",
		"run whole":         "nothing to merge: no shares in whole",
		"run run/figures":   "nothing to merge: no shares in run/figures",
		"whole run/figures": "nothing to merge: no shares in run/figures",
		"run nowhere":       "nothing to merge: open nowhere",
	} {
		var paths, got []string
		for _, dir := range strings.Fields(dirs) {
			paths = append(paths, at(dir))
		}
		parts, err := Parts(paths)
		for _, p := range parts {
			got = append(got, p.Dir)
		}
		said := strings.Join(got, ", ")
		if err != nil {
			said = err.Error()
		}
		said = strings.ReplaceAll(filepath.ToSlash(said), filepath.ToSlash(root)+"/", "")
		if errors.Is(err, ErrParts) != strings.HasPrefix(want, "nothing") || !strings.HasPrefix(said, want) ||
			err == nil && said != want {
			t.Errorf("%s: %s, want %s", dirs, said, want)
		}
	}
	// An unreadable manifest is another error.
	for _, dir := range []string{at("run"), at("run/shard-0-of-2")} {
		strategytest.Must(t, os.WriteFile(filepath.Join(dir, ManifestName), []byte(`{"seed": `), 0o600))
		if _, err := Parts([]string{at("run")}); err == nil || errors.Is(err, ErrParts) ||
			!strings.Contains(err.Error(), dir+": run.json: unexpected end of JSON input") {
			t.Errorf("%s: %v", dir, err)
		}
		strategytest.Must(t, os.Remove(filepath.Join(dir, ManifestName)))
	}
}

// Shares that belong together are ordered, wherever they were measured. All others are refused, and the message says
// which file it is, why, and what to do.
func TestCheckShares(t *testing.T) {
	parts := []Part{{"b", share(1)}, {"a", share(0)}}
	parts[0].Environment.CPU = "counters"
	slices.Reverse(parts[0].Experiments)
	if err := CheckShares(parts, "abacus"); err != nil || parts[0].Dir != "a" || parts[1].Dir != "b" {
		t.Errorf("%v, in the order %s, %s", err, parts[0].Dir, parts[1].Dir)
	}
	for want, spoil := range map[string]func(p []Part) []Part{
		"shard 1/2 is missing: 'experiments daily --shard 1/2' measures it": func(p []Part) []Part { return p[:1] },
		"b/run.json: shard 0/2 is in a already": func(p []Part) []Part {
			return []Part{p[0], {"b", share(0)}}
		},
		"b/run.json is missing: the shard is not finished": func(p []Part) []Part { return []Part{p[0], {Dir: "b"}} },
		"a/run.json is missing":                            func([]Part) []Part { return []Part{{Dir: "a"}, {Dir: "b"}} },

		"b/run.json: users is 301, not 300 as in a/run.json": func(p []Part) []Part { p[1].Users = 301; return p },
		"b/run.json: seed is 8, not 7 as in a/run.json":      func(p []Part) []Part { p[1].Seed = 8; return p },
		"b/run.json: shard is 0/3, not 0/2 as in a/run.json": func(p []Part) []Part { p[1].Shard.Of = 3; return p },
		`"slide", but this one is "abacus": another build`:   func(p []Part) []Part { p[1].Program = "slide"; return p },
		`b/run.json: experiments is "daily", not "daily fill"`: func(p []Part) []Part {
			p[1].Experiments = p[1].Experiments[:1]
			return p
		},
		"b/run.json: 1 of the experiments failed: daily: the lamp went out": func(p []Part) []Part {
			p[1].Experiments[0] = Status{Name: "daily", Status: Failed, Error: "the lamp went out"}
			return p
		},
	} {
		err := CheckShares(spoil([]Part{{"a", share(0)}, {"b", share(1)}}), "abacus")
		if err == nil || !strings.Contains(filepath.ToSlash(err.Error()), want) {
			t.Errorf("%v, want %q in it", err, want)
		}
	}
	// Both faults of two are told, and a program that cannot be told from others sums nothing.
	both := []Part{{"a", share(0)}, {"b", share(1)}}
	both[1].Users, both[1].Seed = 3, 5
	strategytest.ErrorSays(t, "another population", CheckShares(both[:2], "rule"), `a/run.json: program is "abacus"`)
	nameless := []Part{{"a", share(0)}}
	nameless[0].Program = ""
	strategytest.ErrorSays(t, "no program", CheckShares(nameless, ""), "another build")
	strategytest.Equal(t, both[0].Again(),
		"to redo only this, run the command that measured shard 0/2: experiments daily --shard 0/2", "again")
}

// pool merges whole runs.
func pool(dirs []string) (Pool, error) {
	parts, err := Parts(dirs)
	if err != nil {
		return Pool{}, err
	}
	return NewPool(parts)
}

// ran writes a finished run of one experiment into its own directory, with a time, a count and a pause.
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
	p := strategytest.Value(pool(dirs))
	out := t.TempDir()
	pooled := strategytest.Value(p.Write(out))
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
	read, _ := ReadDir(out)
	if !slices.Equal(pooled.Rows, read.Rows) || !slices.Equal(pooled.Timing, read.Timing) {
		t.Errorf("returned %v, wrote %v", pooled.All(), read.All())
	}
	if faults := Faults(out, m); err != nil || faults != nil || len(m.Runs) != 5 || m.Started != m.Runs[0] {
		t.Errorf("%v, %v, pooled of %v", err, faults, m.Runs)
	}
	one, _ := ReadManifest(dirs[0])
	strategytest.Contains(t, one.Differs(m), "runs pooled are [], not [\"2026-01-01T00:00:00Z\" ",
		"a run may lie where a pool does")
	_, err = pool([]string{out, out, out})
	strategytest.ErrorSays(t, "a pool of pools", err, "pooled of 5 runs already")
}

// rounded returns a file with the ends of intervals rounded to six digits, as computed by hand.
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

// A run that differs is refused, and named.
func TestPoolRefuses(t *testing.T) {
	for want, change := range map[string]func(*Run){
		"seed is 8, not 7":                        func(r *Run) { r.Manifest.Seed = 8 },
		"users is 2000, not 1000":                 func(r *Run) { r.Manifest.Users = 2000 },
		`population is "p", not the default`:      func(r *Run) { r.Manifest.Population = "p" },
		"commit tea, 0 shards, on":                func(r *Run) { r.Manifest.Commit = "tea" },
		`program is "rule", not "abacus"`:         func(r *Run) { r.Manifest.Program = "rule" },
		"of 4 processors":                         func(r *Run) { r.Manifest.Environment.CPUs = 4 },
		"commit c0ffee, 2 shards":                 func(r *Run) { r.Manifest.Shards = make([]Manifest, 2) },
		"1 of the experiments failed: e":          func(r *Run) { r.Manifest.Experiments[0].Status = Failed },
		"timings are not of the same names as in": func(r *Run) { r.Timing[1].Quantity = "pieces" },
		"is there already":                        func(r *Run) { r.Manifest.Started = "2026-01-01T00:00:00Z" },
		`experiments is "e f", not "e"`: func(r *Run) {
			r.Manifest.Experiments = append(r.Manifest.Experiments, Status{Name: "f", Status: Done})
		},
		"e.csv: values that follow from the seed are not those in": func(r *Run) { r.Rows[0].Value = Num(0.6) },
	} {
		dirs := []string{ran(t, 0, nil), ran(t, 1, nil), ran(t, 2, change), ran(t, 3, nil)}
		_, err := pool(dirs)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), dirs[2]) ||
			strings.Contains(err.Error(), dirs[3]) { // only the third is another
			t.Errorf("%v, want %q", err, want)
		}
	}
	damaged := []string{ran(t, 0, nil), ran(t, 1, nil), ran(t, 2, nil)}
	strategytest.Must(t, os.WriteFile(filepath.Join(damaged[1], "e.timing.csv"), nil, 0o600))
	for want, dirs := range map[string][]string{
		"e.timing.csv: ":                 damaged,
		"2 whole runs, want 3 or more":   damaged[:2],
		"nowhere: no such file":          {damaged[0], "nowhere", damaged[2]},
		"is there already":               {damaged[0], damaged[2], damaged[0]},
		"nothing to merge: no shares in": {t.TempDir(), damaged[0], damaged[2]},
	} {
		strategytest.ErrorSays(t, "the error", strategytest.ErrorOf(pool(dirs)), want)
	}
}

// If logarithms of runs are normal, the interval of five, or of three, contains a further run 95 times in 100: of
// 20,000 timings 19,000, with a standard deviation of 31. The bounds leave out 3.3 deviations to either side, so one
// in a thousand seeds fails. Planted: an interval for the mean's own scatter about the truth, not for a further run,
// and one that takes the standard deviation of five for the true one.
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
