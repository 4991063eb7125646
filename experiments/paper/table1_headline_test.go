package paper

import (
	"slices"
	"strings"
	"testing"

	"dejavu/experiments/text"
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
		row("chain", results.QHeaderPerUser, results.Bytes, 4),
		row("chain", results.QFPR, results.Ratio, 0.0625, worst),
		row("chain", results.QFPR, results.Ratio, 0.05, mean),
		row("chain", results.QWindow, "", 400, least),
		row("chain", results.QRequestTime, results.Nanoseconds, 480, table1Median, by.Candidates.At(40)),
		row("chain-sized", results.QPayloadPerUser, results.Bytes, 719),
		row("chain-eager", results.QPayloadPerUser, results.Bytes, 508),
		row("beyond/ring", results.QPayloadPerUser, results.Bytes, 700),
	}
	rows[2].Low, rows[2].High = results.Num(0.0613), results.Num(0.0637)
	got := Headline.Of(results.NewCells(rows))
	if !strings.HasPrefix(got.Title, "Table 1, measured (in round brackets") || len(got.Rows) != 2 ||
		len(got.Rows[0]) != len(got.Header) {
		t.Fatalf("%q: %q", got.Title, got.Rows)
	}
	for header, want := range map[string]string{
		"bytes a user": "512 B", "FPR at worst": "6.25 % ± 0.12",
		"window": "400", "request of 40": "480 ns",
	} {
		if i := slices.Index(got.Header, header); i < 0 || !strings.Contains(got.Rows[0][i], want) {
			t.Errorf("%s: %q, want %s", header, got.Rows[0], want)
		}
	}
	if sized := got.Rows[1]; sized[0] != "chain-sized (users/40)" || sized[2] != text.None {
		t.Errorf("the chain sized for its union: %q", sized)
	}
	rows = append(rows, row("queue", results.QPayloadPerUser, results.Bytes, 4000))
	got = Headline.Of(results.NewCells(rows))
	if !strings.HasPrefix(got.Title, "Table 1, measured over 70 users (") || len(got.Rows) != 3 {
		t.Errorf("%q: %q", got.Title, got.Rows)
	}
}
