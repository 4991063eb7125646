// Package table1 is the paper's comparison of strategies, measured: memory, false
// positives, the window and the time of a request, beside what the paper states.
package table1

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/run"
	"dejavu/experiments/shared"
	"dejavu/experiments/text"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/strategies"
	"dejavu/workload"
)

// Experiment is table1.
var Experiment = experiment.Experiment{
	Name: results.Table1, About: "the paper's Table 1, measured: memory, time, false positive rate, window, changing N",
	Needs: func(s run.Scope) []run.Task {
		return append(append(append(shared.Fulls(s), shared.Alives(s)...), shared.Extendeds(s)...), shared.Hot.Task())
	},
	Rows: rows, Figures: Figures, Tables: tables,
}

// paperUsers are those for whom the paper states totals.
const paperUsers = 10_000_000

func rows(r *run.Run) (rows, timing []results.Row, err error) {
	return shared.Each(r, r.Full(), shared.Full, ofEntry)
}

func ofEntry(r *run.Run, e catalogue.Entry, subject measure.Subject, full shared.FullResult) (rows, timing []results.Row, err error) {
	hot, err := shared.Hot.Of(r)
	if err != nil {
		return nil, nil, err
	}
	rows = counted(e, subject, full.Counts)
	if e.Longer != nil {
		extended, err := shared.Extended(e).Of(r)
		if err != nil {
			return nil, nil, err
		}
		kept := row.Mean(extended.Kept, extended.Users)
		rows = append(rows, row.Number(results.Table1, e.Name, results.QRetainedAt1000, "", kept).Among(extended.Users))
	}
	return rows, append(held(e, full), request(e, hot)), nil
}

// counted are the rows of memory, false positives and windows.
func counted(e catalogue.Entry, subject measure.Subject, c measure.FullCounts) (rows []results.Row) {
	add := func(r results.Row, theory, paper float64) {
		if paper > 0 {
			r = r.Stating(paper)
		}
		rows = append(rows, r.Expect(theory).Among(cmp.Or(r.Count, c.Users)))
	}
	n := func(quantity, unit string, value float64) results.Row {
		return row.Number(results.Table1, e.Name, quantity, unit, value)
	}
	header := 0.
	if h, ok := subject.Strategy.(measure.HeaderSizer); ok {
		header = float64(h.HeaderBytes())
	}
	payload := shared.MeanOverLives(func(shown int) float64 { return float64(subject.Theory.Bytes(shown)) }) - header
	add(n(results.QPayloadPerUser, results.Bytes, row.Mean(c.Payload, c.Users)-header), payload, e.Stated.Payload)
	add(n(results.QHeaderPerUser, results.Bytes, header), header, 0)
	stated := 0.
	if c.Users == paperUsers {
		stated = e.Stated.Total
	}
	add(n(results.QPayloadTotal, results.Bytes, float64(c.Payload)-header*float64(c.Users)), payload*float64(c.Users), stated)
	for _, p := range c.Points {
		if p.Shown == 500 {
			add(row.Rate(results.Table1, e.Name, results.QFPRAt500, p.Fresh), subject.Theory.FPR(500), e.Stated.FPR)
		}
	}
	if made, ok := subject.Strategy.(catalogue.Strategy); ok && catalogue.Endless(made) {
		for _, p := range c.Points {
			if slices.Contains(lifetimes, p.Shown) && p.Fresh.Queries > 0 {
				add(row.Rate(results.Table1, e.Name, results.QFPRByLife, p.Fresh).At(float64(p.Shown)), subject.Theory.FPR(p.Shown), 0)
			}
		}
	} else {
		moments, worst := worstMoments(subject.Theory)
		var fresh measure.Rate
		for _, i := range moments {
			measure.Sum(&fresh, c.Cycle[i])
		}
		if fresh.Queries > 0 { // else too few users for a life that ends just then
			add(row.Rate(results.Table1, e.Name, results.QFPRWorst, fresh), worst, 0)
		}
		add(row.Rate(results.Table1, e.Name, results.QFPRSteady, c.Steady()), shared.MeanOverLives(subject.Theory.FPR), 0)
	}
	add(n(results.QWindowLeast, "", float64(c.WindowLeast)), leastWindow(subject), e.Stated.Window)
	add(n(results.QWindowMean, "", row.Mean(c.Windows, c.Users)),
		shared.MeanOverLives(func(shown int) float64 { return float64(subject.Theory.Window(shown)) }), 0)
	return rows
}

// lifetimes are the articles shown at which what never forgets has its rate.
var lifetimes = []int{500, 1000, 2000}

// worstMoments are those of a cycle, in articles beyond workload.Least, when theory expects
// the most of the lives that end there, to a thousandth, and what it expects.
func worstMoments(t strategies.Theory) (moments []int, worst float64) {
	var expected [workload.Turn]float64
	for i := range expected {
		share, sum := 0., 0.
		for shown := workload.Least + i; shown <= workload.MaxShown; shown += workload.Turn {
			share += workload.ShownShare(shown)
			sum += workload.ShownShare(shown) * t.FPR(shown)
		}
		expected[i] = sum / share
	}
	worst = slices.Max(expected[:])
	for i, fpr := range expected {
		if fpr >= 0.999*worst {
			moments = append(moments, i)
		}
	}
	return moments, worst
}

