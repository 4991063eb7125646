package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dejavu/results"
)

// A committed run agrees with itself; with one digit changed, a row taken away
// or a file gone it does not, and the difference is named. A row that only the
// run has is no fault: somebody's own strategy.
func TestVerify(t *testing.T) {
	runs, err := filepath.Glob(filepath.Join("..", "results", "reference", "*", "fpr.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if len(runs) == 0 {
		t.Fatal("there is no committed reference")
	}
	reference := filepath.Dir(runs[0])
	text := read(t, filepath.Join(reference, "fpr.csv"))
	lines := strings.SplitAfter(text, "\n")
	at := 0 // a measured rate of the single filter, in no round number
	for i, line := range lines {
		if f := strings.Split(line, ","); len(f) > 5 && f[1] == "single" && f[3] == "fpr" && len(f[5]) > 6 {
			at = i
		}
	}
	if at == 0 {
		t.Fatalf("%s has no rate to perturb", runs[0])
	}
	fields := strings.Split(lines[at], ",")
	value := fields[5]
	last := value[len(value)-1]
	fields[5] = value[:len(value)-1] + string('1'+(last-'0')%9) // another digit, not a trailing 0
	perturbed := fields[5]

	with := func(line string) string {
		return strings.Join(lines[:at], "") + line + strings.Join(lines[at+1:], "")
	}
	place := fmt.Sprintf("fpr: fpr of single at %s", fields[2])
	for _, c := range []struct {
		what, fpr string
		code      int
		phrases   []string
	}{
		{"the run itself", text, exitOK, []string{"deterministic values match the reference"}},
		{"a digit", with(strings.Join(fields, ",")), exitFailed, []string{
			fmt.Sprintf("fpr.csv, line %d: %s: value is %s, reference %s", at+1, place, perturbed, value),
		}},
		{"a row less", with(""), exitFailed, []string{fmt.Sprintf("fpr.csv: missing: %s, line %d of the reference", place, at+1)}},
		{"a row more", text + "fpr,mine,50,fpr,ratio,0.5,,,,,10\n", exitOK, nil},
		{"no rows", lines[0], exitFailed, []string{"missing: fpr: ", "... and "}},
	} {
		out := t.TempDir()
		if err := os.CopyFS(out, os.DirFS(reference)); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(out, "fpr.csv"), c.fpr)
		if c.code == exitOK {
			sign(t, out) // as the program does that writes such rows
		}
		r := program(t.Context(), "verify", "--out", out)
		wants(t, r, c.code, r.stdout, c.phrases...)
		if c.code == exitFailed && !strings.Contains(r.stderr, "differ from the reference") {
			t.Errorf("%s: standard error does not say that the run differs:\n%s", c.what, r.stderr)
		}
		matched, total := 0, 0
		if _, err := fmt.Sscanf(r.stdout, "%d of %d deterministic values match", &matched, &total); err != nil {
			t.Errorf("%s: no number of matches: %v\n%s", c.what, err, r.stdout)
		}
		if total == 0 || c.code == exitOK && matched != total || c.code == exitFailed && matched >= total {
			t.Errorf("%s: %d of %d values match", c.what, matched, total)
		}
	}
}

// sign notes in run.json what the files hold.
func sign(t *testing.T, out string) {
	t.Helper()
	run, err := results.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range run.Manifest.Experiments {
		files, err := results.Sums(out, s.Name)
		if err != nil {
			t.Fatal(err)
		}
		run.Manifest.Experiments[i].Files = files
	}
	if err := results.WriteManifest(out, run.Manifest); err != nil {
		t.Fatal(err)
	}
}

