package engine_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/measure"
	"dejavu/measure/stopwatch"
	"dejavu/results"
	"dejavu/strategies/strategytest"
	"dejavu/workload"

	"github.com/cespare/xxhash/v2"
)

// A corrupt or foreign shard's measurement is not summed: the message names the file, the reason, and the command that
// makes it again. Nothing is saved then.
func TestSpoiltShards(t *testing.T) {
	read := func(path string) string {
		data := strategytest.Value(os.ReadFile(path))
		return string(data)
	}
	const again = "; to redo only this"
	for what, c := range map[string]struct {
		spoil func(first, second string) (string, string) // what the files hold, and are to hold
		says  []string                                    // of the first, and of the second
	}{
		"cut short": {
			func(a, b string) (string, string) { return a, b[:len(b)-10] },
			[]string{"", "unexpected end of JSON input" + again},
		},
		"both spoilt": {func(string, string) (string, string) { return "{}", "noise" }, []string{
			"another measurement: program is , want abacus: another build" + again,
			"byte 2 of 5: invalid character 'o' in literal null (expecting 'u')" + again,
		}},
		"the other shard's": {
			func(a, _ string) (string, string) { return a, a },
			[]string{"", "another measurement: shard is 0/2, want 1/2" + again},
		},
		"another population's": {
			func(a, b string) (string, string) {
				return strings.Replace(a, `"users":10`, `"users":11`, 1), strings.Replace(b, `"seed":7`, `"seed":8`, 1)
			},
			[]string{"users is 11, want 10" + again, "seed is 8, want 7" + again},
		},
	} {
		made := 0
		m := counter("users", &made)
		var shards []results.Part
		for i := range 2 {
			s := results.Shard{Index: i, Of: 2}
			r, _ := begin(t, t.TempDir(), s)
			strategytest.Must(t, strategytest.ErrorOf(m.Measure(r)))
			shards = append(shards, results.Part{Dir: r.Out, Manifest: results.Manifest{Shard: s}})
		}
		first, second := engine.Path(shards[0].Dir, "users"), engine.Path(shards[1].Dir, "users")
		a, b := c.spoil(read(first), read(second))
		for path, text := range map[string]string{first: a, second: b} {
			strategytest.Must(t, os.WriteFile(path, []byte(text), 0o600))
		}
		merged, _ := begin(t, t.TempDir(), results.Shard{})
		merged.Shards, merged.Again = shards, true
		_, err := m.Measure(merged)
		if err == nil || made != 2 {
			t.Fatalf("%s: summed all the same, %v, or made again: %d", what, err, made)
		}
		for i, path := range []string{first, second} {
			if says := c.says[i]; strings.Contains(err.Error(), path) != (says != "") ||
				says != "" && !strings.Contains(err.Error(), path+": ") || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %v, want of shard %d %q", what, err, i, says)
			}
		}
		if _, err := os.Stat(engine.Path(merged.Out, "users")); err == nil {
			t.Errorf("%s: a sum was saved", what)
		}
	}
}

// A measurement of the machine may be summed over shards of different machines. It counts as the first one's.
func TestShardsOfMachines(t *testing.T) {
	made := 0
	m := counter("users", &made)
	m.Machine = true
	var shards []results.Part
	for i, cpu := range []string{"beads", "counters"} {
		s := results.Shard{Index: i, Of: 2}
		r, _ := begin(t, t.TempDir(), s)
		r.Environment.CPU = cpu
		strategytest.Must(t, strategytest.ErrorOf(m.Measure(r)))
		shards = append(shards, results.Part{Dir: r.Out, Manifest: results.Manifest{Shard: s}})
	}
	merged, _ := begin(t, t.TempDir(), results.Shard{})
	merged.Shards, merged.Again = shards, true
	if got, err := m.Measure(merged); err != nil || got != (sum{10, 45}) {
		t.Errorf("%+v, %v", got, err)
	}
	later, _ := begin(t, merged.Out, results.Shard{})
	if got, err := m.Measure(later); err != nil || got != (sum{10, 45}) || made != 2 {
		t.Errorf("gone on where the first shard ran: %+v, %v, made %d times", got, err, made)
	}
}

