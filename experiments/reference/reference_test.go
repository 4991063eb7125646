package reference

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// verify compares a directory with the reference, and returns what is printed.
func verify(t *testing.T, dir string) (printed string, err error) {
	t.Helper()
	run := strategytest.Value(results.ReadDir(dir))
	var out strings.Builder
	err = Verify(dir, run, &out, true)
	return out.String(), err
}

// wants fails the test unless a text holds each of the phrases.
func wants(t *testing.T, text string, phrases ...string) {
	t.Helper()
	for _, p := range phrases {
		if !strings.Contains(text, p) {
			t.Errorf("no %q in\n%s", p, text)
		}
	}
}

// copied is a copy of the committed run.
func copied(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	strategytest.Must(t, os.CopyFS(dir, os.DirFS(committed)))
	return dir
}

// committed is where the smaller reference lies.
var committed = filepath.Join("..", "..", "results", "reference", "20000")

// A committed run agrees with itself; with one digit changed, a row taken away or a file gone it does not, and
// the difference is named. A row that only the run has is no fault: it may be of a strategy of the user's own.
func TestVerify(t *testing.T) {
	data := strategytest.Value(os.ReadFile(filepath.Join(committed, "fpr.csv")))
	text := string(data)
	lines := strings.SplitAfter(text, "\n")
	const value = 7 // behind experiment, strategy, three dimensions, quantity and unit
	at := 0         // a measured rate of the single filter, in no round number
	for i, line := range lines {
		if f := strings.Split(line, ","); len(f) > value && f[1] == "single" && f[3]+f[4] == "" && f[5] == "fpr" &&
			len(f[value]) > 6 {
			at = i
		}
	}
	if at == 0 {
		t.Fatal("there is no rate to perturb")
	}
	fields := strings.Split(lines[at], ",")
	was := fields[value]
	last := was[len(was)-1]
	fields[value] = was[:len(was)-1] + string('1'+(last-'0')%9) // another digit, not a trailing 0
	perturbed := fields[value]

	with := func(line string) string {
		return strings.Join(lines[:at], "") + line + strings.Join(lines[at+1:], "")
	}
	place := fmt.Sprintf("fpr: fpr of single at articles=%s", fields[2])
	agreed := func(what, fpr string, agrees bool, phrases ...string) {
		t.Helper()
		out := copied(t)
		strategytest.Must(t, os.WriteFile(filepath.Join(out, "fpr.csv"), []byte(fpr), 0o644))
		if agrees {
			sign(t, out) // as the program does that writes such rows
		}
		printed, err := verify(t, out)
		wants(t, printed, phrases...)
		if agrees != (err == nil) || err != nil &&
			!(strings.Contains(err.Error(), "differ from the reference") && strings.Contains(err.Error(), "fpr.csv")) {
			t.Errorf("%s: error %v, agrees is %v", what, err, agrees)
		}
		matched, total := 0, 0
		if _, err := fmt.Sscanf(printed, "%d of %d deterministic values match", &matched, &total); err != nil {
			t.Errorf("%s: no number of matches: %v\n%s", what, err, printed)
		}
		if total == 0 || agrees && matched != total || !agrees && matched >= total {
			t.Errorf("%s: %d of %d values match", what, matched, total)
		}
	}
	agreed("the run itself", text, true, "deterministic values match the reference")
	agreed("a digit", with(strings.Join(fields, ",")), false,
		fmt.Sprintf("fpr.csv, line %d: %s: value is %s, reference %s", at+1, place, perturbed, was))
	agreed("a row less", with(""), false,
		fmt.Sprintf("fpr.csv: missing: %s, line %d of the reference", place, at+1))
	agreed("a row more", text+"fpr,mine,50,,,fpr,ratio,0.5,,,,,10\n", true)
	agreed("no rows", lines[0], false, "missing: fpr: ", "... and ")
}

// sign notes in run.json what the files hold.
func sign(t *testing.T, out string) {
	t.Helper()
	run := strategytest.Value(results.ReadDir(out))
	for i, s := range run.Manifest.Experiments {
		run.Manifest.Experiments[i].Files = strategytest.Value(results.Sums(out, s.Name))
	}
	strategytest.Must(t, results.WriteManifest(out, run.Manifest))
}

