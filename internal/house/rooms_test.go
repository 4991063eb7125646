// House rules that no single package can hold by itself.
package house

import (
	"bytes"
	_ "embed"
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

	"dejavu/strategies/strategytest"
)

// module is the path that go.mod gives.
var module = func() string {
	data, _ := os.ReadFile("../../go.mod") // before TestMain has gone to the root
	first, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimPrefix(first, "module ")
}()

// rooms says which rooms of ours each room may import.
var rooms = func() (all []struct {
	room string
	may  []string
},
) {
	for line := range strings.Lines(roomsText) {
		room, may, begins := strings.Cut(line, ":")
		switch words := strings.Fields(line); {
		case len(words) == 0 || line[0] == '#':
		case begins:
			all = append(all, struct {
				room string
				may  []string
			}{room, strings.Fields(may)})
		default:
			all[len(all)-1].may = append(all[len(all)-1].may, words...)
		}
	}
	return all
}()

//go:embed rooms.txt
var roomsText string

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
			t.Errorf("package %s has no line in rooms (internal/house/rooms.txt): say which rooms it may import", pkg)
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
	reads := func(pkg, room string, want bool) {
		t.Helper()
		strategytest.Equal(t, within(pkg, room), want, "within(%q, %q)", pkg, room)
	}
	reads("bloom", "bloom", true)
	reads("bloom/schemes", "bloom", false)
	reads("beyond/ring", "beyond/...", true)
	reads("beyondness", "beyond/...", false)
	reads("store", "...", true)
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
	strategytest.Must(t, err)
}

// widest is how many characters a line of Go may have.
const widest = 120

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
		strategytest.AtMost(t, bytes.Count(data, []byte("\n")), longest, "%s: lines", name)
		number := 0
		for line := range bytes.Lines(data) {
			number++
			characters := utf8.RuneCount(bytes.TrimRight(line, "\n"))
			if characters > widest && !bytes.HasPrefix(line, []byte("//go:generate ")) {
				t.Errorf("%s:%d has %d characters, want at most %d", name, number, characters, widest)
			}
		}
	})
	strategytest.AtLeast(t, seen, 50, "Go files that were looked at")
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
