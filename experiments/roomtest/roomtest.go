// Package roomtest tests an experiment whole: its rows, tables and figures, over a
// population of few, compared with committed text that people can read.
package roomtest

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/experiment"
	"dejavu/experiments/golden"
	"dejavu/experiments/run"
	"dejavu/measure/stopwatch"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/sysinfo"
)

// Entries are those of a test that names none: the paper's strategies, each theory,
// and a structure beyond the paper.
var Entries = []string{"queue", "single", "dual", "chain", results.Beyond + "ring"}

// Golden runs an experiment for so many users and the entries of those names (none is
// Entries) and compares it with testdata/NAME.golden: the rows that follow from the
// seed; the keys of those that depend on the machine, whose values are replaced; and
// the tables and figures of both. The time of a request is measured for one number of
// candidates alone.
func Golden(t *testing.T, x experiment.Experiment, users int, entries ...string) {
	t.Helper()
	if sysinfo.RaceDetector {
		t.Skip("theory takes ten times as long with the race detector, and holds no goroutines")
	}
	if len(entries) == 0 {
		entries = Entries
	}
	sizes := stopwatch.Sizes
	stopwatch.Sizes = sizes[:1]
	defer func() { stopwatch.Sizes = sizes }()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // rows name the processors they are of

	scope := run.Scope{Users: users, Seed: results.DefaultSeed}
	for _, name := range entries {
		e, err := catalogue.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		scope.Entries = append(scope.Entries, e)
	}
	r := run.New(t.Context(), scope, run.NewProgress(io.Discard))
	r.Out, r.Program = t.TempDir(), "a test"
	rows, timing, err := x.Rows(r)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString(Text(t, x, rows, timing))
	fmt.Fprintln(&b, "\nMeasured with histories alive")
	for _, cost := range r.Costs {
		if cost.Bytes > 0 {
			fmt.Fprintln(&b, cost.Name)
		}
	}
	fmt.Fprintln(&b, "\nOf made-up times")
	write(&b, madeUp(t, x, r, timing))
	fmt.Fprintln(&b, "\nPlan")
	plan(&b, x, scope)
	fmt.Fprintln(&b, "\nPlan of the last of three shards")
	scope.Shard = results.Shard{Index: 2, Of: 3}
	plan(&b, x, scope)
	fmt.Fprintln(&b, "\nPlan of one user, without strategies")
	plan(&b, x, run.Scope{Users: 1, Seed: results.DefaultSeed})
	golden.File(t, x.Name+".golden", b.String())
}