// A verdict that is not the reference's fails, and the message says which row
// made it so; one that rests on rows that neither has is passed over.
func TestVerifyVerdicts(t *testing.T) {
	const users = 20_000
	reference := filepath.Join("..", "results", "reference", fmt.Sprint(users))
	rows, err := results.ReadFile(filepath.Join(reference, results.FileName(results.Table1)))
	if err != nil {
		t.Fatal(err)
	}
	// A chain that errs as the paper says; a window of 399; a mean that is gone.
	for i, r := range rows {
		switch {
		case r.Strategy == "chain" && r.Quantity == results.QFPRSteady:
			rows[i].Value, rows[i].Low, rows[i].High = results.Num(0.0156), results.Num(0.0155), results.Num(0.0157)
		case r.Strategy == "chain" && r.Quantity == results.QWindowLeast:
			rows[i].Value = results.Num(399)
		case r.Strategy == "dual" && r.Quantity == results.QWindowMean:
			rows[i].Value = results.Number{}
		}
	}
	out := t.TempDir()
	if err := os.CopyFS(out, os.DirFS(reference)); err != nil {
		t.Fatal(err)
	}
	if err := results.WriteFile(filepath.Join(out, results.FileName(results.Table1)), rows); err != nil {
		t.Fatal(err)
	}
	sign(t, out)
	r := program(t.Context(), "verify", "--out", out)
	wants(t, r, exitFailed, r.stdout,
		"claim P23a: holds, reference refuted: table1: fpr steady of chain is 0.0156 (0.0155 to 0.0157), true is 0.01482 to 0.01638",
		"claim P24a: refuted, reference holds: table1: window least of chain is 399",
		"claim P18: not measured, reference refuted: table1: window mean of dual: value is empty")
	wants(t, r, exitFailed, r.stderr, "values differ from the reference", "verdicts are not those of the reference")
	if strings.Contains(r.stdout, "claim P12") {
		t.Errorf("a verdict that stands is named:\n%s", r.stdout)
	}
}

// Times are compared as ratios with their noise, and another machine is named;
// neither is a fault. A time without an interval is warned of, not compared.
func TestVerifyTimes(t *testing.T) {
	reference := filepath.Join("..", "results", "reference", "20000")
	out := t.TempDir()
	if err := os.CopyFS(out, os.DirFS(reference)); err != nil {
		t.Fatal(err)
	}
	times := 0
	files, err := filepath.Glob(filepath.Join(out, "*.timing.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if filepath.Base(path) == results.TimingFileName(results.Claims) {
			continue // verdicts, not times
		}
		rows, err := results.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range rows {
			v, _ := r.Value.Get()
			low, bounded := r.Low.Get()
			high, _ := r.High.Get()
			if !bounded || r.Unit != results.Nanoseconds {
				continue
			}
			at := 0.
			if r.Strategy == "single" && r.Quantity == results.QHotP50 {
				at = r.X.Or(0)
			}
			if at == 100 {
				rows[i].Low, rows[i].High = results.Number{}, results.Number{}
				continue
			}
			times++
			factor := 2. // a machine half as fast
			if at == 40 {
				factor = 20
			}
			rows[i].Value, rows[i].Low, rows[i].High = results.Num(factor*v), results.Num(factor*low), results.Num(factor*high)
		}
		if err := results.WriteFile(path, rows); err != nil {
			t.Fatal(err)
		}
	}
	sign(t, out)
	r := program(t.Context(), "verify", "--out", out)
	wants(t, r, exitOK, r.stdout, "The environment is the reference's.")

	run, err := results.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	run.Manifest.Environment.CPU = "a slower one"
	run.Manifest.Environment.CPUs = 1
	if err := results.WriteManifest(out, run.Manifest); err != nil {
		t.Fatal(err)
	}
	r = program(t.Context(), "verify", "--out", out)
	wants(t, r, exitOK, r.stdout,
		"run.json: the environment is not the reference's",
		`cpu is "a slower one", reference "`, `cpus is "1", reference "`,
		fmt.Sprintf("%d of %d times are the reference's within the noise of both, this machine taking 2.00 times as long.", times-1, times),
		"latency.timing.csv: latency: hot p50 of single at 40 is 20.00 times the reference's (",
		"ratios of times taken in turns are the reference's", "Warning: ", "latency hot p50")
}