// held are the rows of the memory that the machine gave.
func held(e catalogue.Entry, full shared.FullResult) []results.Row {
	c, all := full.Counts, full.Machine.Held[len(full.Machine.Held)-1]
	n := func(quantity, unit string, value float64) results.Row {
		return row.Number(results.Table1, e.Name, quantity, unit, value).Among(c.Users)
	}
	return []results.Row{
		n(results.QStoreTotal, results.Bytes, float64(all.Slabs)),
		n(results.QResidentTotal, results.Bytes, float64(all.Resident)),
		n(results.QResidentOver, results.Ratio, float64(all.Resident)/float64(c.Payload+12*c.Users)),
		n(results.QParts, "", float64(full.Machine.Parts)),
	}
}

// request is the row of the time of a request of as few candidates as are timed.
func request(e catalogue.Entry, hot shared.HotResult) results.Row {
	r := row.Time(results.Table1, e.Name, results.QRequestP50, hot.Of(e)[0], 1)
	r.X = results.Number{}
	return r
}

// leastWindow is the smallest window that any life of the full population ends with.
func leastWindow(s measure.Subject) float64 {
	least := s.Theory.Window(500)
	for shown := 501; shown < 1100; shown++ {
		least = min(least, s.Theory.Window(shown))
	}
	return float64(least)
}

// tables are Table 1, the paper's values in brackets, and the same for what the paper
// did not try.
func tables(c results.Cells) []results.Table {
	paper := lines(c, false, []string{
		results.QPayloadPerUser, results.QPayloadTotal, results.QResidentTotal, results.QFPRWorst, results.QFPRSteady,
		results.QWindowLeast, results.QWindowMean, results.QRetainedAt1000, results.QRequestP50,
	})
	paper.Title = title(c)
	paper.Header = []string{
		"strategy", "payload a user", "payload", "resident", "FPR at worst", "mean over a cycle",
		"guaranteed window", "mean", "retained at N→1000", "request of 40",
	}
	beyond := lines(c, true, []string{
		results.QPayloadPerUser, results.QHeaderPerUser, results.QFPRWorst, results.QFPRSteady,
		results.QWindowLeast, results.QWindowMean, results.QRequestP50,
	})
	beyond.Title = "Table 1 for what the paper did not try, made for a window of 400 at 2 % where a window can be guaranteed"
	beyond.Header = []string{
		"strategy", "payload a user", "header", "FPR at worst", "mean over a cycle", "guaranteed window", "mean", "request of 40",
	}
	return []results.Table{paper, beyond}
}

// title says of how many users Table 1 is.
func title(c results.Cells) string {
	users := ""
	if r, ok := c.Find(results.Table1, "queue", "", results.QPayloadPerUser); ok {
		users = fmt.Sprintf(" over %s users", text.Thousands(int(r.Count)))
	}
	return "Table 1, measured" + users + " (in round brackets: the paper; in square ones: theory)"
}

// Headline is what most want to know of the paper's strategies: errors, bytes, the window
// and time; the paper's values in round brackets, theory in square ones.
func Headline(c results.Cells) results.Table {
	t := lines(c, false, []string{
		results.QPayloadPerUser, results.QPayloadTotal, results.QFPRWorst, results.QFPRSteady, results.QWindowLeast, results.QRequestP50,
	})
	t.Title = title(c)
	t.Header = []string{"strategy", "bytes a user", "all users", "FPR at worst", "FPR, mean", "window", "request of 40"}
	return t
}

// cell is a quantity of a strategy. What never forgets has its rate by lifetime where
// others have the worst of a cycle.
func cell(c results.Cells, strategy, quantity string) string {
	if quantity == results.QFPRWorst {
		var lives []string
		for _, shown := range lifetimes {
			if r, ok := c.Find(results.Table1, strategy, strconv.Itoa(shown), results.QFPRByLife); ok {
				lives = append(lives, fmt.Sprintf("%s at %d", text.Of(r), shown))
			}
		}
		if len(lives) > 0 {
			return strings.Join(lives, ", ")
		}
	}
	r, ok := c.Find(results.Table1, strategy, "", quantity)
	if ok && (quantity == results.QFPRWorst || quantity == results.QFPRSteady) {
		return text.WithTheory(r)
	}
	return text.WithPaper(r, ok)
}

// lines has a line for each entry that ran, of the paper or beyond it, and a column
// for each quantity.
func lines(c results.Cells, beyond bool, quantities []string) (t results.Table) {
	for _, e := range catalogue.All() {
		if _, ran := c.Find(results.Table1, e.Name, "", results.QPayloadPerUser); !ran || e.IsBeyond() != beyond {
			continue
		}
		cells := []string{e.Name}
		if e.Sampled() {
			cells[0] += fmt.Sprintf(" (users/%d)", e.Share)
		}
		for _, q := range quantities {
			cells = append(cells, cell(c, e.Name, q))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}
