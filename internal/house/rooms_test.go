// House rules that no single package can hold by itself.
package house

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// module is the path that go.mod gives.
var module = func() string {
	data, _ := os.ReadFile("../../go.mod") // before TestMain has gone to the root
	first, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimPrefix(first, "module ")
}()

// rooms says which rooms of ours each room may import. A room is a package, or
// with /... a folder of packages that keep the same rule. Tests may import what
// they like.
var rooms = []struct {
	room string
	may  []string
}{
	{".", nil},
	{"strategies", nil},
	{"strategies/strategytest", []string{"strategies"}},
	{"strategies/strategytest/seeded", nil},
	{"bloom", nil},
	{"bloom/schemes", []string{"bloom"}},
	{"internal/lookup", []string{"strategies"}},
	{"internal/bitarray", nil},
	{"internal/cycle", nil},
	{"internal/document", nil},
	{"internal/house", nil},
	{"queue", []string{"strategies", "internal/lookup"}},
	{"single", []string{"strategies", "bloom"}},
	{"dual", []string{"strategies", "bloom"}},
	{"chain", []string{"strategies", "bloom"}},
	{"beyond/...", []string{"strategies", "bloom", "internal/lookup", "internal/bitarray", "internal/cycle"}},
	{"internal/atomicfile", nil},
	{"store", []string{"strategies", "internal/atomicfile"}},
	{"workload", []string{"strategies"}},
	{"workload/logs", []string{"strategies", "workload/logs/..."}},
	{"workload/logs/logtest", []string{"strategies", "workload", "workload/logs"}},
	{"workload/logs/shown", nil},
	{"workload/logs/clock", []string{"workload/logs/shown"}},
	{"workload/logs/table", []string{"workload/logs/shown"}},
	{"workload/logs/jsonline", []string{"workload/logs/shown"}},
	{"workload/logs/event", []string{"strategies"}},
	{"workload/logs/order", []string{"strategies", "workload/logs/event"}},
	{"workload/logs/decision", []string{
		"workload/logs/shown", "workload/logs/clock", "workload/logs/table", "workload/logs/jsonline", "workload/logs/event",
	}},
	{"workload/logs/format", []string{
		"strategies", "workload/logs/shown", "workload/logs/clock", "workload/logs/table", "workload/logs/jsonline",
		"workload/logs/event", "workload/logs/decision",
	}},
	{"results", []string{"internal/atomicfile"}},
	{"results/by", []string{"results"}},
	{"internal/sysinfo", []string{"results", "bloom"}},
	{"plots", []string{"results"}},
	{"claims", []string{"results"}},
	{"internal/page", []string{"internal/document"}},
	{"measure", []string{"strategies", "store", "workload", "internal/sysinfo"}},
	{"measure/stopwatch", []string{"strategies", "measure"}},
	{"measure/alive", []string{"strategies", "store", "measure", "measure/stopwatch"}},
	{"measure/deal", []string{"strategies", "store", "workload/logs"}},

	{"experiments/catalogue", []string{"experiments/quantity", "strategies", "bloom", "queue", "single", "dual", "chain", "beyond/...", "measure", "results"}},
	{"experiments/catalogue/cataloguetest", []string{"experiments/catalogue", "measure"}},
	{"experiments/text", []string{"internal/document", "results"}},
	{"experiments/row", []string{"measure", "measure/stopwatch", "results", "results/by"}},
	{"experiments/golden", nil},
	{"experiments/roomtest", []string{"experiments/catalogue", "experiments/experiment", "experiments/golden", "experiments/engine", "measure", "measure/stopwatch", "plots", "internal/document", "results", "internal/sysinfo"}},
	{"experiments/quantity", nil},
	{"experiments/usage", []string{"experiments/quantity"}},
	{"experiments/engine", []string{"experiments/catalogue", "workload", "measure", "results"}},
	{"experiments/experiment", []string{"experiments/engine", "experiments/text", "plots", "internal/document", "results"}},
	{"experiments/shared", []string{"experiments/catalogue", "experiments/engine", "queue", "strategies", "workload", "measure", "measure/alive", "measure/stopwatch", "results"}},

	{"experiments/suite", []string{"experiments/...", "results"}},
	{"experiments/shard", []string{"experiments/engine", "results"}},
	{"experiments/peers", []string{"experiments/experiment", "experiments/peers/standing", "internal/document", "plots", "results"}},
	{"experiments/peers/standing", []string{"internal/document", "results", "results/by"}},
	{"experiments/findings", []string{"experiments/text", "internal/document", "internal/page", "results"}},
	{"experiments/ledger", []string{"experiments/text", "claims", "internal/document", "results"}},
	{"experiments/replication", []string{"experiments/findings", "experiments/ledger", "experiments/text", "claims", "internal/document", "results", "results/by"}},
	{"experiments/reference", []string{"claims", "measure/stopwatch", "results"}},
	{"experiments/sized", []string{"experiments/catalogue"}},
	{"experiments/choice", []string{
		"experiments/catalogue", "experiments/describe", "experiments/replay", "experiments/replay/replayer", "experiments/row", "experiments/shared", "experiments/sized", "experiments/text", "queue", "single", "dual", "chain", "beyond/...", "bloom",
		"measure", "internal/document", "results", "results/by", "store", "workload",
	}},
	{"experiments/explorer", []string{"experiments/catalogue", "experiments/sized", "single", "dual", "chain", "bloom", "internal/page", "results"}},
	{"experiments/report", []string{
		"experiments/catalogue", "experiments/experiment", "experiments/explorer", "experiments/findings", "experiments/ledger", "experiments/table1", "experiments/tradeoff", "experiments/peers", "experiments/peers/standing", "experiments/replication", "experiments/shard", "experiments/text", "claims", "internal/page", "plots", "internal/document", "results", "results/by",
	}},
	{"experiments/describe", []string{"experiments/row", "experiments/text", "store", "workload", "workload/logs", "measure", "measure/deal", "internal/document", "results"}},
	{"experiments/replay", []string{
		"experiments/catalogue", "experiments/experiment", "experiments/replay/replayer", "experiments/row", "experiments/text", "strategies", "store", "measure", "measure/deal", "plots", "results", "results/by", "workload/logs", "workload/logs/clock",
	}},
	{"experiments/replay/replayer", []string{
		"bloom", "chain", "experiments/row", "strategies", "store", "measure", "measure/deal", "results", "internal/sysinfo", "workload/logs",
	}},
	{"experiments", []string{"..."}},
	{"experiments/...", experiment}, // each other one
}

