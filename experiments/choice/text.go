package choice

import (
	"cmp"
	_ "embed"
	"fmt"
	"reflect"
	"strings"
	"text/template"

	"dejavu/experiments/describe"
	"dejavu/experiments/row"
	"dejavu/experiments/text"
	"dejavu/internal/document"
	"dejavu/results"
)

//go:embed answer.txt
var answerText string

var answers = template.Must(template.New("answer").Funcs(template.FuncMap{
	"short":      short,
	"bytes":      func(v any) string { return bytesText(float(v)) },
	"exact":      func(v any) string { return text.Bytes(float(v)) },
	"percent":    text.Percent,
	"nanos":      text.Nanos,
	"thousands":  text.Thousands,
	"rule":       describe.RuleText,
	"mean":       row.Mean,
	"of":         share,
	"hundred":    func(digits int, share float64) string { return fmt.Sprintf("%.*g", digits, 100*share) },
	"inAll":      func(each float64, users int) float64 { return float64(users) * (each + storeBytes) },
	"twice":      func(n int) int { return 2 * n },
	"history":    func(o Offer) int { return o.Payload + o.Header },
	"endless":    func(o Offer) bool { return o.kind.endless },
	"made":       func(o Offer) bool { return o.made != nil },
	"reason":     func(o Offer) string { return strings.TrimPrefix(o.Why, o.Strategy+": ") },
	"slower":     func(s said) string { return fmt.Sprintf("%.2g", s.Smallest.Nanos/s.Take.Nanos) },
	"nearest":    nearest,
	"candidates": func() int { return candidates },
	"store":      func() int { return storeBytes },
	"machine":    func() string { return reference().machine },
}).Parse(answerText))

// A said is what the answer is made of.
type said struct {
	Need           Need
	All            []Offer
	Fitting        int
	Take, Smallest Offer  // see Recommended
	Go             string // the code of what to take, its lines separated by "; "
	Log            *Log
}

// say is a part of the answer by its name in answer.txt.
func say(part string, n Need, all []Offer, log *Log) string {
	s := said{Need: n, All: all, Fitting: Fitting(all), Log: log}
	s.Take, s.Smallest, _ = Recommended(all)
	if s.Go = s.Take.Go; log != nil {
		log.Needed = n
		s.Go = strings.Join(log.Go, "; ")
	}
	var b strings.Builder
	if err := answers.ExecuteTemplate(&b, part, s); err != nil {
		panic(err) // for any offers alike, and so in each test
	}
	return b.String()
}

// Text is the answer for people, for a terminal of so many columns (0 for as many as it takes) or in Markdown: what to
// take, what fits and what a request costs there, the Go code of each, and which constraint to relax for the others.
// Of a log, which may be nil, it says what the users would have seen, and which windows the log needs.
func Text(n Need, all []Offer, log *Log, markdown bool, columns int) string {
	var b strings.Builder
	paragraph := func(line string) {
		if !markdown {
			line = text.Wrap(line, cmp.Or(columns, textColumns), "  ")
		}
		b.WriteString(line + "\n")
	}
	render := func(t document.Table) {
		switch {
		case len(t.Rows) == 0:
		case markdown:
			b.WriteString(t.Markdown() + "\n")
		default:
			b.WriteString(t.Within(columns) + "\n")
		}
	}
	code := func(lines string) {
		if lines = strings.ReplaceAll(lines, "; ", "\n"); lines == "" {
			return
		}
		if markdown {
			lines = "```go\n" + lines + "\n```"
		}
		b.WriteString(lines + "\n\n")
	}
	var table, program []string // that are being read
	for line := range strings.Lines(say("answer", n, all, log) + "\n@end\n") {
		line = strings.TrimSuffix(line, "\n")
		mark, rest, _ := strings.Cut(line, " ")
		if mark != ">" && program != nil {
			code(strings.Join(program, "; "))
			program = nil
		}
		if table != nil && (line == "" || strings.Contains("¶ * > # @windows @end", mark)) {
			render(document.Declared(table))
			table = nil
		}
		switch {
		case mark == "¶":
			paragraph(rest + "\n")
		case mark == "*" && markdown:
			paragraph("- " + rest)
		case mark == "*":
			paragraph(rest)
		case mark == ">":
			program = append(program, rest)
		case mark == "@windows":
			render(describe.WindowTable(log.described))
		case mark == "#":
			table = []string{rest}
		case table != nil:
			table = append(table, line)
		}
	}
	return b.String()
}

// textColumns is how wide a paragraph is where no terminal says.
const textColumns = 140

// short is a name without where it comes from.
func short(name string) string { return strings.TrimPrefix(name, results.Beyond) }

// bytesText is a number of bytes that is enough.
func bytesText(bytes float64) string { return text.Bytes(roundUp(bytes)) }

// float is any number.
func float(v any) float64 { return reflect.ValueOf(v).Convert(reflect.TypeFor[float64]()).Float() }

func share(k, n int64) string {
	if n == 0 {
		return "0 of 0"
	}
	return fmt.Sprintf("%d of %d (%.4g %%)", k, n, 100*float64(k)/float64(n))
}

const (
	// more is how many times the bytes of the smallest a recommended strategy may take,
	// where it answers at least faster times as fast.
	more   = 1.25
	faster = 2
)

// Recommended is the offer to take: of those that fit and keep their window for ever the smallest, or, where
// a slightly larger one is much faster, that one; where none keeps its window for ever, the smallest of those
// with a fixed capacity. Offers must stand in the order of Offers. It reports whether any fits.
func Recommended(all []Offer) (take, smallest Offer, ok bool) {
	for _, o := range all {
		switch {
		case !o.Fits:
		case !ok:
			take, smallest, ok = o, o, true
		case o.kind.endless != smallest.kind.endless || float64(o.User) > more*float64(smallest.User):
		case o.Nanos > 0 && faster*o.Nanos <= smallest.Nanos && o.Nanos < take.Nanos:
			take = o
		}
	}
	return take, smallest, ok
}

// nearest says what the least change of each constraint is that has something fit, of
// what keeps its window for ever.
func nearest(n Need, all []Offer) string {
	least, longest, lowest := Offer{}, Offer{}, Offer{}
	for _, o := range all {
		if o.kind.endless {
			continue
		}
		if o.made != nil && (least.made == nil || o.Total < least.Total) {
			least = o
		}
		if o.PossibleWindow > longest.PossibleWindow {
			longest = o
		}
		if o.PossibleFPR > n.FPR && (lowest.PossibleFPR == 0 || o.PossibleFPR < lowest.PossibleFPR) {
			lowest = o
		}
	}
	var ways []string
	if least.made != nil && n.Memory > 0 {
		ways = append(ways, fmt.Sprintf("give %s, which %s takes", bytesText(float64(least.Total)), short(least.Strategy)))
	}
	if lowest.PossibleFPR > 0 {
		rate := text.Percent(lowest.PossibleFPR)
		ways = append(ways, fmt.Sprintf("accept an FPR of %s (%s)", rate, short(lowest.Strategy)))
	}
	if longest.PossibleWindow > 0 {
		window := longest.PossibleWindow
		ways = append(ways, fmt.Sprintf("remember the last %d articles (%s)", window, short(longest.Strategy)))
	}
	if ways == nil {
		return "Relaxing one constraint alone does not help."
	}
	sentence := strings.Join(ways, ", or ")
	return strings.ToUpper(sentence[:1]) + sentence[1:] + "."
}
