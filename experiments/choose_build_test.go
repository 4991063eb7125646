package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Every Go line that is printed compiles in a program of its own, and what it
// constructs takes the bytes, promises the window and errs at the rate printed.
func TestGoLines(t *testing.T) {
	t.Parallel()
	var all []offer
	for _, n := range []need{{window: 400, fpr: 0.02}, {window: 1, fpr: 0.3}, {window: 3000, fpr: 1e-4, articles: 5000}} {
		for _, s := range offered(t, n) {
			if s.made != nil {
				all = append(all, s)
			}
		}
	}
	var program strings.Builder
	program.WriteString("package main\n\nimport (\n\t\"fmt\"\n\n\t\"dejavu/bloom\"\n")
	imports := map[string]bool{}
	for _, s := range all {
		imports["dejavu/"+s.Strategy] = true
	}
	for _, path := range slices.Sorted(maps.Keys(imports)) {
		fmt.Fprintf(&program, "\t%q\n", path)
	}
	program.WriteString(")\n\nfunc main() {\n")
	for _, s := range all {
		first := s.first
		if s.kind.wears {
			first = s.last
		}
		fmt.Fprintf(&program, "\t{\n\t\t%s\n\t\tif err != nil {\n\t\t\tpanic(err)\n\t\t}\n"+
			"\t\tfmt.Printf(\"%%d %%d %%.5g\\n\", memory.Bytes(%d), memory.Window(%d), memory.FPR(%d))\n\t}\n", s.Go, s.last, first, s.last)
	}
	program.WriteString("}\n")
	path := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(path, []byte(program.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"vet", "run"} {
		cmd := exec.Command("go", command, path)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go %s: %v\n%s\n%s", command, err, &stderr, &program)
		}
		if command == "vet" {
			continue
		}
		printed := strings.Split(strings.TrimSpace(string(out)), "\n")
		if len(printed) != len(all) {
			t.Fatalf("%d lines for %d offers:\n%s", len(printed), len(all), out)
		}
		for i, s := range all {
			if want := fmt.Sprintf("%d %d %.5g", s.Payload+s.Header, s.Window, s.FPR); printed[i] != want {
				t.Errorf("%s\nhas bytes, window, rate %s; want %s", s.Go, printed[i], want)
			}
		}
	}
}

// README.md shows what the program prints.
func TestREADMEChoosing(t *testing.T) {
	r := program(t.Context(), strings.Fields("choose --users 10000000 --window 400 --fpr 0.02 --memory 6GiB --markdown")...)
	wants(t, r, exitOK, r.stdout, "3 of 13 strategies fit")
	holds(t, "choose", r.stdout)
}
