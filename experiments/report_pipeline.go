package main

import (
	"fmt"
	"strconv"
	"strings"

	"dejavu/results"
)

// pipelineTables are the repeats by delay, what lists at the edge take, and what an
// outage does.
func pipelineTables(c cells) []results.Table {
	return []results.Table{repeatsTable(c), listsTable(c), outageTable(c)}
}

// laneName is a lane's name for people.
func (l pipelineLane) laneName() string { return l.memory + l.says() }

// repeatsTable has a line for each lane, and a column for each delay.
func repeatsTable(c cells) results.Table {
	t := results.Table{Header: []string{"memory"}}
	most := 0. // that a rate of which not one was found can be
	for _, delay := range pipelineDelays {
		t.Header = append(t.Header, strconv.Itoa(delay))
	}
	for _, l := range pipelineLanes {
		row := []string{l.laneName()}
		for _, delay := range pipelineDelays {
			x := strconv.Itoa(delay)
			all, ok := c.find(results.Pipeline, l.memory, x, results.QAgain+l.says())
			if !ok {
				break
			}
			if all.Value.Or(0) == 0 {
				most = max(most, all.High.Or(0))
			}
			cell := perMille(all)
			if late, ok := c.find(results.Pipeline, l.memory, x, results.QAgainLate+l.says()); ok && late.Value != all.Value {
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
	for _, delay := range pipelineDelays {
		r, ok := c.find(results.Pipeline, "single", strconv.Itoa(delay), results.QOvertaken)
		if !ok {
			return t
		}
		ahead = append(ahead, percent(r.Value.Or(0))+" ["+percent(r.Theory.Or(0))+"]")
	}
	t.Rows = append(t.Rows, ahead)
	return t
}

// perMille is a share per 1000.
func perMille(r results.Row) string { return fmt.Sprintf("%.3g", 1000*r.Value.Or(0)) }

// listsTable is what the lists at the edge take.
func listsTable(c cells) results.Table {
	t := results.Table{
		Title:  "Lists at the edge of what was just shown: bytes of a reader, and repeats per 1000 shown at a delay of a minute and of ten",
		Header: []string{"list", "longest", "mean [theory]", "of ten million", "1 min", "10 min"},
	}
	for _, every := range []int{0, 10} {
		for _, list := range results.EdgeLists[1:] {
			says := results.Every(every) + list
			longest, ok := c.find(results.Pipeline, "single", "60", results.QListLongest+says)
			if !ok {
				continue
			}
			mean, _ := c.find(results.Pipeline, "single", "60", results.QListMean+says)
			v := mean.Value.Or(0)
			cell := fmt.Sprintf("%.3g B", v)
			if theory, ok := mean.Theory.Get(); ok {
				cell += fmt.Sprintf(" [%.3g B]", theory)
			}
			row := []string{strings.TrimPrefix(says, ", "), text(longest), cell, bytesText(1e7 * v)}
			for _, x := range []string{"60", "600"} {
				r, _ := c.find(results.Pipeline, "single", x, results.QAgain+says)
				row = append(row, perMille(r))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// outageTable is what half an hour without a stream does.
func outageTable(c cells) results.Table {
	t := results.Table{
		Title:  "The stream stands still for half an hour: repeats per 1000 shown, and how long until there are none",
		Header: []string{"memory", "the half hour before", "its last five minutes", "repeats that are its fault", "minutes until normal [theory]", "longest list"},
	}
	for _, l := range outageLanes {
		until, ok := c.find(results.Pipeline, l.memory, "", results.QUntilNormal+l.says())
		if !ok {
			continue
		}
		before, shown := 0., int64(0)
		for minute := -27.5; minute < 0; minute += outageMinutes {
			r, _ := c.find(results.Pipeline, l.memory, results.Num(minute).String(), results.QAgainByMinute+l.says())
			before, shown = before+r.Value.Or(0)*float64(r.Count), shown+r.Count
		}
		worst, _ := c.find(results.Pipeline, l.memory, "27.5", results.QAgainByMinute+l.says())
		faults, _ := c.find(results.Pipeline, l.memory, "", results.QAgainOutage+l.says())
		row := []string{l.laneName(), fmt.Sprintf("%.3g", 1000*before/float64(max(shown, 1))), perMille(worst), text(faults), text(until)}
		if theory, ok := until.Theory.Get(); ok {
			row[4] += fmt.Sprintf(" [%.3g]", theory)
		}
		longest, ok := c.find(results.Pipeline, l.memory, "", results.QListLongest+l.says())
		if !ok {
			longest.Value = results.Num(0)
			longest.Unit = results.Bytes
		}
		t.Rows = append(t.Rows, append(row, text(longest)))
	}
	return t
}
