package peers

import (
	"strings"
	"testing"

	"dejavu/internal/document"
	"dejavu/internal/golden"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/strategies/strategytest"
)

func TestStand(t *testing.T) {
	row := func(v ...float64) results.Row { // value, or low, value and high
		if len(v) == 1 {
			return results.Row{Value: results.Num(v[0])}
		}
		return results.Row{Low: results.Num(v[0]), Value: results.Num(v[1]), High: results.Num(v[2])}
	}
	stands := func(name string, theirs, ours results.Row, margin float64, want standing) {
		t.Helper()
		strategytest.Equal(t, stand(theirs, ours, margin), want, "%s: got", name)
		// The other library's standing is the opposite.
		opposite := map[standing]standing{ahead: behind, behind: ahead}
		strategytest.Equal(t, stand(ours, theirs, margin), opposite[want], "%s, the other way: got", name)
	}
	stands("twice ours", row(2), row(1), 0.02, ahead)
	stands("half of ours", row(0.5), row(1), 0.02, behind)
	stands("within the margin", row(1.02), row(1), 0.02, level)
	stands("beyond it", row(1.021), row(1), 0.02, ahead)
	stands("within it, below", row(0.981), row(1), 0.02, level)
	stands("beyond it, below", row(0.98), row(1), 0.02, behind)
	stands("three times, but nobody knows", row(0.9, 3, 5), row(1), 0.02, level)
	stands("the interval touches the margin", row(1.02, 1.5, 2), row(1), 0.02, level)
	stands("the interval is clear of it", row(1.03, 1.5, 2), row(1), 0.02, ahead)
	stands("clear of it, below", row(0.7, 0.8, 0.97), row(1), 0.02, behind)
	stands("two intervals that meet", row(2, 3, 4), row(1, 1.5, 2), 0, level)
	stands("and that do not", row(2.1, 3, 4), row(1, 1.5, 2), 0, ahead)
	stands("nothing to nothing", row(0), row(0), 0.02, level)
	stands("something to nothing", row(3), row(0), 0.02, ahead)
}

func TestSizeOfAnError(t *testing.T) {
	for _, c := range []struct{ low, value, high, wantLow, wantHigh float64 }{
		{-0.5, 0.25, 1, 0, 1}, {-2, -1, 0.5, 0, 2}, {-3, -2, -1, 1, 3}, {1, 2, 3, 1, 3},
	} {
		low, high := span(size(results.Row{Low: results.Num(c.low), Value: results.Num(c.value), High: results.Num(c.high)}))
		if low != c.wantLow || high != c.wantHigh {
			t.Errorf("%v to %v: got %v to %v, want %v to %v", c.low, c.high, low, high, c.wantLow, c.wantHigh)
		}
	}
}

// Numbers for people, in the manner of their unit, to three digits.
func TestAmount(t *testing.T) {
	reads := func(quantity, unit string, value float64, want string) {
		t.Helper()
		r := results.Row{Quantity: quantity, Unit: unit, Value: results.Num(value)}
		strategytest.Equal(t, amount(r, true), want, "%v %s of %q is", value, unit, quantity)
	}
	reads(results.QExcess, results.Ratio, 0.012345, "+1.23 %")
	reads(results.QExcess, results.Ratio, -0.5, "-50.00 %")
	reads("rate", results.Ratio, 0.012345, "1.23 %")
	reads("rate", results.Ratio, 1, "100 %")
	reads("time", results.Nanoseconds, 99_999, "99999 ns")
	reads("time", results.Nanoseconds, 100_000, "0.1 ms")
	reads("bytes", results.Bytes, 512.4, "512 "+results.Bytes)
	reads("objects", "", 0.00499, "0")
	reads("objects", "", 0.005, "0.005")
	reads("objects", "", 99.96, "100")
	reads("objects", "", 99.94, "99.9")
	strategytest.Equal(t, amount(results.Row{}, false), "–", "nothing is")
}