// A run that has no reference, by its users or by their habits, is told so, and fails only by itself.
func TestVerifyWithoutReference(t *testing.T) {
	for _, c := range []struct {
		manifest results.Manifest
		phrase   string
	}{
		{results.Manifest{Users: 299, Seed: 2016}, "no committed reference for 299 users and seed 2016"},
		{
			results.Manifest{Users: 20000, Seed: 2016, Population: "sessions 3"},
			"no committed reference for a population of its own (--population): sessions 3.",
		},
	} {
		var out strings.Builder
		strategytest.ErrorSays(t, c.phrase, Verify(t.TempDir(), &results.Run{Manifest: c.manifest}, &out, true), "")
		wants(t, out.String(), c.phrase)
		c.manifest.Experiments = []results.Status{{Name: "fpr", Status: results.Failed, Error: "the lamp went out"}}
		if err := Verify(t.TempDir(), &results.Run{Manifest: c.manifest}, &out, true); err == nil ||
			!strings.Contains(err.Error(), "1 of the experiments failed: fpr: the lamp went out") {
			t.Errorf("%s: a failed experiment is %v", c.phrase, err)
		}
	}
}

// What the committed runs measured is what theory says, row by row: within 4.5 standard errors, clustered by
// user, for every rate that rests on enough hits and misses. Of the 1400 such rows of the large run chance
// alone would let one fail in a hundred runs. And no repeat came through any window.
func TestReferenceAgreesWithTheory(t *testing.T) {
	for _, users := range []int{10_000_000, 20_000} {
		reference, ok := results.Reference(users, results.DefaultSeed)
		if !ok {
			t.Fatalf("no committed reference of %d users", users)
		}
		rates, windows := 0, 0
		for _, r := range reference.Rows {
			value, _ := r.Value.Get()
			if strings.HasPrefix(r.Quantity, results.QInside) {
				windows++
				strategytest.Equal(t, value, 0, "%d users: %v", users, r.Name())
				continue
			}
			z, ok := deviation(r)
			if !ok {
				continue
			}
			rates++
			if math.Abs(z) > 4.5 {
				t.Errorf("%d users: %v is %v, theory %v: %.1f standard errors apart", users, r.Name(), r.Value, r.Theory, z)
			}
		}
		// Rows of a name that changed must not make this test empty.
		if least := map[int]int{10_000_000: 1000, 20_000: 250}[users]; rates < least || windows < 40 {
			t.Errorf("%d users: %d rates and %d windows compared, want %d and 40 at least", users, rates, windows, least)
		}
	}
}

// deviation is how many standard errors a measured rate lies from its theory. ok is false where there is no
// theory, too little was found, or the row is of probe schemes that are there because they are biased.
func deviation(r results.Row) (z float64, ok bool) {
	const enough = 30 // hits and misses, as in an interval (measure.Rate)
	value, v := r.Value.Get()
	theory, t := r.Theory.Get()
	low, l := r.Low.Get()
	high, h := r.High.Get()
	hits, count := value*float64(r.Count), float64(r.Count)
	if !v || !t || !l || !h || r.Unit != results.Ratio || r.Experiment == results.Hashes ||
		min(hits, count-hits) < enough {
		return 0, false
	}
	// The side that was not cut off at 0 or 1.
	return (value - theory) / (max(high-value, value-low) / 1.959964), true
}

// A row that is off, by an error of theory or of measurement, is found.
func TestDeviationIsFound(t *testing.T) {
	r := results.Row{
		Unit: results.Ratio, Value: results.Num(0.0203), Low: results.Num(0.0200), High: results.Num(0.0206),
		Theory: results.Num(0.0203), Count: 1_000_000,
	}
	if z, ok := deviation(r); !ok || z != 0 {
		t.Errorf("a rate that is its theory's: %v standard errors, %v", z, ok)
	}
	r.Theory = results.Num(0.0195) // the textbook's for another geometry
	if z, ok := deviation(r); !ok || z < 4.5 {
		t.Errorf("a rate 4 %% above its theory: %v standard errors, %v", z, ok)
	}
	r.Count = 1000
	if _, ok := deviation(r); ok {
		t.Error("twenty hits are enough for a standard error")
	}
}
