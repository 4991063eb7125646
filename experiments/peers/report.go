package peers

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"dejavu/internal/document"
	"dejavu/results"
	"dejavu/results/by"
)

// Report returns how we stand beside the peers of a run, or nil if there is nothing to compare.
func Report(run *results.Run) []document.Block {
	p := rows{results.NewCells(run.All())}
	verdicts := p.verdicts()
	if len(verdicts) == 0 {
		return nil
	}
	count := map[standing]int{}
	for _, v := range verdicts {
		count[v.standing]++
	}
	blocks := []document.Block{
		document.Paragraph(p.provenance(run.Manifest)),
		document.Paragraph(fmt.Sprintf("Of %d comparisons, ours is ahead in %d, level in %d and behind in %d. It is level if "+
			"the interval of a ratio of times comes within %.0f %% of one, if live bytes or objects differ by no more than "+
			"that, or if the 95 %% intervals of two false positive rates overlap. Cells say level or behind.",
			len(verdicts), count[ahead], count[level], count[behind], 100*margin)),
	}
	blocks = append(blocks, document.Folded(Tables(run)...)...)
	if lines := p.behind(verdicts); len(lines) > 0 {
		list := document.List{Items: lines}
		return append(blocks, document.Fold{Title: "Where ours is behind, with intervals", Blocks: []document.Block{list}})
	}
	return append(blocks, document.Paragraph("Ours is behind in nothing."))
}

// Tables returns the verdicts of a run as tables: time and memory, and false positives.
func Tables(run *results.Run) []document.Block {
	p := rows{results.NewCells(run.All())}
	verdicts := p.verdicts()
	costs := document.Table{Title: "Is ours ahead of each library, level or behind? Time and memory, theirs over ours"}
	measures := slices.DeleteFunc(slices.Concat(timed, counted), func(m measure) bool {
		return !slices.ContainsFunc(verdicts, func(v verdict) bool { return v.measure == m })
	})
	for _, kind := range p.kinds() {
		costs.Header = []string{"strategy"}
		line := []string{name(ours, kind)}
		for _, m := range measures {
			costs.Header, line = append(costs.Header, m.name), append(line, amount(p.row(name(ours, kind), m.query)))
		}
		costs.Rows = append(costs.Rows, line)
		for _, library := range p.libraries(kind) {
			line := []string{p.titled(name(library, kind), library)}
			for _, m := range measures {
				line = append(line, cell(verdicts, library, kind, m))
			}
			costs.Rows = append(costs.Rows, line)
		}
	}
	if len(costs.Header) > 1 {
		for _, library := range p.others(missing) {
			r, _ := p.row(library, missing)
			cells := slices.Repeat([]string{none}, len(costs.Header))
			cells[0], cells[1] = p.titled(library, library), "not measured: needs "+r.Where.Of(by.Tool)
			costs.Rows = append(costs.Rows, cells)
		}
	}
	rates := document.Table{
		Title:  "Is ours nearer to theory? Excess of the false positive rate over theory, by the shape of the keys",
		Header: []string{"filter of 500 articles", "bits", "own keys denied", "FPR"},
	}
	for _, m := range shapes {
		rates.Header = append(rates.Header, m.name)
	}
	for i, library := range append([]string{ours}, p.others(anyKeys)...) {
		title, rate := p.titled(library, library), shapes[0].query
		if p.static(library) {
			title += ", static"
		}
		r, _ := p.row(library, rate)
		line := []string{title, r.Where.Of(by.Bits), amount(p.row(library, ofFilter(results.QLost))), amount(p.row(library, rate))}
		for _, m := range shapes {
			if i == 0 {
				line = append(line, amount(p.excess(library, m.query)))
			} else {
				line = append(line, cell(verdicts, library, "", m))
			}
		}
		rates.Rows = append(rates.Rows, line)
	}
	if len(rates.Rows) == 1 {
		return document.Tables(costs)
	}
	return document.Tables(costs, rates)
}

// provenance says where, when and with which command the rows were measured.
func (p rows) provenance(m results.Manifest) string {
	s := "Measured"
	if day, _, ok := strings.Cut(m.Started, "T"); ok {
		s += " on " + day
	}
	s += " by `" + strings.Join(append([]string{"go run ."}, m.Args...), " ") + "` in `peers`, a module of its own"
	if e := m.Environment; e.Go != "" {
		cpu := cmp.Or(e.CPU, "an unnamed processor")
		s += fmt.Sprintf(": %s, %d processors, %s, %s/%s", cpu, e.GOMAXPROCS, e.Go, e.OS, e.Arch)
	}
	if alive := p.alive(); alive.IsSet() {
		s += fmt.Sprintf(", %s users alive", alive)
	}
	return s + "."
}

// none is the cell of a value that was not measured.
const none = "–"

// cell returns what a table says of a library in a measure. A cell without a word says that ours is ahead.
func cell(verdicts []verdict, library, kind string, m measure) string {
	for _, v := range verdicts {
		if v.library != library || v.kind != kind || v.measure != m {
			continue
		}
		s := map[standing]string{level: "level, ", behind: "**behind**, "}[v.standing]
		switch {
		case kind == "":
			return s + amount(v.theirs, true)
		case m.query.Quantity == results.QObjectsPerUser: // a multiple of nothing says nothing
			return s + amount(v.theirs, true) + " to " + amount(v.ours, true)
		}
		return s + digits(v.ratio.Value) + "×"
	}
	return none
}

// behind lists the measures in which ours is behind, a line for each strategy or filter of a library.
func (p rows) behind(verdicts []verdict) (lines []string) {
	last := ""
	for _, v := range verdicts {
		if v.standing != behind {
			continue
		}
		how := v.name + " " + amount(v.theirs, true) + " against " + amount(v.ours, true)
		if v.ratio.Low.IsSet() {
			how = fmt.Sprintf("%s %s× (%s to %s)", v.name, digits(v.ratio.Value), digits(v.ratio.Low), digits(v.ratio.High))
		}
		if title := p.titled(name(v.library, v.kind), v.library); title != last {
			lines, last = append(lines, title+": "+how), title
		} else {
			lines[len(lines)-1] += ", " + how
		}
	}
	for i := range lines {
		lines[i] += "."
	}
	return lines
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