// peersRun is a run of two libraries, "swift" and "swift at rest", of which one cannot be added to, and some
// of whose quantities nobody has measured; and "absent", for which a tool was missing.
func peersRun() *results.Run {
	row := func(strategy string, q results.Query, unit string, v ...float64) results.Row {
		r := results.Row{
			Experiment: results.Peers, Strategy: strategy, Where: q.Where, Quantity: q.Quantity, Unit: unit,
			Value: results.Num(v[0]),
		}
		if len(v) == 3 {
			r.Low, r.High = results.Num(v[1]), results.Num(v[2])
		}
		return r
	}
	rate := func(name string, bits float64, keys string, v, low, high float64) results.Row {
		q := results.Find(results.QFPR, by.Bits.At(bits), by.Keys.Is(keys))
		return row(name, q, results.Ratio, v, low, high).Expect(0.02)
	}
	find := results.Find
	atRest, million := by.Bits.At(6144), by.Users.At(1e6)
	ours, swift, slow := OurName("chain"), Name("swift", "chain"), Name("swift at rest", "chain")
	unseen, byTen := Timed[0].Query, Timed[3].Query
	return &results.Run{
		Manifest: results.Manifest{
			Args: []string{"--rounds", "21"}, Started: "2026-11-20T10:00:00Z",
			Environment: results.Environment{Go: "go1.26.8", OS: "linux", Arch: "amd64", CPU: "Some CPU", GOMAXPROCS: 2},
		},
		Rows: []results.Row{
			{Experiment: results.FPR, Strategy: OurName("queue"), Quantity: results.QFPR}, // not of the peers
			rate(Ours, 4064, "random", 0.0201, 0.0199, 0.0203),
			rate(Ours, 4064, "sequential", 0.02, 0.0198, 0.0202),
			rate("swift", 4096, "random", 0.0196, 0.0194, 0.0198),
			rate("swift", 4096, "sequential", 0.03, 0.029, 0.031),
			row("swift at rest", find(results.QStatic, atRest), "", 1),
			rate("swift at rest", 6144, "random", 0.0202, 0.02, 0.0204),
			row("swift at rest", find(results.QLost, atRest), results.Ratio, 0.002),
		},
		Timing: []results.Row{
			row(ours, unseen, results.Nanoseconds, 6.25),
			row(ours, byTen, results.Nanoseconds, 8),
			row(swift, unseen, results.Nanoseconds, 3),
			row(swift, Over(unseen), results.Ratio, 0.48, 0.47, 0.5),
			row(swift, byTen, results.Nanoseconds, 9), // but level in turns
			row(swift, Over(byTen), results.Ratio, 1.01, 0.9, 1.2),
			row(swift, find(results.QBytesPerUser, million), results.Bytes, 1040),
			row(swift, find(results.QObjectsPerUser, million), "", 11),
			row(swift, find(results.QForcedPause, million), results.Nanoseconds, 41000, 35000, 50000),
			row(slow, unseen, results.Nanoseconds, 62),
			row(slow, Over(unseen), results.Ratio, 9.9, 9, 10),
			row(ours, find(results.QBytesPerUser, million), results.Bytes, 520),
			row(ours, find(results.QObjectsPerUser, million), "", 7.9e-5),
			row(ours, find(results.QForcedPause, million), results.Nanoseconds, 80000, 60000, 90000),
			row(ours+", a tenth more heap", find(results.QCollectShare, million), results.Ratio, 0.01), // of an earlier run
			row("nothing", unseen, results.Nanoseconds, 0.1),
			row("swift", find(results.QLanguage, by.Language.Is("Rust")), "", 1),
			row("absent", find(results.QLanguage, by.Language.Is("C")), "", 1),
			row("absent", find(results.QMissing, by.Tool.Is("cc")), "", 1),
		},
	}
}

// Nothing to compare is no report; nothing to except is a sentence.
func TestReport(t *testing.T) {
	if got := Report(&results.Run{Rows: []results.Row{{Experiment: results.FPR, Quantity: results.QFPR}}}); got != nil {
		t.Errorf("rows of others have a report: %v", got)
	}
	bytes := func(strategy string, v float64) results.Row {
		return results.Row{
			Experiment: results.Peers, Strategy: strategy, Quantity: results.QBytesPerUser,
			Where: results.Where(by.Users.At(1)), Value: results.Num(v), Unit: results.Bytes,
		}
	}
	run := &results.Run{Timing: []results.Row{
		bytes(OurName("single"), 1), bytes(OurName("chain"), 1),
		bytes(Name("swift", "single"), 3), bytes(Name("swift", "chain"), 5),
	}}
	got := document.Markdown(Report(run)...)
	if !strings.HasSuffix(got, "\nThere is no exception.\n") ||
		!strings.Contains(got, "| swift single | ahead, 3× |") || !strings.Contains(got, "| swift chain | ahead, 5× |") ||
		!strings.HasPrefix(got, "Measured by `go run .` in `peers`, a module of its own, 1 users alive.\n") {
		t.Errorf("got\n%s", got)
	}
	strategytest.Equal(t, len(Tables(run)), 1, "tables")
}

// What a report says of a made-up run.
func TestStandingGolden(t *testing.T) {
	golden.File(t, "standing.golden", document.Markdown(Report(peersRun())...))
}