// A directory of another run is refused with the command that goes on with that run.
func TestOther(t *testing.T) {
	there, wanted := results.Manifest{Users: 1, Seed: 7, Started: "then"}, results.Manifest{Users: 2, Seed: 7}
	for command, args := range map[string][]string{
		"experiments run --out d": {"run", "--out", "d"}, "cluster --out d": {"cluster", "--out", "d"},
		"experiments --users 1 --seed 7 --out d": nil,
	} {
		if there.Args = args; args == nil {
			there.Started = ""
		} else {
			there.Started = "then"
		}
		strategytest.ErrorSays(t, command, engine.Other("d", there, nil, wanted), ": '"+command+"' goes on with that run")
	}
}

func TestScope(t *testing.T) {
	s := engine.Scope{Users: 10}
	if s.IsShard() || !s.Timed() || s.Share(10) != (measure.Range{To: 10}) || s.Population() != "" {
		t.Errorf("a whole run: %+v", s)
	}
	s.Shard = results.Shard{Index: 1, Of: 2}
	if !s.IsShard() || s.Timed() || s.Share(10) != (measure.Range{From: 5, To: 10}) {
		t.Errorf("the second half: %v", s.Share(10))
	}
	s.Entries = []catalogue.Entry{{Name: "a"}, {Name: "b", Lives: results.Month}, {Name: "c"}}
	if full := s.Full(); len(full) != 2 || full[0].Name != "a" || full[1].Name != "c" {
		t.Errorf("the full population has %+v", full)
	}
	for name, want := range map[string]bool{"a": true, "b": true, "d": false} {
		if e, ok := s.Entry(name); ok != want || ok != (e.Name == name) {
			t.Errorf("%s runs: %v, %+v", name, ok, e)
		}
	}
	habits := s.Daily()
	strategytest.Equal(t, habits, workload.DefaultDaily(), "habits")
	s.Habits = &habits
	if habits.Recalled++; !strings.HasPrefix(s.Population(), "Sessions:") || s.Daily() != habits {
		t.Errorf("population %q, habits %+v", s.Population(), s.Daily())
	}
}

// A smaller run times a smaller share of the batches that its context asks for.
func TestEffort(t *testing.T) {
	for users, want := range map[int]float64{1: 0.05, 100_000: 0.05, 500_000: 0.25, 1_000_000: 0.5, 10_000_000: 0.5} {
		scope := engine.Scope{Users: users}
		r := engine.New(stopwatch.WithEffort(t.Context(), 0.5), scope, engine.NewProgress(io.Discard))
		m := engine.Measurement[float64]{
			Name: "m",
			Make: func(ctx context.Context, _ *engine.Run, _ measure.Range) (float64, error) {
				return stopwatch.Effort(ctx), nil
			},
		}
		strategytest.Equal(t, strategytest.Value(m.Measure(r)), want, "of %d users: effort", users)
	}
}

// A strategy is constructed once in a run, and a program's digest is its file's digest.
func TestSubjectAndProgram(t *testing.T) {
	r, _ := begin(t, t.TempDir(), results.Shard{})
	e := strategytest.Value(catalogue.Find("chain"))
	made := 0
	make := e.Make
	e.Make = func() (catalogue.Strategy, error) { made++; return make() }
	for range 2 {
		if s := r.Subject(e); s.Name != "chain" || made != 1 {
			t.Errorf("%s, made %d times", s.Name, made)
		}
	}
	path := strategytest.Value(os.Executable())
	data := strategytest.Value(os.ReadFile(path))
	strategytest.Equal(t, engine.Program(), fmt.Sprintf("%016x", xxhash.Sum64(data)), "the program is")
}
