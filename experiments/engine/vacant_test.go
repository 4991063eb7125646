package engine

import (
	"os"
	"path/filepath"
	"testing"

	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// A directory takes the results of the run that it belongs to, or of any if it is new, empty or --force is given. Files
// that no run wrote are never overwritten.
func TestVacant(t *testing.T) {
	run := results.Manifest{
		Seed: 1, Users: 10, Args: []string{"--users", "10"}, Started: "2026-01-02T03:04:05Z",
		Experiments: []results.Status{{Name: "fpr", Status: results.Done}},
	}
	other := run
	other.Users = 20
	clustered := run
	clustered.Args = []string{"cluster", "run"}
	for what, c := range map[string]struct {
		there  *results.Manifest
		file   string // a file, whose content is no result
		wanted results.Manifest
		force  bool
		want   string
	}{
		"empty":             {wanted: run},
		"its own":           {there: &run, wanted: run},
		"its own, mended":   {there: &run, file: "fpr.csv", wanted: run},
		"another's":         {there: &run, wanted: other, want: "'experiments --users 10' goes on with that run"},
		"a cluster's":       {there: &clustered, wanted: other, want: "'cluster run' goes on with that run"},
		"another's, forced": {there: &run, wanted: other, force: true},
		"no result":         {file: "fpr.csv", wanted: run, want: "move it away"},
		"no result, forced": {file: "fpr.csv", wanted: run, force: true},
		"not asked for":     {file: "fill.csv", wanted: run, force: true, want: "move it away"},
		"measurements":      {file: "measurements", wanted: run, force: true, want: "measurements is a file"},
		"figures":           {file: "figures", wanted: run, want: "figures is a file"},
		"damaged":           {file: "run.json", wanted: run, want: "--force to replace"},
	} {
		out := t.TempDir()
		if c.there != nil {
			strategytest.Must(t, results.WriteManifest(out, *c.there))
		}
		if c.file != "" {
			strategytest.Must(t, os.WriteFile(filepath.Join(out, c.file), []byte("mine"), 0o600))
		}
		strategytest.ErrorSays(t, what, Vacant(out, c.wanted, []string{"fpr"}, c.force), c.want)
	}
	deep := filepath.Join(t.TempDir(), "a", "b")
	strategytest.ErrorSays(t, "a new directory", Vacant(deep, run, nil, false), "")
	if left, err := os.ReadDir(deep); err != nil || len(left) != 0 {
		t.Errorf("a new directory contains %v, %v", left, err)
	}
	file := filepath.Join(deep, "file")
	strategytest.Must(t, os.WriteFile(file, nil, 0o600))
	strategytest.ErrorSays(t, "a file", Vacant(file, run, nil, true), "--out: ")
}
