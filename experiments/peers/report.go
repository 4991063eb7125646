package peers

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"dejavu/internal/document"
	"dejavu/internal/plural"
	"dejavu/results"
	"dejavu/results/by"
)

// Of returns the peers' run in a run's directory, or else the committed one, and the report on it. The rows come from
// files, because their program belongs to another module, which needs this one.
func Of(out string) (*results.Run, []document.Block) {
	from := "The rows lie in `" + results.PeersDir + "` beside this report."
	run, own, err := results.Beside(out, results.PeersDir)
	switch {
	case err != nil:
		why := fmt.Sprintf("Nothing to show: %s.", document.Literal(err.Error()))
		return &results.Run{}, []document.Block{document.Paragraph(why)}
	case !own:
		from = "The rows are those committed with this program, perhaps from another machine. To have your own, run " +
			"`cd peers && go run .`, which leaves them in `out/" + results.PeersDir + "`, and `go run ./experiments` again, " +
			"which measures nothing twice."
	}
	report := Report(run)
	if report == nil {
		report = []document.Block{document.Paragraph("There are no rows to show.")}
	}
	return run, append([]document.Block{document.Paragraph(from)}, report...)
}

// Report compares the suite with a run's peers, or returns nil if there is nothing to compare.
func Report(run *results.Run) []document.Block {
	tables, count := compare(run)
	all := count[level] + count[ahead] + count[behind]
	if all == 0 {
		return nil
	}
	return append([]document.Block{
		document.Paragraph(provenance(run.Manifest)),
		document.Paragraph(fmt.Sprintf("Of %d comparisons, ours is ahead in %d, level in %d and behind in %d. It is "+
			"level if the interval of a ratio of times comes within %.0f %% of one, if live bytes or objects differ by no "+
			"more than that, or if the 95 %% intervals of two false positive rates overlap. Cells say level or behind.",
			all, count[ahead], count[level], count[behind], 100*margin)),
	}, document.Folded(tables...)...)
}

// Tables returns the verdicts of a run as two tables: time and memory, and false positives.
func Tables(run *results.Run) []document.Block {
	tables, _ := compare(run)
	return tables
}

// compare returns the tables, and the number of verdicts of each kind in them.
func compare(run *results.Run) ([]document.Block, map[standing]int) {
	p, count := rows{results.NewCells(run.All())}, map[standing]int{}
	fill := func(t document.Table, kind string, measures []measure) document.Table {
		for _, library := range p.libraries(kind, measures[0].query) {
			line := []string{name(library, kind)}
			if kind == "" {
				r, ok := p.row(library, measures[0].query)
				line = append(line, r.Where.Of(by.Bits), amount(r, ok))
			}
			for _, m := range measures {
				cell := none
				if library == ours {
					cell = amount(p.compared(line[0], kind, m))
				} else if v, ok := p.verdict(library, kind, m); ok {
					cell = v.cell()
					count[v.standing]++
				}
				line = append(line, cell)
			}
			t.Rows = append(t.Rows, line)
		}
		return t
	}
	costs := document.Table{
		Title:  "Is ours ahead of each library, level or behind? Time and memory, theirs over ours",
		Header: []string{"strategy"},
	}
	for _, m := range slices.Concat(timed, counted) {
		costs.Header = append(costs.Header, m.name)
	}
	for _, kind := range kinds {
		costs = fill(costs, kind, slices.Concat(timed, counted))
	}
	rates := document.Table{
		Title:  "Is ours nearer to theory? Excess of the false positive rate over theory, by the shape of the keys",
		Header: []string{"filter of 500 articles", "bits", "FPR"},
	}
	for _, m := range shapes {
		rates.Header = append(rates.Header, m.name)
	}
	return document.Tables(costs, fill(rates, "", shapes)), count
}

// provenance says where, when and with which command the rows were measured.
func provenance(m results.Manifest) string {
	s := "Measured"
	if day, _, ok := strings.Cut(m.Started, "T"); ok {
		s += " on " + day
	}
	s += " by `" + strings.Join(append([]string{"go run ."}, m.Args...), " ") + "` in `peers`, a module of its own"
	if e := m.Environment; e.Go != "" {
		cpu := cmp.Or(e.CPU, "an unnamed processor")
		s += fmt.Sprintf(": %s, %s, %s, %s/%s", cpu, plural.Of(e.GOMAXPROCS, "processor", "processors"), e.Go, e.OS, e.Arch)
	}
	return s + "."
}

// none is the cell of a value that was not measured.
const none = "–"

// cell returns a table's words for a verdict. A cell without a word means that ours is ahead.
func (v verdict) cell() string {
	s := map[standing]string{level: "level, ", behind: "**behind**, "}[v.standing]
	switch {
	case v.kind == "":
		return s + amount(v.theirs, true)
	case v.query.Quantity == results.QObjectsPerUser: // a multiple of nothing says nothing
		return s + amount(v.theirs, true) + " to " + amount(v.ours, true)
	}
	s += digits(v.ratio.Value) + "×"
	if v.standing == behind && v.ratio.Low.IsSet() {
		s += fmt.Sprintf(" (%s to %s)", digits(v.ratio.Low), digits(v.ratio.High))
	}
	return s
}

// amount formats a row's value by its unit.
func amount(r results.Row, ok bool) string {
	v := r.Value.Or(0)
	switch {
	case !ok:
		return none
	case r.Quantity == results.QExcess:
		return fmt.Sprintf("%+.2f %%", 100*v)
	case r.Unit == results.Ratio:
		return digits(results.Num(100*v)) + " %"
	case r.Unit != "":
		return digits(r.Value) + " " + r.Unit
	case v < 0.005: // objects per user: the store has a few in all
		return "0"
	}
	return digits(r.Value)
}

// digits formats a number with three significant digits, or all before the point.
func digits(n results.Number) string {
	v := n.Or(0)
	if math.Abs(v) >= 100 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}
