package table1

import (
	"slices"
	"strings"
	"testing"

	"dejavu/results"
	"dejavu/results/by"
)

// The headline has a line for each of the paper's strategies that ran, in its own order of
// quantities; the title says of how many users they are.
func TestHeadline(t *testing.T) {
	row := func(strategy, quantity, unit string, value float64, where ...results.Condition) results.Row {
		return results.Row{
			Experiment: results.Table1, Strategy: strategy, Quantity: quantity, Unit: unit,
			Value: results.Num(value), Count: 70,
		}.With(where...)
	}
	rows := []results.Row{
		row("chain", results.QPayloadPerUser, results.Bytes, 508),
		row("chain", results.QPayloadTotal, results.Bytes, 35560),
		row("chain", results.QFPR, results.Ratio, 0.0625, worst),
		row("chain", results.QFPR, results.Ratio, 0.05, mean),
		row("chain", results.QWindow, "", 400, least),
		row("chain", results.QRequestTime, results.Nanoseconds, 480, median, by.Candidates.At(40)),
		row("beyond/ring", results.QPayloadPerUser, results.Bytes, 700),
	}
	got := Headline.Of(results.NewCells(rows))
	if !strings.HasPrefix(got.Title, "Table 1, measured (in round brackets") || len(got.Rows) != 1 ||
		len(got.Rows[0]) != len(got.Header) {
		t.Fatalf("%q: %q", got.Title, got.Rows)
	}
	for header, want := range map[string]string{
		"bytes a user": "508", "all users": "35560", "FPR at worst": "6.25", "FPR, mean": "5", "window": "400",
		"request of 40": "480 ns",
	} {
		if i := slices.Index(got.Header, header); i < 0 || !strings.Contains(got.Rows[0][i], want) {
			t.Errorf("%s: %q, want %s", header, got.Rows[0], want)
		}
	}
	at40 := by.Candidates.At(40)
	decoded := row("queue-map", results.QRequestTime, results.Nanoseconds, 7000, at40, by.History.Is("hot"), median)
	decoded.Experiment = results.Latency
	rows = append(rows, row("queue", results.QPayloadPerUser, results.Bytes, 4000),
		row("queue", results.QRequestTime, results.Nanoseconds, 600, median, at40))
	// Where latency ran, the paper's way to search a queue stands beside ours; the chain's cell is as above.
	for _, c := range []struct {
		rows []results.Row
		want string
	}{{rows, "600 ns by a scan"}, {append(rows, decoded), "600 ns by a scan, 7000 ns by the paper's hash table"}} {
		got = Headline.Of(results.NewCells(c.rows))
		if !strings.HasPrefix(got.Title, "Table 1, measured over 70 users (") || len(got.Rows) != 2 {
			t.Fatalf("%q: %q", got.Title, got.Rows)
		}
		if i := slices.Index(got.Header, "request of 40"); got.Rows[0][i] != "480 ns" || got.Rows[1][i] != c.want {
			t.Errorf("%q and %q, want 480 ns and %q", got.Rows[0][i], got.Rows[1][i], c.want)
		}
	}
}
