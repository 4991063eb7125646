package dejavu_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dejavu/strategies/strategytest"
)

// The programs in README.md and docs/getting-started.md run as they are, and print what the pages say.
func TestREADMEProgram(t *testing.T) {
	for _, path := range []string{"README.md", "docs/getting-started.md"} {
		page := strategytest.Value(os.ReadFile(path))
		parts := regexp.MustCompile("(?s)```go\n(package main.*?)```.*?It prints `(.*?)`(?: and `(.*?)`)?").FindSubmatch(page)
		if parts == nil {
			t.Fatalf("%s: no program, or not a word on what it prints", path)
		}
		program := filepath.Join(t.TempDir(), "main.go")
		strategytest.Must(t, os.WriteFile(program, parts[1], 0o600))
		printed, err := exec.Command("go", "run", program).CombinedOutput()
		strategytest.Must(t, err)
		want := strings.TrimSpace(string(parts[2]) + "\n" + string(parts[3]))
		strategytest.Equal(t, strings.TrimSpace(string(printed)), want, "%s: the program prints", path)
	}
}
