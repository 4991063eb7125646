package engine_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/strategies/strategytest"
	"dejavu/workload"
)

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
	if habits != workload.DefaultDaily() {
		t.Errorf("habits %+v, want the default", habits)
	}
	s.Habits = &habits
	if habits.Recalled++; !strings.HasPrefix(s.Population(), "sessions ") || s.Daily() != habits {
		t.Errorf("population %q, habits %+v", s.Population(), s.Daily())
	}
}

// A strategy is constructed once in a run, and the program's digest is that of its file.
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
