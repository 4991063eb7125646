package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"dejavu/peers/library"
	"dejavu/results"
)

// A ledger finds rows by what they say.
type ledger map[[2]string]results.Row

func newLedger(rows []results.Row) ledger {
	l := ledger{}
	for _, r := range rows {
		l[[2]string{r.Strategy, r.Quantity}] = r
	}
	return l
}

func (l ledger) row(strategy, quantity string) (results.Row, bool) {
	r, ok := l[[2]string{strategy, quantity}]
	return r, ok
}

// report writes the tables, and where somebody else is ahead of us, in Markdown.
// All of it follows from the rows.
func report(w io.Writer, rows []results.Row, where results.Environment) error {
	l := newLedger(rows)
	var text strings.Builder
	fmt.Fprintf(&text, "\n%s, %d processors, %s, %s/%s\n\n", where.CPU, where.GOMAXPROCS, where.Go, where.OS, where.Arch)
	for _, t := range []results.Table{l.timeTable(), l.memoryTable(), l.rateTable(), libraryTable()} {
		text.WriteString(t.Markdown() + "\n")
	}
	text.WriteString("**Where others are ahead of us**\n\n")
	found := l.ahead()
	for _, line := range found {
		text.WriteString("- " + line + "\n")
	}
	if len(found) == 0 {
		text.WriteString("Nowhere, in what was measured.\n")
	}
	_, err := io.WriteString(w, text.String())
	return err
}

