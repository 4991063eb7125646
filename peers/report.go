package main

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"dejavu/experiments/peers/standing"
	"dejavu/internal/document"
	"dejavu/peers/languages"
	"dejavu/peers/library"
	"dejavu/results"
	"dejavu/results/by"
)

// report is what README.md shows of a run, in Markdown. All of it follows from the run.
func report(run *results.Run) string {
	l := ledger{standing.NewRows(run.All())}
	tables := document.Tables(l.timeTable(), l.memoryTable(), l.rateTable())
	return document.Markdown(append(standing.Report(run), tables...)...)
}

// A ledger finds rows by what they are of, and makes tables of them.
type ledger struct{ standing.Rows }

// names are the strategies that have rows: ours and then theirs of each kind, those of
// other languages last, and nothing.
func (l ledger) names() (all []string) {
	for _, kind := range l.Kinds() {
		all = append(all, standing.OurName(kind))
		for _, library := range l.Libraries(kind) {
			all = append(all, standing.Name(library, kind))
		}
	}
	return append(all, nothing.name)
}

// A column is what a table has for each name, "" where there is no number.
type column struct {
	header string
	cell   func(name string) string
}

// table has a line for each name.
func table(title, first string, names []string, columns []column) document.Table {
	t := document.Table{Title: title, Header: []string{first}}
	for _, c := range columns {
		t.Header = append(t.Header, c.header)
	}
	for _, name := range names {
		line := []string{name}
		for _, c := range columns {
			line = append(line, cmp.Or(c.cell(name), "–"))
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

func (l ledger) timeTable() document.Table {
	digits := standing.Digits
	var columns []column
	for _, m := range standing.Timed {
		if _, ok := l.Row(nothing.name, m.Query); !ok {
			continue
		}
		columns = append(columns, column{m.Name, func(name string) (cell string) {
			if r, ok := l.Row(name, m.Query); ok {
				cell = digits(r.Value)
			}
			if ratio, ok := l.Row(name, standing.Over(m.Query)); ok {
				cell += fmt.Sprintf(" (%s×, %s–%s)", digits(ratio.Value), digits(ratio.Low), digits(ratio.High))
			}
			return cell
		}})
	}
	return table("Time in nanoseconds of a candidate (40 a request, one user in the cache) and of an article recorded; "+
		"in brackets how many times ours, with the interval of the turns", "strategy", l.names(), columns)
}

func (l ledger) memoryTable() document.Table {
	of := func(header, quantity string, form func(results.Row) string) column {
		return column{header, func(name string) string {
			if r, ok := l.Row(name, standing.OfUsers(quantity)); ok {
				return form(r)
			}
			return ""
		}}
	}
	// over has in brackets how many times ours.
	over := func(header, quantity string) column {
		return of(header, quantity, func(r results.Row) string {
			for _, kind := range l.Kinds() {
				ours, ok := l.Row(standing.OurName(kind), standing.OfUsers(quantity))
				if ok && strings.HasSuffix(r.Strategy, " "+kind) {
					return fixed(0)(r) + " (" + digits(ours.Value.Or(1), "×")(r) + ")"
				}
			}
			return fixed(0)(r)
		})
	}
	var names []string
	for _, name := range l.names() {
		for _, name := range []string{name, name + standing.Roomy} {
			_, weighed := l.Row(name, standing.OfUsers(results.QBytesPerUser))
			if _, served := l.Row(name, standing.OfUsers(results.QCollectShare)); weighed || served {
				names = append(names, name)
			}
		}
	}
	title := "Memory and collector, with " + l.Alive().String() + " users alive; in brackets how many times ours"
	share := func(r results.Row) string { return percent(r.Value) }
	return table(title, "strategy", names, []column{
		over("bytes a user", results.QBytesPerUser),
		over("with garbage", results.QGoalPerUser),
		of("heap objects a user", results.QObjectsPerUser, fixed(2)),
		of("pauses of a collection", results.QForcedPause, digits(1e3, " µs")),
		of("processors' time of a collection", results.QForcedCPU, digits(1e6, " ms")),
		of("collector's share while serving", results.QCollectShare, share),
		of("collector, a request", results.QCollectNanos, nanoseconds),
		of("request, random user", results.QRequestTime, nanoseconds),
	})
}

// fixed shows a value with so many digits behind the point.
func fixed(decimals int) func(results.Row) string {
	return func(r results.Row) string { return strconv.FormatFloat(r.Value.Or(0), 'f', decimals, 64) }
}

// digits shows a value in a unit of so many of its own.
func digits(of float64, unit string) func(results.Row) string {
	return func(r results.Row) string { return standing.Digits(results.Num(r.Value.Or(0)/of)) + unit }
}

func nanoseconds(r results.Row) string {
	cell := fixed(0)(r) + " ns"
	if r.Low.IsSet() {
		cell += fmt.Sprintf(" (%.0f–%.0f)", r.Low.Or(0), r.High.Or(0))
	}
	return cell
}

// libraryTable says what the libraries are.
func libraryTable() document.Table {
	t := document.Table{
		Title: "The libraries", Header: []string{"library", "version", "takes", "bits for 4064/6, 812/6", "rounds"},
	}
	for _, l := range library.All() {
		bits := strconv.Itoa(l.Geometry(library.One).Bits)
		if l.Chains != nil {
			bits += ", " + strconv.Itoa(l.Geometry(library.Link).Bits)
		}
		t.Rows = append(t.Rows, []string{l.Name, l.Module, l.Takes, bits, cmp.Or(l.Rounds, "nothing")})
	}
	for _, p := range languages.All() {
		version := fmt.Sprintf("%s %s: %s", p.Language, p.Version, p.Options)
		t.Rows = append(t.Rows, []string{p.Library, version, p.Takes, fmt.Sprintf("%d, %d", p.Bits[0], p.Bits[1]), p.Rounds})
	}
	return t
}

func (l ledger) rateTable() document.Table {
	first := func(name string) results.Row {
		r, _ := l.Row(name, standing.Shapes[0].Query)
		return r
	}
	columns := []column{
		{"bits/hashes", func(name string) string {
			hashes, _ := l.Row(name, standing.OfFilter(results.QHashes))
			return first(name).Where.Of(by.Bits) + "/" + cmp.Or(hashes.Value.String(), "–")
		}},
		{"theory", func(name string) string { return percent(first(name).Theory) }},
	}
	for _, m := range standing.Shapes {
		columns = append(columns, column{m.Name, func(name string) string {
			r, _ := l.Row(name, m.Query)
			stderr := (r.High.Or(0) - r.Low.Or(0)) / (2 * 1.959964)
			return fmt.Sprintf("%s (%+.1f)", percent(r.Value), (r.Value.Or(0)-r.Theory.Or(0))/stderr)
		}})
	}
	columns = append(columns, column{"shown and denied", func(name string) string {
		lost, _ := l.Row(name, standing.OfFilter(results.QLost))
		return percent(lost.Value)
	}})
	return table("False positives of one filter of 500 articles, asked for as 4064/6; "+
		"in brackets how many standard errors off its own theory",
		"library", append([]string{standing.Ours}, l.Filters()...), columns)
}

// percent has three significant digits, and no more than three behind the point.
func percent(n results.Number) string {
	v := n.Or(0)
	if v <= 0 {
		return "0 %"
	}
	digits := min(3, max(0, 2-int(math.Floor(math.Log10(100*v)))))
	return strconv.FormatFloat(100*v, 'f', digits, 64) + " %"
}
