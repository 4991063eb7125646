package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dejavu/results"
)

// README.md shows what the committed rows say.
func TestREADME(t *testing.T) {
	var rows []results.Row
	for _, name := range []string{results.FileName(experiment), results.TimingFileName(experiment)} {
		part, err := results.ReadFile(filepath.Join("reference", name))
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, part...)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := report(&out, rows, results.Environment{}); err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(out.String(), "\n\n") // behind the machine
	lines := 0
	versions := false // a test does not know the modules' versions
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "**") {
			versions = strings.Contains(line, "The libraries")
		}
		if versions {
			continue
		}
		lines++
		if !bytes.Contains(readme, []byte(line)) {
			t.Errorf("README.md lacks what the rows say:\n%s", line)
		}
	}
	if lines < 50 {
		t.Errorf("looked at %d lines: are the others gone?", lines)
	}
}
