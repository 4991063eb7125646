package standing

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

// Report says how we stand beside the peers, all of it from their run; nil where there is nothing to compare.
func Report(run *results.Run) []document.Block {
	p := NewRows(run.All())
	verdicts := p.Verdicts()
	if len(verdicts) == 0 {
		return nil
	}
	count := map[Standing]int{}
	for _, v := range verdicts {
		count[v.Standing]++
	}
	blocks := []document.Block{
		document.Paragraph(p.provenance(run.Manifest)),
		document.Paragraph(fmt.Sprintf("Of %d comparisons, ours is ahead in %d, level in %d and behind in %d. It is ahead "+
			"or behind where the whole interval of the ratio of times lies more than %.0f %% from one, where live bytes or "+
			"objects differ by more than that, or where the 95 %% intervals of two false positive rates do not overlap. "+
			"All else is level, as are two filters that follow their theory.",
			len(verdicts), count[Ahead], count[Level], count[Behind], 100*narrow)),
	}
	blocks = append(blocks, document.Folded(Tables(run)...)...)
	list := document.List{Items: slices.Concat(p.exceptions(verdicts, Behind), p.exceptions(verdicts, Level),
		p.exceptions(p.Others(), Behind))}
	if len(list.Items) == 0 {
		return append(blocks, document.Paragraph("There is no exception."))
	}
	return append(blocks, document.Fold{Title: "Every exception by name", Blocks: []document.Block{list}})
}

// Tables are the verdicts of a run, those that have any.
func Tables(run *results.Run) []document.Block {
	p := NewRows(run.All())
	verdicts := p.Verdicts()
	return document.Tables(p.strategyTable(verdicts), p.shapeTable(verdicts))
}

// provenance is where, when and with which command the rows were measured.
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

// strategyTable has a line for each strategy: ours as measured, theirs as multiples of it.
func (p Rows) strategyTable(verdicts []Verdict) document.Table {
	measures := slices.DeleteFunc(slices.Concat(Timed, counted), func(m Measure) bool {
		return !slices.ContainsFunc(verdicts, func(v Verdict) bool { return v.Measure == m })
	})
	t := document.Table{Title: "Is ours ahead of each library, level or behind? Time and memory, theirs over ours"}
	for _, kind := range p.Kinds() {
		p.addLines(&t, "strategy", p.Row, kind, p.Libraries(kind), measures, verdicts)
	}
	if len(t.Header) < 2 { // nothing was measured
		return t
	}
	for _, library := range p.Missing() {
		r, _ := p.Row(library, missing)
		cells := slices.Repeat([]string{none}, len(t.Header))
		cells[0], cells[1] = p.Titled(library, library), "not measured: "+r.Where.Of(by.Tool)+" is missing"
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// shapeTable has a line for each library's filter.
func (p Rows) shapeTable(verdicts []Verdict) (t document.Table) {
	t.Title = "Is ours nearer to theory? Excess of the false positive rate over theory, by the shape of the keys"
	if libraries := p.Filters(); len(libraries) > 0 {
		p.addLines(&t, "filter of 500 articles", p.Excess, "", libraries, Shapes, verdicts)
	}
	return t
}

// none stands where there is no value.
const none = "–"

// addLines adds ours, as measured, and below it the verdicts of each library.
func (p Rows) addLines(
	t *document.Table, first string, find finder, kind string, libraries []string, measures []Measure, verdicts []Verdict,
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
				if v.Library == library && v.Kind == kind && v.Measure == m {
					cell = []string{Level: "level", Ahead: "ahead", Behind: "**behind**"}[v.Standing] + ", " + v.multiple()
				}
			}
			line = append(line, cell)
		}
		t.Rows = append(t.Rows, line)
	}
}

// multiple is how much theirs is: as a multiple of ours where that says something, and else as it is.
func (v Verdict) multiple() string {
	switch {
	case v.Kind == "":
		return amount(v.Theirs, true)
	case v.Quantity == results.QObjectsPerUser:
		return amount(v.Theirs, true) + " to " + amount(v.Ours, true)
	}
	return Digits(v.Ratio.Value) + "×"
}

// exceptions are the verdicts of one standing, a line for each peer.
func (p Rows) exceptions(verdicts []Verdict, standing Standing) (lines []string) {
	word := "Behind "
	if standing == Level {
		word = "Level with "
	}
	var last Verdict // that was written
	for _, v := range verdicts {
		if v.Standing != standing {
			continue
		}
		what, how := v.text()
		if before, _ := last.text(); v.Library == last.Library && v.Kind == last.Kind {
			if what != before {
				how = what + " " + how
			}
			lines[len(lines)-1] += ", " + how
		} else {
			lines = append(lines, word+Name(v.Library, v.Kind)+p.remark(v)+": "+what+" "+how)
		}
		last = v
	}
	for i := range lines {
		lines[i] += "."
	}
	return lines
}

// remark is what must be known of a library before its numbers are read.
func (p Rows) remark(v Verdict) string {
	var facts []string
	if language := p.Language(v.Library); language != "" {
		facts = append(facts, language)
	}
	if _, static := p.Row(v.Library, OfFilter(results.QStatic)); static {
		facts = append(facts, "static: it cannot be added to")
	}
	if lost, _ := p.Row(v.Library, OfFilter(results.QLost)); v.Kind == "" && lost.Value.Or(0) > 0 {
		facts = append(facts, "it denies "+amount(lost, true)+" of the articles shown")
	}
	if theirs, ours := v.Theirs.Where.Of(by.Bits), v.Ours.Where.Of(by.Bits); theirs != ours {
		facts = append(facts, theirs+" bits, ours "+ours)
	}
	if facts == nil {
		return ""
	}
	return " (" + strings.Join(facts, "; ") + ")"
}

// text names the quantity, and has both values where no table does.
func (v Verdict) text() (what, how string) {
	both := amount(v.Theirs, true) + " against " + amount(v.Ours, true)
	switch {
	case v.Theirs.Quantity == results.QExcess:
		return "FPR over theory by shape of keys:", v.Name
	case v.Kind == "":
		return "false positives by shape of keys:", both + " (" + v.Name + ")"
	case v.Ratio.Low.IsSet():
		both = fmt.Sprintf("%s× (%s to %s)", Digits(v.Ratio.Value), Digits(v.Ratio.Low), Digits(v.Ratio.High))
	}
	return v.Name, both
}

// amount is a row's value for people, in the manner of its unit.
func amount(r results.Row, ok bool) string {
	v := r.Value.Or(0)
	switch {
	case !ok:
		return none
	case r.Unit == results.Ratio && r.Quantity == results.QExcess:
		return fmt.Sprintf("%+.2f %%", 100*v)
	case r.Unit == results.Ratio:
		return Digits(results.Num(100*v)) + " %"
	case r.Unit == results.Nanoseconds && v >= 1e5:
		return Digits(results.Num(v/1e6)) + " ms"
	case r.Unit != "":
		return Digits(r.Value) + " " + r.Unit
	case v < 0.005: // of a user's objects: a few of the store's own, over a million users
		return "0"
	}
	return Digits(r.Value)
}

// Digits is a number to three significant digits, or all that stand before the point.
func Digits(n results.Number) string {
	v := n.Or(0)
	if math.Abs(v) >= 100 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}