// experiment is what the room of an experiment may import, beside rooms of its own:
// what all experiments share, the floors below, and no other experiment.
var experiment = []string{
	"experiments/catalogue", "experiments/experiment", "experiments/row", "experiments/engine", "experiments/shared", "experiments/sized", "experiments/text",
	"queue", "single", "dual", "chain", "beyond/...", "bloom", "bloom/schemes", "strategies", "store", "workload", "internal/sysinfo", "measure", "measure/stopwatch", "plots", "internal/document", "results", "results/by",
}

// A listed package is what go list says of it.
type listed struct {
	ImportPath string
	Dir        string
	Name       string
	GoFiles    []string
	Imports    []string
}

// packages lists the packages of the module.
func packages(t *testing.T) []listed {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,Name,GoFiles,Imports", "./...")
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &stderr)
	}
	var all []listed
	for in := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := in.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if len(all) < 10 {
		t.Fatalf("go list knows %d packages: is this the module's root?", len(all))
	}
	return all
}

// local is an import path of ours from the module's root, or false.
func local(importPath string) (string, bool) {
	if importPath == module {
		return ".", true
	}
	return strings.CutPrefix(importPath, module+"/")
}

// within is whether a package is the room, or in the folder of that pattern.
func within(pkg, room string) bool {
	if room == "..." {
		return true
	}
	folder, ok := strings.CutSuffix(room, "/...")
	return pkg == folder || ok && strings.HasPrefix(pkg, folder+"/")
}

