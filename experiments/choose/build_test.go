//go:build !race

package choose

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"dejavu/strategies/strategytest"
)

// Every printed Go line compiles in its own program, and constructs a strategy with the printed bytes, window and rate.
func TestGoLines(t *testing.T) {
	t.Parallel()
	var all []Offer
	for _, n := range []Need{{Window: 400, FPR: 0.02}, {Window: 1, FPR: 0.3}, {Window: 3000, FPR: 1e-4, Articles: 5000}} {
		for _, o := range offered(t, n) {
			if o.made != nil {
				all = append(all, o)
			}
		}
	}
	var program strings.Builder
	module := strings.TrimSuffix(reflect.TypeFor[Offer]().PkgPath(), "/experiments/choose")
	fmt.Fprintf(&program, "package main\n\nimport (\n\t\"fmt\"\n\n\t%q\n", module+"/bloom")
	imports := map[string]bool{}
	for _, o := range all {
		imports[module+"/"+o.Strategy] = true
	}
	for _, path := range slices.Sorted(maps.Keys(imports)) {
		fmt.Fprintf(&program, "\t%q\n", path)
	}
	program.WriteString(")\n\nfunc main() {\n")
	for _, o := range all {
		first := o.first
		if o.kind.endless {
			first = o.last
		}
		fmt.Fprintf(&program, `	{
		%s
		if err != nil {
			panic(err)
		}
		fmt.Printf("%%d %%d %%.5g\n", memory.Bytes(%d), memory.Window(%d), memory.FPR(%d))
	}
`, o.Go, o.last, first, o.last)
	}
	program.WriteString("}\n")
	path := filepath.Join(t.TempDir(), "main.go")
	strategytest.Must(t, os.WriteFile(path, []byte(program.String()), 0o644))
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
		for i, o := range all {
			if want := fmt.Sprintf("%d %d %.5g", o.Payload+o.Header, o.Window, o.FPR); printed[i] != want {
				t.Errorf("%s\nhas bytes, window, rate %s; want %s", o.Go, printed[i], want)
			}
		}
	}
}
