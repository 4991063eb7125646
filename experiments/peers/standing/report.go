package standing

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"dejavu/results"
)

// A Report says how we stand beside the peers. Its texts are Markdown: code
// between backticks, and strong words between two stars.
type Report struct {
	Provenance string          // where and when they were measured
	Tables     []results.Table // the verdicts
	Rule       string          // how many of each, and when one is which
	Exceptions []string
}

// NewReport makes the report of a run, and says whether there is one. All
// of it follows from the run.
func NewReport(run *results.Run) (r Report, ok bool) {
	p := NewRows(run.All())
	verdicts := p.Verdicts()
	if len(verdicts) == 0 {
		return r, false
	}
	r.Provenance = p.provenance(run.Manifest)
	for _, t := range []results.Table{p.strategyTable(verdicts), p.errorTable(verdicts)} {
		if len(t.Rows) > 0 {
			r.Tables = append(r.Tables, t)
		}
	}
	count := map[Standing]int{}
	for _, v := range verdicts {
		count[v.Standing]++
	}
	r.Rule = fmt.Sprintf("Of %d comparisons, ours is ahead in %d, level in %d and behind in %d. It is ahead or behind where the whole "+
		"interval of the ratio of times lies more than %.0f %% from one, where live bytes or objects differ by more than that, "+
		"or where the 95 %% intervals of two false positive rates do not overlap. All else is level, as are two filters that follow their theory.",
		len(verdicts), count[Ahead], count[Level], count[Behind], 100*narrow)
	r.Exceptions = p.exceptions(verdicts, Behind)
	r.Exceptions = append(r.Exceptions, p.exceptions(verdicts, Level)...)
	r.Exceptions = append(r.Exceptions, p.exceptions(p.Others(), Behind)...)
	return r, true
}

// Text is the report of a run in Markdown, so that a README can be held
// against it; empty where there is none.
func Text(run *results.Run) string {
	r, ok := NewReport(run)
	if !ok {
		return ""
	}
	var b strings.Builder
	b.WriteString(r.Provenance + "\n\n")
	for _, t := range r.Tables {
		b.WriteString(t.Markdown() + "\n")
	}
	b.WriteString(r.Rule + "\n\n")
	for _, line := range r.Exceptions {
		b.WriteString("- " + line + "\n")
	}
	if len(r.Exceptions) == 0 {
		b.WriteString("There is no exception.\n")
	}
	return b.String()
}

// provenance is where, when and with which command the rows were measured.
func (p Rows) provenance(m results.Manifest) string {
	s := "Measured"
	if day, _, ok := strings.Cut(m.Started, "T"); ok {
		s += " on " + day
	}
	s += " by `" + strings.Join(append([]string{"go run ."}, m.Args...), " ") + "` in `peers`, a module of its own"
	if e := m.Environment; e.Go != "" {
		s += fmt.Sprintf(": %s, %d processors, %s, %s/%s", cmp.Or(e.CPU, "an unnamed processor"), e.GOMAXPROCS, e.Go, e.OS, e.Arch)
	}
	if alive := p.Alive(); alive.IsSet() {
		s += fmt.Sprintf(", %s users alive", alive)
	}
	return s + "."
}

// labels are what the tables call a quantity, where they do not by its own name.
var labels = map[string]string{
	results.QFreshNanos: "unseen candidate", results.QSeenNanos: "seen candidate", results.QMixedNanos: "mixed candidate",
	results.QRecordNanos: "article recorded, by ten", results.QRecordManyNanos: "article recorded, by 500",
	results.QBytesPerUser: "bytes a user", results.QObjectsPerUser: "heap objects a user",
}

// Label is what tables call a quantity.
func Label(quantity string) string { return cmp.Or(labels[quantity], quantity) }