// Text is what an experiment says of rows that follow from the seed, and of timing,
// which depend on the machine: the rows, with other values for the second; and the
// tables and figures of both, in full, and as digests those of a part of them.
func Text(t *testing.T, x experiment.Experiment, rows, timing []results.Row) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\n", x.Name, x.About)
	write(&b, rows)
	timing = slices.Clone(timing)
	for i := range timing {
		r := &timing[i]
		if impossible(*r) {
			t.Errorf("no machine measures this: %+v", *r)
		}
		for _, n := range []*results.Number{&r.Value, &r.Low, &r.High, &r.Theory} {
			if n.IsSet() {
				*n = results.Num(float64(100 + i))
			}
		}
		r.Count = min(r.Count, 1)
	}
	fmt.Fprintln(&b, "\nOf the machine")
	write(&b, timing)
	rows = slices.Concat(rows, timing)
	show(&b, x, rows)

	// A run that was broken off, or is of few strategies, has a part of the rows.
	fmt.Fprintln(&b, "\nDigests of tables and figures of a part of the rows")
	for _, column := range []func(results.Row) string{
		func(r results.Row) string { return r.Quantity },
		func(r results.Row) string { return r.Strategy },
	} {
		var names []string
		for _, r := range rows {
			if name := column(r); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		for _, name := range names {
			var part strings.Builder
			without := func(r results.Row) bool { return column(r) == name }
			show(&part, x, slices.DeleteFunc(slices.Clone(rows), without))
			fmt.Fprintf(&b, "without %q %s", name, digest(part.String()))
			part.Reset()
			show(&part, x, slices.DeleteFunc(slices.Clone(rows), func(r results.Row) bool { return !without(r) }))
			fmt.Fprintf(&b, ", alone %s\n", digest(part.String()))
		}
	}

	// Few turns have no interval, few requests no rate, and none may be 0.
	fmt.Fprintln(&b, "\nDigests of tables and figures of rows that lack something")
	for _, lacking := range []struct {
		what   string
		change func(r *results.Row)
	}{
		{"values", func(r *results.Row) { r.Value = results.Number{} }},
		{"intervals", func(r *results.Row) { r.Low, r.High = results.Number{}, results.Number{} }},
		{"theory", func(r *results.Row) { r.Theory = results.Number{} }},
		{"what the paper says", func(r *results.Row) { r.Paper = results.Number{} }},
		{"places", func(r *results.Row) { r.X = results.Number{} }},
		{"counts", func(r *results.Row) { r.Count = 0 }},
		{"values but 0", func(r *results.Row) { r.Value, r.Low, r.High = results.Num(0), results.Num(0), results.Num(0) }},
		{"counts above 1", func(r *results.Row) { r.Count = min(r.Count, 1) }},
		{"counts above 2", func(r *results.Row) { r.Count = min(r.Count, 2) }},
		{"values but 1", func(r *results.Row) { r.Value, r.Low, r.High = results.Num(1), results.Num(1), results.Num(1) }},
		{"values but a thousandth", func(r *results.Row) { scale(r, 1e-3) }},
		{"values but a thousand times as much", func(r *results.Row) { scale(r, 1e3) }},
		{"values above zero", func(r *results.Row) { scale(r, -1); r.Low, r.High = r.High, r.Low }},
	} {
		changed := slices.Clone(rows)
		for i := range changed {
			lacking.change(&changed[i])
		}
		var part strings.Builder
		show(&part, x, changed)
		fmt.Fprintf(&b, "without %s %s\n", lacking.what, digest(part.String()))
	}
	fmt.Fprintf(&b, "without one place at a time %s\n", digest(placeByPlace(x, rows)))
	fmt.Fprintf(&b, "without one strategy's quantity at a time %s\n", digest(cellByCell(x, rows)))
	for _, every := range []struct {
		what string
		n    int
	}{{"every other row of a strategy's quantity", 2}, {"the first row of each", math.MaxInt}} {
		at := map[[3]string]int{}
		few := slices.DeleteFunc(slices.Clone(rows), func(r results.Row) bool {
			k := [3]string{r.Experiment, r.Strategy, r.Quantity}
			at[k]++
			return at[k]%every.n != 1
		})
		var part strings.Builder
		show(&part, x, few)
		fmt.Fprintf(&b, "%s %s\n", every.what, digest(part.String()))
	}
	return b.String()
}

// scale multiplies a row's value and its interval.
func scale(r *results.Row, by float64) {
	for _, n := range []*results.Number{&r.Value, &r.Low, &r.High} {
		if v, ok := n.Get(); ok {
			*n = results.Num(by * v)
		}
	}
}

// placeByPlace is the tables and figures of the rows without those of one x, for some
// of them: the first places, and the last.
func placeByPlace(x experiment.Experiment, rows []results.Row) string {
	const some = 10
	var places []results.Number
	for _, r := range rows {
		if r.X.IsSet() && !slices.Contains(places, r.X) {
			places = append(places, r.X)
		}
	}
	var b strings.Builder
	for _, place := range ends(places, some) {
		show(&b, x, slices.DeleteFunc(slices.Clone(rows), func(r results.Row) bool { return r.X == place }))
	}
	return b.String()
}

// cellByCell is the tables and figures of the rows without those of one strategy's one
// quantity, for some of them: the first, and the last.
func cellByCell(x experiment.Experiment, rows []results.Row) string {
	const some = 30
	type cell struct{ strategy, quantity string }
	of := func(r results.Row) cell { return cell{r.Strategy, r.Quantity} }
	var cells []cell
	for _, r := range rows {
		if !slices.Contains(cells, of(r)) {
			cells = append(cells, of(r))
		}
	}
	var b strings.Builder
	for _, c := range ends(cells, some) {
		show(&b, x, slices.DeleteFunc(slices.Clone(rows), func(r results.Row) bool { return of(r) == c }))
	}
	return b.String()
}

