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
	p := NewRows(run.All())
	verdicts := p.main()
	if len(verdicts) == 0 {
		return nil
	}
	count := map[standing]int{}
	for _, v := range verdicts {
		count[v.standing]++
	}
	blocks := []document.Block{
		document.Paragraph(p.provenance(run.Manifest)),
		document.Paragraph(fmt.Sprintf("Of %d comparisons, ours is ahead in %d, level in %d and behind in %d. It is ahead "+
			"or behind where the whole interval of the ratio of times lies more than %.0f %% from one, where live bytes or "+
			"objects differ by more than that, or where the 95 %% intervals of two false positive rates do not overlap. "+
			"All else is level, as are two filters that follow their theory.",
			len(verdicts), count[ahead], count[level], count[behind], 100*narrow)),
	}
	blocks = append(blocks, document.Folded(Tables(run)...)...)
	list := document.List{Items: slices.Concat(p.exceptions(verdicts, behind), p.exceptions(verdicts, level),
		p.exceptions(p.verdicts(others, p.Row), behind))}
	if len(list.Items) == 0 {
		return append(blocks, document.Paragraph("There is no exception."))
	}
	return append(blocks, document.Fold{Title: "Every exception by name", Blocks: []document.Block{list}})
}

// main returns the verdicts in time, in bytes and objects, and in how far false positives exceed the expected rate.
func (p Rows) main() []verdict { return p.verdicts(slices.Concat(Timed, counted), p.Excess) }

// Tables returns the verdicts of a run as tables: time and memory, and false positives.
func Tables(run *results.Run) []document.Block {
	p := NewRows(run.All())
	verdicts := p.main()
	measures := slices.DeleteFunc(slices.Concat(Timed, counted), func(m Measure) bool {
		return !slices.ContainsFunc(verdicts, func(v verdict) bool { return v.Measure == m })
	})
	costs := document.Table{Title: "Is ours ahead of each library, level or behind? Time and memory, theirs over ours"}
	for _, kind := range p.Kinds() {
		p.addLines(&costs, "strategy", p.Row, kind, p.Libraries(kind), measures, verdicts)
	}
	if len(costs.Header) > 1 {
		for _, library := range p.Missing() {
			r, _ := p.Row(library, missing)
			cells := slices.Repeat([]string{none}, len(costs.Header))
			cells[0], cells[1] = p.Titled(library, library), "not measured: "+r.Where.Of(by.Tool)+" is missing"
			costs.Rows = append(costs.Rows, cells)
		}
	}
	rates := document.Table{
		Title: "Is ours nearer to theory? Excess of the false positive rate over theory, by the shape of the keys",
	}
	if libraries := p.Filters(); len(libraries) > 0 {
		p.addLines(&rates, "filter of 500 articles", p.Excess, "", libraries, Shapes, verdicts)
	}
	return document.Tables(costs, rates)
}

// provenance says where, when and with which command the rows were measured.
func (p Rows) provenance(m results.Manifest) string {
	s := "Measured"
	if day, _, ok := strings.Cut(m.Started, "T"); ok {
		s += " on " + day
	}
	s += " by `" + strings.Join(append([]string{"go run ."}, m.Args...), " ") + "` in `peers`, a module of its own"
	if e := m.Environment; e.Go != "" {
		cpu := cmp.Or(e.CPU, "an unnamed processor")
		s += fmt.Sprintf(": %s, %d processors, %s, %s/%s", cpu, e.GOMAXPROCS, e.Go, e.OS, e.Arch)
	}
	if alive := p.Alive(); alive.IsSet() {
		s += fmt.Sprintf(", %s users alive", alive)
	}
	return s + "."
}

// none is the cell of a value that was not measured.
const none = "–"

// addLines adds a line for ours, as measured, and one with the verdicts for each library.
func (p Rows) addLines(
	t *document.Table, first string, find finder, kind string, libraries []string, measures []Measure, verdicts []verdict,
) {
	ours := []string{OurName(kind)}
	t.Header = []string{first}
	for _, m := range measures {
		t.Header = append(t.Header, m.Name)
		ours = append(ours, amount(find(OurName(kind), m.Query)))
	}
	t.Rows = append(t.Rows, ours)
	for _, library := range libraries {
		line := []string{p.Titled(Name(library, kind), library)}
		for _, m := range measures {
			cell := none
			for _, v := range verdicts {
				if v.library == library && v.kind == kind && v.Measure == m {
					cell = []string{level: "level, ", ahead: "ahead, ", behind: "**behind**, "}[v.standing] + v.multiple()
				}
			}
			line = append(line, cell)
		}
		t.Rows = append(t.Rows, line)
	}
}

// multiple returns theirs as a multiple of ours, or as it is if a multiple says nothing.
func (v verdict) multiple() string {
	switch {
	case v.kind == "":
		return amount(v.theirs, true)
	case v.Query.Quantity == results.QObjectsPerUser:
		return amount(v.theirs, true) + " to " + amount(v.ours, true)
	}
	return digits(v.ratio.Value) + "×"
}

// exceptions lists the verdicts of one standing, a line for each strategy or filter of a library.
func (p Rows) exceptions(verdicts []verdict, s standing) (lines []string) {
	word := map[standing]string{behind: "Behind ", level: "Level with "}[s]
	last, lastWhat := "", ""
	for _, v := range verdicts {
		if v.standing != s {
			continue
		}
		what, how := v.text()
		if name := Name(v.library, v.kind); name != last {
			lines = append(lines, word+name+p.remark(v)+": "+what+" "+how)
			last = name
		} else {
			if what != lastWhat {
				how = what + " " + how
			}
			lines[len(lines)-1] += ", " + how
		}
		lastWhat = what
	}
	for i := range lines {
		lines[i] += "."
	}
	return lines
}

// remark says what must be known of a library before its numbers are read.
func (p Rows) remark(v verdict) string {
	var facts []string
	if language := p.Language(v.library); language != "" {
		facts = append(facts, language)
	}
	if p.Static(v.library) {
		facts = append(facts, "static: it cannot be added to")
	}
	if lost, _ := p.Row(v.library, ofFilter(results.QLost)); v.kind == "" && lost.Value.Or(0) > 0 {
		facts = append(facts, "it denies "+amount(lost, true)+" of the articles shown")
	}
	if theirs, ours := v.theirs.Where.Of(by.Bits), v.ours.Where.Of(by.Bits); theirs != ours {
		facts = append(facts, theirs+" bits, ours "+ours)
	}
	if facts == nil {
		return ""
	}
	return " (" + strings.Join(facts, "; ") + ")"
}

// text names the quantity, and returns both values if no table shows them.
func (v verdict) text() (what, how string) {
	both := amount(v.theirs, true) + " against " + amount(v.ours, true)
	switch {
	case v.theirs.Quantity == results.QExcess:
		return "FPR over theory by shape of keys:", v.Name
	case v.kind == "":
		return "false positives by shape of keys:", both + " (" + v.Name + ")"
	case v.ratio.Low.IsSet():
		both = fmt.Sprintf("%s× (%s to %s)", digits(v.ratio.Value), digits(v.ratio.Low), digits(v.ratio.High))
	}
	return v.Name, both
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
	case r.Unit == results.Nanoseconds && v >= 1e5:
		return digits(results.Num(v/1e6)) + " ms"
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