func (l ledger) timeTable() results.Table {
	t := results.Table{
		Title:  "Time in nanoseconds of a candidate (40 a request, one reader in the cache) and of an article recorded (10 at once); in brackets how many times ours, with the interval of the turns",
		Header: []string{"strategy", "fresh", "seen", "mixed", "record"},
	}
	for _, s := range append(subjects(), nothing) {
		cells := []string{s.name}
		for _, q := range timeQuantities {
			r, ok := l.row(s.name, q)
			if !ok {
				cells = append(cells, "–")
				continue
			}
			cell := short(r.Value)
			if ratio, ok := l.row(s.name, q+over); ok {
				cell += fmt.Sprintf(" (%s×, %s–%s)", short(ratio.Value), short(ratio.Low), short(ratio.High))
			}
			cells = append(cells, cell)
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

func (l ledger) memoryTable() results.Table {
	t := results.Table{Header: []string{
		"strategy", "bytes a user", "with garbage", "heap objects a user", "pauses of a collection", "processors' time of a collection",
		"collector's share while serving", "collector, a request", "request, random reader",
	}}
	line := func(name string, dejavu string) {
		cells := []string{name}
		for _, q := range memoryQuantities {
			r, ok := l.row(name, q)
			v := r.Value.Or(0)
			switch {
			case !ok:
				cells = append(cells, "–")
				continue
			case q == qObjects:
				cells = append(cells, strconv.FormatFloat(v, 'f', 2, 64))
			case q == qPause:
				cells = append(cells, short(results.Num(v/1e3))+" µs")
			case q == qCollect:
				cells = append(cells, short(results.Num(v/1e6))+" ms")
			case q == qShare:
				cells = append(cells, percent(v))
			case q == qPer || q == qRequest:
				cells = append(cells, strconv.FormatFloat(v, 'f', 0, 64)+" ns")
			default:
				cells = append(cells, strconv.FormatFloat(v, 'f', 0, 64))
			}
			if ours, ok := l.row(dejavu, q); ok && name != dejavu && (q == qBytes || q == qGoal) {
				cells[len(cells)-1] += fmt.Sprintf(" (%s×)", short(results.Num(v/ours.Value.Or(1))))
			}
		}
		t.Rows = append(t.Rows, cells)
	}
	for _, s := range append(subjects(), nothing) {
		users, ok := l.row(s.name, qBytes)
		if !ok {
			continue
		}
		t.Title = "Memory and collector, with " + users.X.String() + " readers alive; in brackets how many times ours"
		if !s.ours && s.name != nothing.name {
			line(s.name, ourName(s.kind))
			continue
		}
		line(s.name, s.name)
		if _, ok := l.row(s.name+roomy, qShare); ok {
			line(s.name+roomy, s.name+roomy)
		}
	}
	return t
}

// libraryTable says what the libraries are.
func libraryTable() results.Table {
	t := results.Table{Title: "The libraries", Header: []string{"library", "module", "takes", "bits for 4064/6, 812/6", "rounds"}}
	for _, l := range library.All() {
		bits := fmt.Sprintf("%d, %d", l.Bits(library.One), l.Bits(library.Link))
		if l.Chains == nil {
			bits = strconv.Itoa(l.Bits(library.One))
		}
		rounds := l.Rounds
		if rounds == "" {
			rounds = "nothing"
		}
		t.Rows = append(t.Rows, []string{l.Name, l.Module, l.Takes, bits, rounds})
	}
	return t
}

func (l ledger) rateTable() results.Table {
	t := results.Table{
		Title:  "False positives of one filter of 500 articles, asked for as 4064/6; in brackets how many standard errors off its own theory",
		Header: []string{"library", "bits/hashes", "theory"},
	}
	for _, s := range shapes {
		t.Header = append(t.Header, s.name)
	}
	t.Header = append(t.Header, "shown and denied")
	for _, name := range filterNames() {
		first, ok := l.row(name, qFPR+shapes[0].name)
		if !ok {
			continue
		}
		geometry := first.X.String() + "/–"
		if hashes, ok := l.row(name, qHashes); ok {
			geometry = first.X.String() + "/" + hashes.Value.String()
		}
		cells := []string{name, geometry, percent(first.Theory.Or(0))}
		for _, s := range shapes {
			r, _ := l.row(name, qFPR+s.name)
			stderr := (r.High.Or(0) - r.Low.Or(0)) / (2 * 1.959964)
			cells = append(cells, fmt.Sprintf("%s (%+.1f)", percent(r.Value.Or(0)), (r.Value.Or(0)-r.Theory.Or(0))/stderr))
		}
		lost, _ := l.row(name, qLost)
		t.Rows = append(t.Rows, append(cells, percent(lost.Value.Or(0))))
	}
	return t
}

// filterNames lists ours and the libraries in the order of the tables.
func filterNames() []string {
	names := []string{filterName}
	for _, l := range library.All() {
		names = append(names, l.Name)
	}
	return names
}

// ahead says, for every quantity of which less is better, who has less than we:
// for certain where turns were taken; in memory, where they were not, by at least
// a tenth beyond the intervals there are.
func (l ledger) ahead() (found []string) {
	for _, s := range subjects() {
		if s.ours {
			continue
		}
		about := ""
		if s.lib.Static {
			about = " (static: it cannot be added to)"
		}
		for _, q := range timeQuantities {
			if r, ok := l.row(s.name, q+over); ok && r.High.Or(math.Inf(1)) < 1 {
				found = append(found, fmt.Sprintf("%s%s: %s, %s of ours (%s to %s)",
					s.name, about, q, percent(r.Value.Or(0)), percent(r.Low.Or(0)), percent(r.High.Or(0))))
			}
		}
		for _, q := range memoryQuantities {
			theirs, ok := l.row(s.name, q)
			ours, both := l.row(ourName(s.kind), q)
			if !ok || !both || theirs.High.Or(theirs.Value.Or(0)) > 0.9*ours.Low.Or(ours.Value.Or(0)) {
				continue
			}
			value := func(n results.Number) string { return short(n) + " " + ours.Unit }
			if q == qShare {
				value = func(n results.Number) string { return percent(n.Or(0)) }
			}
			said := fmt.Sprintf("%s%s: %s, %s against %s", s.name, about, q, value(theirs.Value), value(ours.Value))
			if r, ok := l.row(ourName(s.kind)+roomy, q); ok {
				said += fmt.Sprintf(" (%s with a tenth more heap)", value(r.Value))
			}
			found = append(found, said)
		}
	}
	for _, name := range filterNames()[1:] {
		for _, s := range shapes {
			theirs, ok := l.row(name, qFPR+s.name)
			ours, both := l.row(filterName, qFPR+s.name)
			if ok && both && theirs.High.Or(1) < ours.Low.Or(0) {
				note := ""
				if lost, ok := l.row(name, qLost); ok && lost.Value.Or(0) > 0 {
					note = fmt.Sprintf(", but it denies %s of the articles shown", percent(lost.Value.Or(0)))
				}
				found = append(found, fmt.Sprintf("%s: false positives on %s keys, %s against %s, in %s bits against %s%s",
					name, s.name, percent(theirs.Value.Or(0)), percent(ours.Value.Or(0)), theirs.X, ours.X, note))
			}
		}
	}
	return found
}

// short has three significant digits.
func short(n results.Number) string {
	v := n.Or(0)
	if v >= 100 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// percent has three significant digits, and no more than three behind the point.
func percent(v float64) string {
	if v <= 0 {
		return "0 %"
	}
	digits := min(3, max(0, 2-int(math.Floor(math.Log10(100*v)))))
	return strconv.FormatFloat(100*v, 'f', digits, 64) + " %"
}
