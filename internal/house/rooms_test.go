package house

import (
	_ "embed"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"dejavu/strategies/strategytest"
)

// The tests look at the whole checkout, from its root.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

//go:embed rooms.txt
var roomsText string

// A rule says which packages a package, or all below a folder ("beyond/..."), may import.
type rule struct {
	of  string
	may []string
}

func rules() (all []rule) {
	for line := range strings.Lines(strings.ReplaceAll(roomsText, "\n ", " ")) {
		if of, may, found := strings.Cut(line, ":"); found && line[0] != '#' {
			all = append(all, rule{of, strings.Fields(may)})
		}
	}
	return all
}

// within reports whether a package is the one that a pattern names, or below its folder.
func within(pkg, pattern string) bool {
	folder, all := strings.CutSuffix(pattern, "...")
	return pkg == pattern || all && (strings.HasPrefix(pkg, folder) || pkg+"/" == folder)
}

// refused lists the imports of a package that no rule allows. A package may import the packages below it.
func refused(pkg string, imports []string) (all []string) {
	i := slices.IndexFunc(rules(), func(r rule) bool { return within(pkg, r.of) })
	for _, to := range imports {
		may := func(pattern string) bool { return within(to, pattern) }
		if i < 0 || to == "experiments" || !strings.HasPrefix(to, pkg+"/") && !slices.ContainsFunc(rules()[i].may, may) {
			all = append(all, to)
		}
	}
	return all
}

// Imports follow rooms.txt, so that a strategy stays a pure function over bytes, and a figure can be drawn without one.
func TestImports(t *testing.T) {
	module := strings.TrimSpace(string(strategytest.Value(exec.Command("go", "list", "-m").Output())))
	listed := strategytest.Value(exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./...").Output())
	seen := 0
	for line := range strings.Lines(string(listed)) {
		var ours []string
		for word := range strings.FieldsSeq(line) {
			if word == module {
				ours = append(ours, ".")
			} else if pkg, ok := strings.CutPrefix(word, module+"/"); ok {
				ours = append(ours, pkg)
			}
		}
		seen++
		strategytest.EqualSlices(t, refused(ours[0], ours[1:]), nil, "%s imports what rooms.txt does not allow it", ours[0])
	}
	strategytest.AtLeast(t, seen, 50, "packages")
}

// Imports that are not allowed are found.
func TestRefused(t *testing.T) {
	for pkg, refusedOne := range map[string]string{
		"plots": "strategies", "beyond/ring": "store", "beyondness": "strategies", "attic": "plots", "claims": "experiments",
	} {
		strategytest.EqualSlices(t, refused(pkg, []string{refusedOne}), []string{refusedOne}, "%s: refused", pkg)
	}
	strategytest.EqualSlices(t, refused("beyond/ring", []string{"strategies", "bloom", "beyond/ring/inner"}), nil, "refused")
}
