package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"dejavu/experiments/peers/standing"
	"dejavu/peers/languages"
	"dejavu/peers/library"
	"dejavu/results"
)

// report is what README.md shows of a run, in Markdown. All of it follows from
// the run.
func report(run *results.Run) string {
	l := ledger{standing.NewRows(run.All())}
	var text strings.Builder
	text.WriteString(standing.Text(run) + "\n")
	for _, t := range []results.Table{l.timeTable(), l.memoryTable(), l.rateTable()} {
		text.WriteString(t.Markdown() + "\n")
	}
	return text.String()
}

// A ledger finds rows by what they say, and makes tables of them.
type ledger struct{ standing.Rows }

// listed are the subjects that have rows: ours and then theirs of each kind, those of
// other languages last, and nothing.
func (l ledger) listed() (all []subject) {
	known := subjects()
	for _, k := range library.Kinds {
		for _, s := range known {
			if s.kind.Name == k.Name {
				all = append(all, s)
			}
		}
		for _, name := range l.Libraries(k.Name) {
			if l.Language(name) != "" {
				all = append(all, subject{name: standing.Name(name, k.Name), kind: k})
			}
		}
	}
	return append(all, nothing)
}

func (l ledger) timeTable() results.Table {
	t := results.Table{
		Title: "Time in nanoseconds of a candidate (40 a request, one user in the cache) and of an article recorded; " +
			"in brackets how many times ours, with the interval of the turns",
		Header: []string{"strategy"},
	}
	taken := slices.DeleteFunc(slices.Clone(questions), func(q question) bool {
		_, ok := l.Row(nothing.name, q.quantity)
		return !ok
	})
	for _, q := range taken {
		t.Header = append(t.Header, standing.Label(q.quantity))
	}
	for _, s := range l.listed() {
		cells := []string{s.name}
		for _, q := range taken {
			r, ok := l.Row(s.name, q.quantity)
			if !ok {
				cells = append(cells, "–")
				continue
			}
			cell := standing.Digits(r.Value)
			if ratio, ok := l.Row(s.name, q.quantity+results.OverOurs); ok {
				cell += fmt.Sprintf(" (%s×, %s–%s)", standing.Digits(ratio.Value), standing.Digits(ratio.Low), standing.Digits(ratio.High))
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
		"collector's share while serving", "collector, a request", "request, random user",
	}}
	line := func(name string, dejavu string) {
		cells := []string{name}
		for _, q := range memoryQuantities {
			r, ok := l.Row(name, q)
			v := r.Value.Or(0)
			switch {
			case !ok:
				cells = append(cells, "–")
				continue
			case q == results.QObjectsPerUser:
				cells = append(cells, strconv.FormatFloat(v, 'f', 2, 64))
			case q == results.QForcedPause:
				cells = append(cells, standing.Digits(results.Num(v/1e3))+" µs")
			case q == results.QForcedCPU:
				cells = append(cells, standing.Digits(results.Num(v/1e6))+" ms")
			case q == results.QCollectShare:
				cells = append(cells, percent(v))
			case q == results.QCollectNanos || q == results.QRequestServed:
				cell := strconv.FormatFloat(v, 'f', 0, 64) + " ns"
				if r.Low.IsSet() {
					cell += fmt.Sprintf(" (%.0f–%.0f)", r.Low.Or(0), r.High.Or(0))
				}
				cells = append(cells, cell)
			default:
				cells = append(cells, strconv.FormatFloat(v, 'f', 0, 64))
			}
			if ours, ok := l.Row(dejavu, q); ok && name != dejavu && (q == results.QBytesPerUser || q == results.QGoalPerUser) {
				cells[len(cells)-1] += fmt.Sprintf(" (%s×)", standing.Digits(results.Num(v/ours.Value.Or(1))))
			}
		}
		t.Rows = append(t.Rows, cells)
	}
	t.Title = "Memory and collector, with " + l.Alive().String() + " users alive; in brackets how many times ours"
	for _, s := range l.listed() {
		if _, ok := l.Row(s.name, results.QBytesPerUser); !ok {
			continue
		}
		if !s.ours && s.name != nothing.name {
			line(s.name, standing.OurName(s.kind.Name))
			continue
		}
		line(s.name, s.name)
		if _, ok := l.Row(s.name+standing.Roomy, results.QCollectShare); ok {
			line(s.name+standing.Roomy, s.name+standing.Roomy)
		}
	}
	return t
}

// libraryTable says what the libraries are.
func libraryTable() results.Table {
	t := results.Table{Title: "The libraries", Header: []string{"library", "version", "takes", "bits for 4064/6, 812/6", "rounds"}}
	for _, l := range library.All() {
		bits := fmt.Sprintf("%d, %d", l.Bits(library.One), l.Bits(library.Link))
		if l.Chains == nil {
			bits = strconv.Itoa(l.Bits(library.One))
		}
		t.Rows = append(t.Rows, []string{l.Name, l.Module, l.Takes, bits, cmp.Or(l.Rounds, "nothing")})
	}
	for _, p := range languages.All() {
		version := fmt.Sprintf("%s %s: %s", p.Language, p.Version, p.Options)
		t.Rows = append(t.Rows, []string{p.Library, version, p.Takes, fmt.Sprintf("%d, %d", p.Bits[0], p.Bits[1]), p.Rounds})
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
	for _, name := range append([]string{standing.Ours}, l.Filters()...) {
		first, ok := l.Row(name, results.QFPROf+shapes[0].name)
		if !ok {
			continue
		}
		geometry := first.X.String() + "/–"
		if hashes, ok := l.Row(name, results.QHashes); ok {
			geometry = first.X.String() + "/" + hashes.Value.String()
		}
		cells := []string{name, geometry, percent(first.Theory.Or(0))}
		for _, s := range shapes {
			r, _ := l.Row(name, results.QFPROf+s.name)
			stderr := (r.High.Or(0) - r.Low.Or(0)) / (2 * 1.959964)
			cells = append(cells, fmt.Sprintf("%s (%+.1f)", percent(r.Value.Or(0)), (r.Value.Or(0)-r.Theory.Or(0))/stderr))
		}
		lost, _ := l.Row(name, results.QLost)
		t.Rows = append(t.Rows, append(cells, percent(lost.Value.Or(0))))
	}
	return t
}

// percent has three significant digits, and no more than three behind the point.
func percent(v float64) string {
	if v <= 0 {
		return "0 %"
	}
	digits := min(3, max(0, 2-int(math.Floor(math.Log10(100*v)))))
	return strconv.FormatFloat(100*v, 'f', digits, 64) + " %"
}