// Imports follow the arrows, so that a strategy stays a pure function over
// bytes, and a figure can be drawn without one.
func TestArrows(t *testing.T) {
	for _, p := range packages(t) {
		pkg, ok := local(p.ImportPath)
		if !ok {
			t.Errorf("%s is not below %s", p.ImportPath, module)
			continue
		}
		may, known := allowed(pkg)
		if !known {
			t.Errorf("package %s has no line in rooms (internal/house/rooms_test.go): say which rooms it may import", pkg)
			continue
		}
		for _, imported := range p.Imports {
			to, ours := local(imported)
			if !ours {
				continue
			}
			if within(to, "experiments") {
				t.Errorf("%s imports the program, %s: nothing may", pkg, to)
			}
			if strings.HasPrefix(to, pkg+"/") { // a room of its own
				continue
			}
			if !slices.ContainsFunc(may, func(room string) bool { return within(to, room) }) {
				t.Errorf("%s imports %s, but may import only %v", pkg, to, may)
			}
		}
	}
}

func allowed(pkg string) (may []string, known bool) {
	for _, r := range rooms {
		if within(pkg, r.room) {
			return r.may, true
		}
	}
	return nil, false
}

// The lines of rooms themselves: without these, a slip in the pattern would let
// everything pass.
func TestArrowsAreRead(t *testing.T) {
	for _, c := range []struct {
		pkg, room string
		want      bool
	}{
		{"bloom", "bloom", true},
		{"bloom/schemes", "bloom", false},
		{"beyond/cuckoo", "beyond/...", true},
		{"beyondness", "beyond/...", false},
		{"store", "...", true},
	} {
		if got := within(c.pkg, c.room); got != c.want {
			t.Errorf("within(%q, %q) = %v, want %v", c.pkg, c.room, got, c.want)
		}
	}
	if may, known := allowed("plots"); !known || slices.Contains(may, "strategies") {
		t.Errorf("plots may import %v, known %v: want results alone", may, known)
	}
	if _, known := allowed("attic"); known {
		t.Error("a room that nobody listed is known")
	}
}

// longest is how many lines a Go file may have.
const longest = 400

// sources calls visit with every text file of ours: the path from the root, and
// its bytes. What a run writes, and what others wrote, is passed over.
func sources(t *testing.T, visit func(name string, data []byte)) {
	t.Helper()
	skip := []string{".git", "out", "sources", "reference", "testdata"}
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains(skip, d.Name()):
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		switch path.Ext(name) {
		case ".go", ".mod", ".md", ".yml", ".txt", ".html", ".js", ".css", ".txtar", "":
			data, err := os.ReadFile(filepath.FromSlash(name))
			if err != nil {
				return err
			}
			visit(name, data)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// widest is how many characters a line of Go may have.
const widest = 120

// wide are the folders whose lines are not all so short yet.
var wide = []string{
	"claims", "cluster", "experiments", "internal/house", "internal/page", "live", "parquet", "peers", "plots",
	"results", "workload/logs",
}

// generated reports whether a Go file says that it is.
func generated(data []byte) bool {
	const mark = "// Code generated "
	return bytes.HasPrefix(data, []byte(mark)) || bytes.Contains(data, []byte("\n"+mark))
}

// Files of Go have so many lines at most, and lines so many characters.
func TestFilesAreShort(t *testing.T) {
	seen := 0
	sources(t, func(name string, data []byte) {
		if path.Ext(name) != ".go" || generated(data) {
			return
		}
		seen++
		if lines := bytes.Count(data, []byte("\n")); lines > longest {
			t.Errorf("%s has %d lines, want at most %d", name, lines, longest)
		}
		number := 0
		for line := range bytes.Lines(data) {
			number++
			characters := utf8.RuneCount(bytes.TrimRight(line, "\n"))
			later := slices.ContainsFunc(wide, func(room string) bool { return within(name, room+"/...") })
			if characters > widest && !later && !bytes.HasPrefix(line, []byte("//go:generate ")) {
				t.Errorf("%s:%d has %d characters, want at most %d", name, number, characters, widest)
			}
		}
	})
	if seen < 50 {
		t.Errorf("looked at %d Go files: are the others gone?", seen)
	}
}

// machinePath is a path of one machine, not of a web page.
var machinePath = regexp.MustCompile(`(?m)(^|[^\w.])/(work|root|tmp)/`)

// Sources name no place of one machine.
func TestNoMachinePaths(t *testing.T) {
	sources(t, func(name string, data []byte) {
		for _, at := range machinePath.FindAllIndex(data, -1) {
			line := 1 + bytes.Count(data[:at[1]], []byte("\n"))
			t.Errorf("%s:%d: mentions a path of one machine: %q", name, line, data[at[0]:at[1]])
		}
	})
}
