package dejavu_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"dejavu/strategies/strategytest"
)

// The program in README.md runs as it is, and prints what the page says.
func TestREADMEProgram(t *testing.T) {
	page := strategytest.Value(os.ReadFile("README.md"))
	parts := regexp.MustCompile("(?s)```go\n(package main.*?)```\\s+It prints `(.*?)` and `(.*?)`").FindSubmatch(page)
	if parts == nil {
		t.Fatal("README.md has no program, or does not say what it prints")
	}
	program := filepath.Join(t.TempDir(), "main.go")
	strategytest.Must(t, os.WriteFile(program, parts[1], 0o600))
	printed, err := exec.Command("go", "run", program).CombinedOutput()
	strategytest.Must(t, err)
	strategytest.Equal(t, string(printed), string(parts[2])+"\n"+string(parts[3])+"\n", "the program prints")
}