// ends are the first of a list and the last, so many of each at most.
func ends[T any](all []T, some int) []T {
	first := min(some, len(all))
	return slices.Delete(all, first, max(first, len(all)-some))
}

// madeUp are the rows of a run whose timings, and nothing else, are made up: those that
// are not as they were.
func madeUp(t *testing.T, x experiment.Experiment, r *run.Run, before []results.Row) []results.Row {
	if x.Needs == nil {
		return nil
	}
	other := r.Beside(t.Context())
	other.Out, other.Program = r.Out, r.Program
	for _, task := range x.Needs(r.Scope) {
		value, err := task.Kept(r)
		if err != nil {
			t.Fatal(err)
		}
		if task.Users != nil || value == nil {
			continue
		}
		var tree any
		if err := json.Unmarshal(value, &tree); err != nil {
			t.Fatal(err)
		}
		n := 0
		if value, err = json.Marshal(forged(tree, "", &n)); err != nil {
			t.Fatal(err)
		}
		if err := task.Save(other, value, results.Cost{Name: task.Name}); err != nil {
			t.Fatal(err)
		}
	}
	_, timing, err := x.Rows(other)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(timing, func(r results.Row) bool { return slices.Contains(before, r) })
}

// given are the numbers of a timing that no machine has a say in, by their names.
var given = []string{"candidates", "goroutines", "trades"}

// forged is a timing with numbers that are its places in it, each above the one before,
// but for those that are given. An empty one stays.
func forged(tree any, key string, n *int) any {
	switch v := tree.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			v[k] = forged(v[k], k, n)
		}
	case []any:
		for i := range v {
			v[i] = forged(v[i], key, n)
		}
	case float64:
		if *n++; !slices.Contains(given, strings.ToLower(key)) {
			return 100 + *n
		}
	}
	return tree
}

// impossible is whether a value that depends on the machine is one that none has.
func impossible(r results.Row) bool {
	v, measured := r.Value.Get()
	return measured && (r.Low.Or(v) > v || v > r.High.Or(v) || v < 0 && r.Unit == results.Nanoseconds)
}

// digest is a short text that changes with the one given.
func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return fmt.Sprintf("%x", sum[:4])
}

// show writes the tables and figures of rows.
func show(b *strings.Builder, x experiment.Experiment, rows []results.Row) {
	if x.Tables != nil {
		for _, table := range x.Tables(results.NewCells(rows)) {
			fmt.Fprintf(b, "\n%s\n%s\n", table.Title, strings.Join(table.Header, " | "))
			for _, cells := range table.Rows {
				fmt.Fprintln(b, strings.Join(cells, " | "))
			}
		}
	}
	data := plots.NewData(x.Figures, rows)
	for _, f := range x.Figures {
		fmt.Fprintf(b, "\nFigure %s: %s\n%s\nOf %s %q of strategies %d\n", f.Name, f.Title, f.Caption, f.Experiment, f.Quantity, f.Strategies)
		sheet, skipped, err := data.Lay(f)
		if err != nil || skipped != "" {
			fmt.Fprintln(b, "not drawn:", skipped, err)
			continue
		}
		draw(b, sheet)
	}
}

// plan writes what an experiment asks for.
func plan(b *strings.Builder, x experiment.Experiment, scope run.Scope) {
	if x.Needs == nil {
		return
	}
	for _, task := range x.Needs(scope) {
		fmt.Fprintf(b, "%s costs %.6g", task.Name, task.Cost(scope))
		if task.Users != nil {
			fmt.Fprintf(b, ", %d users", task.Users(scope))
		}
		if task.Machine {
			fmt.Fprint(b, ", of the machine")
		}
		if task.Along != nil {
			fmt.Fprintf(b, ", along with %s", task.Along.Name)
		}
		fmt.Fprintln(b)
	}
}
