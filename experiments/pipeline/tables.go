package pipeline

import (
	"fmt"
	"strconv"
	"strings"

	"dejavu/experiments/text"
	"dejavu/results"
)

// tables are the repeats by delay, what lists at the edge take, what an outage does, and
// the delay of a real path.
func tables(c results.Cells) []results.Table {
	all := []results.Table{repeatsTable(c), listsTable(c), outageTable(c)}
	if real := RealTable(c); len(real.Rows) > 0 {
		all = append(all, real)
	}
	return all
}

// laneName is a lane's name for people.
func (l lane) laneName() string { return l.memory + l.says() }

// find finds a row of a lane.
func (l lane) find(c results.Cells, x, quantity string) (results.Row, bool) {
	return c.Find(results.Pipeline, l.memory, x, quantity+l.says())
}

// repeatsTable has a line for each lane, and a column for each delay.
func repeatsTable(c results.Cells) results.Table {
	t := results.Table{Header: []string{"memory"}}
	most := 0. // that a rate of which not one was found can be
	for _, delay := range delays {
		t.Header = append(t.Header, strconv.Itoa(delay))
	}
	for _, l := range lanes {
		row := []string{l.laneName()}
		for _, delay := range delays {
			x := strconv.Itoa(delay)
			all, ok := l.find(c, x, results.QAgain)
			if !ok {
				break
			}
			if all.Value.Or(0) == 0 {
				most = max(most, all.High.Or(0))
			}
			cell := perMille(all)
			if late, ok := l.find(c, x, results.QAgainLate); ok && late.Value != all.Value {
				cell += " [" + perMille(late) + "]"
			}
			row = append(row, cell)
		}
		if len(row) == len(t.Header) {
			t.Rows = append(t.Rows, row)
		}
	}
	t.Title = fmt.Sprintf("The live path: repeats per 1000 articles shown by the seconds until the history knows [of them late, where it forgets, too]; 0 is below %.2g", 1000*most)
	ahead := []string{"refreshes that come first, theory in brackets"}
	for _, delay := range delays {
		r, ok := c.Find(results.Pipeline, "single", strconv.Itoa(delay), results.QOvertaken)
		if !ok {
			return t
		}
		ahead = append(ahead, text.WithTheory(r))
	}
	t.Rows = append(t.Rows, ahead)
	return t
}

// perMille is a share per 1000.
func perMille(r results.Row) string { return fmt.Sprintf("%.3g", 1000*r.Value.Or(0)) }

// listsTable is what the lists at the edge take.
func listsTable(c results.Cells) results.Table {
	t := results.Table{
		Title:  "Lists at the edge of what was just shown: bytes of a user, and repeats per 1000 shown at a delay of a minute and of ten",
		Header: []string{"list", "longest", "mean [theory]", "of ten million", "1 min", "10 min"},
	}
	for _, every := range []int{0, 10} {
		for _, list := range results.EdgeLists[1:] {
			says := results.Every(every) + list
			longest, ok := c.Find(results.Pipeline, "single", "60", results.QListLongest+says)
			if !ok {
				continue
			}
			mean, _ := c.Find(results.Pipeline, "single", "60", results.QListMean+says)
			v := mean.Value.Or(0)
			cell := fmt.Sprintf("%.3g B", v)
			if theory, ok := mean.Theory.Get(); ok {
				cell += fmt.Sprintf(" [%.3g B]", theory)
			}
			row := []string{strings.TrimPrefix(says, ", "), text.Of(longest), cell, text.Bytes(1e7 * v)}
			for _, x := range []string{"60", "600"} {
				r, _ := c.Find(results.Pipeline, "single", x, results.QAgain+says)
				row = append(row, perMille(r))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// outageTable is what half an hour without a stream does.
func outageTable(c results.Cells) results.Table {
	t := results.Table{
		Title:  "The stream stands still for half an hour: repeats per 1000 shown, and how long until there are none",
		Header: []string{"memory", "the half hour before", "its last five minutes", "repeats that are its fault", "minutes until normal [theory]", "longest list"},
	}
	for _, l := range outageLanes {
		until, ok := l.find(c, "", results.QUntilNormal)
		if !ok {
			continue
		}
		before, shown := 0., int64(0)
		for minute := -27.5; minute < 0; minute += outageMinutes {
			r, _ := l.find(c, results.Num(minute).String(), results.QAgainByMinute)
			before, shown = before+r.Value.Or(0)*float64(r.Count), shown+r.Count
		}
		worst, _ := l.find(c, "27.5", results.QAgainByMinute)
		faults, _ := l.find(c, "", results.QAgainOutage)
		row := []string{l.laneName(), fmt.Sprintf("%.3g", 1000*before/float64(max(shown, 1))), perMille(worst), text.Of(faults), text.Of(until)}
		if theory, ok := until.Theory.Get(); ok {
			row[4] += fmt.Sprintf(" [%.3g]", theory)
		}
		longest, ok := l.find(c, "", results.QListLongest)
		if !ok {
			longest.Value = results.Num(0)
			longest.Unit = results.Bytes
		}
		t.Rows = append(t.Rows, append(row, text.Of(longest)))
	}
	return t
}
