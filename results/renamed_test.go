package results_test

import (
	"encoding/csv"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dejavu/results"
)

var update = flag.Bool("update", false, "write the committed rows anew from those before")

// dropped stands for the dimension of an x that says nothing.
const dropped = "-"

// A renaming says what became of the rows of one old quantity: which dimension its x is
// now, the quantity's new name, and the conditions that stood in its old one.
type renaming struct {
	along, quantity string
	where           []results.Condition
}

// readRenamings reads a table of renamings: the columns "quantity", "x" (empty for every
// one), "along", "new quantity" and "conditions". Its first line lists the dimensions.
func readRenamings(t *testing.T, path string) (dimensions []results.Dimension, found map[[2]string]renaming) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := csv.NewReader(f)
	in.FieldsPerRecord = -1
	all, err := in.ReadAll()
	if err != nil || len(all) < 3 {
		t.Fatalf("%s: %d lines, %v", path, len(all), err)
	}
	for _, name := range all[0][1:] {
		dimensions = append(dimensions, results.Dimension{Name: name})
	}
	found = map[[2]string]renaming{}
	for _, line := range all[2:] {
		r := renaming{along: line[2], quantity: line[3]}
		for one := range strings.SplitSeq(line[4], "; ") {
			if name, value, ok := strings.Cut(one, "="); ok {
				r.where = append(r.where, results.Condition{Dimension: name, Value: value})
			}
		}
		key := [2]string{line[0], line[1]}
		if _, twice := found[key]; twice {
			t.Errorf("%s: %q stands twice", path, key)
		}
		found[key] = r
	}
	return dimensions, found
}

// Every value of the reference before rows had dimensions is found in today's, under its
// new name, and no two have become one.
func TestRenamed(t *testing.T) {
	tables, err := filepath.Glob("testdata/renamed/*.csv")
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, table := range tables {
		experiment := strings.TrimSuffix(filepath.Base(table), ".csv")
		dimensions, renamings := readRenamings(t, table)
		olds, err := filepath.Glob("testdata/before/*/" + experiment + ".*csv")
		if err != nil || len(olds) == 0 {
			t.Fatalf("%s: no rows before, %v", experiment, err)
		}
		for _, old := range olds {
			now := filepath.Join("reference", filepath.Base(filepath.Dir(old)), filepath.Base(old))
			want := renamed(t, read(t, old), renamings)
			if *update {
				if err := results.WriteFile(now, dimensions, want); err != nil {
					t.Fatal(err)
				}
				sumAgain(t, filepath.Dir(now), experiment)
			}
			c := results.Compare(read(t, now), want)
			if c.Matched != len(want) || len(c.Extra) > 0 {
				t.Errorf("%s: %d of %d values found, %d differ, missing %v, extra %v", now, c.Matched, len(want), c.Differing, c.Missing, c.Extra)
			}
			compared += c.Matched
		}
	}
	t.Logf("%d values are found under their new names", compared)
}

func read(t *testing.T, path string) []results.Row {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := results.Read(f)
	if err != nil {
		t.Fatal(path, err)
	}
	return rows
}

// renamed are old rows under their new names.
func renamed(t *testing.T, rows []results.Row, renamings map[[2]string]renaming) []results.Row {
	t.Helper()
	names := map[results.Query]results.Query{}
	out := make([]results.Row, len(rows))
	for i, old := range rows {
		x := old.Where.Of(results.X)
		r, ok := renamings[[2]string{old.Quantity, x}]
		if !ok {
			r, ok = renamings[[2]string{old.Quantity, ""}]
		}
		if !ok || x != "" && r.along == "" || old.Where != results.Where(results.X.Is(x)) {
			t.Fatalf("%s: no renaming of this row", old.Name())
		}
		out[i] = old
		out[i].Quantity, out[i].Where = r.quantity, results.Where(r.where...)
		if r.along != dropped && x != "" {
			out[i].Where = out[i].Where.With(results.Dimension{Name: r.along}.Is(x))
		}
		if other, twice := names[out[i].Name()]; twice {
			t.Fatalf("%s and %s are both %s", other, old.Name(), out[i].Name())
		}
		names[out[i].Name()] = old.Name()
	}
	return out
}

// sumAgain writes the digests of an experiment's files into the manifest beside them.
func sumAgain(t *testing.T, dir, experiment string) {
	t.Helper()
	m, err := results.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Experiments {
		if s := &m.Experiments[i]; s.Name == experiment && len(s.Files) > 0 {
			if s.Files, err = results.Sums(dir, experiment); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := results.WriteManifest(dir, m); err != nil {
		t.Fatal(err)
	}
}