// strategyTable has a line for each strategy: ours as measured, theirs as
// multiples of it.
func (p Rows) strategyTable(verdicts []Verdict) results.Table {
	t := results.Table{
		Title:  "Is ours ahead of each library, level or behind? Time and memory, theirs over ours",
		Header: []string{"strategy"},
	}
	quantities := slices.DeleteFunc(slices.Concat(timed, counted), func(q string) bool {
		return !slices.ContainsFunc(verdicts, func(v Verdict) bool { return v.Quantity == q })
	})
	for _, q := range quantities {
		t.Header = append(t.Header, labels[q])
	}
	for _, kind := range p.Kinds() {
		ours := []string{OurName(kind)}
		for _, q := range quantities {
			r, ok := p.Row(OurName(kind), q)
			ours = append(ours, amount(r, ok))
		}
		t.Rows = append(t.Rows, ours)
		for _, library := range p.Libraries(kind) {
			t.Rows = append(t.Rows, verdictCells(Name(library, kind)+p.foreign(library), library, kind, quantities, verdicts))
		}
	}
	for _, library := range p.Missing() {
		cells := slices.Repeat([]string{"–"}, len(t.Header))
		cells[0], cells[1] = library+p.foreign(library), "not measured: "+p.about(library, results.QMissing)+" is missing"
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// errorTable has a line for each library's filter.
func (p Rows) errorTable(verdicts []Verdict) results.Table {
	t := results.Table{
		Title:  "Is ours nearer to theory? Rates of false positives by the shape of the keys, over that of the bits in use, less one",
		Header: []string{"filter of 500 articles"},
	}
	var quantities []string
	ours := []string{Ours}
	for _, shape := range results.KeyShapes {
		t.Header = append(t.Header, shape)
		quantities = append(quantities, results.QFPROf+shape)
		r, ok := p.FPRError(Ours, shape)
		ours = append(ours, amount(r, ok))
	}
	for _, library := range p.Filters() {
		t.Rows = append(t.Rows, verdictCells(library+p.foreign(library), library, "", quantities, verdicts))
	}
	if len(t.Rows) > 0 {
		t.Rows = slices.Insert(t.Rows, 0, ours)
	}
	return t
}

// foreign names a library's language, in brackets, where it is not Go.
func (p Rows) foreign(library string) string {
	if language := p.Language(library); language != "" {
		return " (" + language + ")"
	}
	return ""
}

// verdictCells is a line of a table.
func verdictCells(name, library, kind string, quantities []string, verdicts []Verdict) []string {
	cells := []string{name}
	for _, q := range quantities {
		i := slices.IndexFunc(verdicts, func(v Verdict) bool { return v.Library == library && v.Kind == kind && v.Quantity == q })
		if i < 0 {
			cells = append(cells, "–")
			continue
		}
		v := verdicts[i]
		word := v.Standing.String()
		if v.Standing == Behind {
			word = "**behind**"
		}
		cells = append(cells, word+", "+v.multiple())
	}
	return cells
}

// multiple is how much theirs is: as a multiple of ours where that says
// something, and an error as it is.
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
	for len(verdicts) > 0 {
		first := verdicts[0]
		n := slices.IndexFunc(verdicts, func(v Verdict) bool { return v.Library != first.Library || v.Kind != first.Kind })
		if n < 0 {
			n = len(verdicts)
		}
		var said []string
		about := "" // what the values before are of
		for _, v := range verdicts[:n] {
			if v.Standing != standing {
				continue
			}
			what, how := v.text()
			if what != about {
				how = what + " " + how
			}
			about = what
			said = append(said, how)
		}
		if name := Name(first.Library, first.Kind); said != nil {
			lines = append(lines, word+strings.TrimSpace(name)+p.remark(first)+": "+strings.Join(said, ", ")+".")
		}
		verdicts = verdicts[n:]
	}
	return lines
}

// remark is what must be known of a library before its numbers are read.
func (p Rows) remark(v Verdict) string {
	var said []string
	if language := p.Language(v.Library); language != "" {
		said = append(said, language)
	}
	if _, static := p.Row(v.Library, results.QStatic); static {
		said = append(said, "static: it cannot be added to")
	}
	if lost, _ := p.Row(v.Library, results.QLost); v.Kind == "" && lost.Value.Or(0) > 0 {
		said = append(said, "it denies "+amount(lost, true)+" of the articles shown")
	}
	if v.Kind == "" && v.Theirs.X != v.Ours.X {
		said = append(said, fmt.Sprintf("%s bits, ours %s", v.Theirs.X, v.Ours.X))
	}
	if said == nil {
		return ""
	}
	return " (" + strings.Join(said, "; ") + ")"
}

// text names the quantity, and says both values where no table does.
func (v Verdict) text() (what, how string) {
	both := amount(v.Theirs, true) + " against " + amount(v.Ours, true)
	shape, fpr := strings.CutPrefix(v.Quantity, results.QFPROf)
	what, short := labels[v.Quantity]
	switch {
	case fpr && v.Ratio.Quantity == "":
		return "FPR over theory by shape of keys:", shape
	case fpr:
		return "false positives by shape of keys:", both + " (" + shape + ")"
	case !short:
		what = v.Quantity
	}
	if v.Ratio.Low.IsSet() {
		both = fmt.Sprintf("%s× (%s to %s)", Digits(v.Ratio.Value), Digits(v.Ratio.Low), Digits(v.Ratio.High))
	}
	return what, both
}

// amount is a row's value for people, in the manner of its unit.
func amount(r results.Row, ok bool) string {
	v := r.Value.Or(0)
	switch {
	case !ok:
		return "–"
	case r.Unit == results.Ratio && strings.HasPrefix(r.Quantity, "error"):
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
