package real

import (
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"

	"dejavu/live/servers/serverstest"
	"dejavu/results"
)

func TestMain(m *testing.M) { serverstest.Main(m) }

// A short run leaves the rows that the suite's tables are made of; what is not on the
// machine is left out by name. Kafka takes its time to start, and is left out here.
func TestRun(t *testing.T) {
	_, err := exec.LookPath("redis-server")
	redis := err == nil
	var out strings.Builder
	dir := t.TempDir()
	o := Options{Rows: dir, Program: os.Args[0], Times: 1, Progress: &out, withoutKafka: true}
	if err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	run, err := results.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	committed, err := results.LiveReference()
	if err != nil {
		t.Fatal(err)
	}
	got := map[results.Key]results.Row{}
	for _, r := range run.Timing {
		got[r.Key()] = r
	}
	for _, want := range committed.Timing {
		r, ok := got[want.Key()]
		left := strings.HasSuffix(want.Quantity, results.LiveLogs[1]) || strings.HasSuffix(want.Quantity, results.ByRedis) && !redis
		switch {
		case ok == left:
			t.Errorf("%v: there is a row: %v", want.Key(), ok)
		case ok && want.Quantity == results.QNotFiltered+results.LiveLogs[0] && (r.Value.Or(1) != 0 || r.Count == 0):
			t.Errorf("%+v: want none of some", r)
		// Connect's bytes are the request's and the answer's alone; only the versions in the headers
		// may differ. HTTP/2 has frames of its own.
		case ok && want.Unit == results.Bytes && strings.HasSuffix(want.Quantity, results.ByConnect) && math.Abs(r.Value.Or(0)-want.Value.Or(0)) > 16:
			t.Errorf("%v: %v, committed are %v", want.Key(), r.Value, want.Value)
		}
	}
	if !redis && !strings.Contains(out.String(), "left out: no redis-server here") {
		t.Error(out.String())
	}
}
