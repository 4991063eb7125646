package measure

import (
	"math"
	"os/exec"
	"strings"
	"testing"

	"dejavu/measure/stopwatch"
	"dejavu/results"
	"dejavu/results/by"
)

// A short run leaves the rows that the suite's tables are made of; what is not on the
// machine is left out by name. Kafka takes its time to start, and is left out here.
func TestRows(t *testing.T) {
	_, err := exec.LookPath("redis-server")
	redis := err == nil
	var out strings.Builder
	dir := t.TempDir()
	o := Rows{Out: dir, Times: 1, withoutKafka: true}
	if err := o.Run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	run, err := results.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	committed, err := results.Committed(results.LiveDir)
	if err != nil {
		t.Fatal(err)
	}
	got := map[results.Query]results.Row{}
	for _, r := range run.Timing {
		got[r.Name()] = r
	}
	for _, want := range committed.Timing {
		r, ok := got[want.Name()]
		way := want.Where.Of(by.Log) + want.Where.Of(by.Protocol)
		left := way == byKafka || way == byRedis && !redis
		switch {
		case ok == left:
			t.Errorf("%v: there is a row: %v", want.Name(), ok)
		case ok && want.Quantity == results.QNotFiltered && way == byEmbedded && (r.Value.Or(1) != 0 || r.Count == 0):
			t.Errorf("%+v: want none of some", r)
		// Connect's bytes are the request's and the answer's alone; only the versions in the headers
		// may differ. HTTP/2 has frames of its own.
		case ok && want.Unit == results.Bytes && way == "Connect" &&
			math.Abs(r.Value.Or(0)-want.Value.Or(0)) > 16:
			t.Errorf("%v: %v, committed are %v", want.Name(), r.Value, want.Value)
		}
	}
	if !redis && !strings.Contains(out.String(), "left out: no redis-server here") {
		t.Error(out.String())
	}
}

// A time's two rows are its median, with its interval, and its 99th percentile.
func TestTimed(t *testing.T) {
	rows := timed("e", "q", stopwatch.Latency{Candidates: 40, P50: 5, P99: 70, Requests: 9}, by.Log.Is("a"))
	for i, want := range []results.Row{{Value: results.Num(5), Low: rows[0].Low, High: rows[0].High}, {Value: results.Num(70)}} {
		want.Experiment, want.Strategy, want.Quantity, want.Unit = "e", rowsStrategy, "q", results.Nanoseconds
		want.Count, want.Where = 9, results.Where(by.Log.Is("a"), by.Candidates.At(40), by.Statistic.Is([]string{"p50", "p99"}[i]))
		if rows[i] != want {
			t.Errorf("%+v, want %+v", rows[i], want)
		}
	}
}
