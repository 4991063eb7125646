package choice

import (
	"cmp"
	_ "embed"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"text/template"
	"time"

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
	"until":      func(seconds int64) string { return time.Unix(seconds, 0).UTC().Format("2006-01-02 15:04") },
	"twice":      func(n int) int { return 2 * n },
	"history":    Offer.history,
	"endless":    func(o Offer) bool { return o.kind.endless },
	"made":       func(o Offer) bool { return o.made != nil },
	"reason":     func(o Offer) string { return strings.TrimPrefix(o.Why, short(o.Strategy)+": ") },
	"nearest":    nearest,
	"candidates": func() int { return candidates },
	"recorded":   func() int { return recorded },
	"sentence":   func(s said) string { return Sentence(s.Take.summary(), s.RunnerUp.summary()) },
	"request":    func() string { return Request },
	"ruled":      func() string { return Rule },
	"machine":    func() string { return reference().machine },
}).Parse(answerText))

// A said is what the answer is made of.
type said struct {
	Need           Need
	All            []Offer
	Fitting        int
	Take, RunnerUp Offer  // see Recommended
	Go             string // the code of what to take, its lines separated by "; "
	Log            *Log
}

// say is a part of the answer by its name in answer.txt.
func say(part string, n Need, all []Offer, log *Log) string {
	s := said{Need: n, All: all, Fitting: Fitting(all), Log: log}
	s.Take, s.RunnerUp = Recommended(all)
	if s.Go = s.Take.Go; log != nil {
		s.Go = strings.Join(log.Go, "; ")
	}
	return document.Formed(answers, part, s)
}

// marks are what parts of answer.txt begin with.
var marks = regexp.MustCompile(`(?m)^[¶*>#@]`)

// A Form is how the answer is written for people.
type Form struct {
	Markdown bool
	Columns  int  // of a terminal, 0 for as many as it takes
	All      bool // with the tables behind the answer, and on a terminal the answer once more at their end
}

// Text is the answer for people, in some ten lines: what to take, its Go code, and of a log, which may be nil, what its
// users would have seen, and how the answer fares where it is held out. All of it has tables of what fits and what a
// request costs there, of which constraint to relax for the others, and of the windows that the log needs.
func Text(n Need, all []Offer, log *Log, f Form) string {
	answer := "short"
	if f.All && f.Markdown {
		answer = "page"
	} else if f.All {
		answer = "all"
	}
	var b strings.Builder
	paragraph := func(text, bullet string) {
		if f.Markdown {
			fmt.Fprintln(&b, bullet+text)
		} else {
			fmt.Fprintln(&b, document.Wrap(text, cmp.Or(f.Columns, textColumns), "  "))
		}
	}
	render := func(t document.Table) {
		switch {
		case len(t.Rows) == 0:
		case f.Markdown:
			fmt.Fprintln(&b, t.Markdown())
		default:
			fmt.Fprintln(&b, t.Within(f.Columns))
		}
	}
	answer = marks.ReplaceAllString(say(answer, n, all, log), "\x00$0")
	for part := range strings.SplitSeq(answer, "\x00") {
		mark, rest, _ := strings.Cut(strings.TrimSpace(part), " ")
		switch {
		case mark == "¶":
			paragraph(rest+"\n", "")
		case mark == "*":
			paragraph(rest, "- ")
		case mark == "@windows":
			render(describe.WindowTable(log.described))
		case mark == "#":
			render(document.Declared(strings.Split(rest, "\n")))
		case mark == ">" && rest != "":
			code := strings.ReplaceAll(strings.TrimSuffix(rest, ";"), "; ", "\n")
			if f.Markdown {
				code = "```go\n" + code + "\n```"
			}
			fmt.Fprint(&b, code, "\n\n")
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// textColumns is how wide a paragraph is where no terminal says.
const textColumns = 140

// short is a name without where it comes from.
func short(name string) string { return strings.TrimPrefix(name, results.Beyond) }

// bytesText is a number of bytes that is enough.
func bytesText(bytes float64) string { return text.Bytes(roundUp(bytes)) }

func float(v any) float64 { return reflect.ValueOf(v).Convert(reflect.TypeFor[float64]()).Float() }

func share(k, n int64) string {
	if n == 0 {
		return "0 of 0"
	}
	return fmt.Sprintf("%d of %d (%.4g %%)", k, n, 100*float64(k)/float64(n))
}

// nearest says what the least change of each constraint is that has something fit, of what keeps its window for ever.
func nearest(n Need, all []Offer) string {
	var ways []string
	// A change is what an offer asks for, the less the better, and 0 where it does not help.
	way := func(format string, show func(float64) string, change func(Offer) float64) {
		least, best := 0., Offer{}
		for _, o := range all {
			if v := change(o); !o.kind.endless && v != 0 && (least == 0 || v < least) {
				least, best = v, o
			}
		}
		if least != 0 {
			ways = append(ways, fmt.Sprintf(format, show(least), short(best.Strategy)))
		}
	}
	if n.Memory > 0 {
		way("give %s, which %s takes", bytesText, func(o Offer) float64 { return float64(o.Total) })
	}
	way("accept an FPR of %s (%s)", text.Percent, func(o Offer) float64 {
		if o.PossibleFPR <= n.FPR {
			return 0
		}
		return o.PossibleFPR
	})
	way("remember the last %s articles (%s)", func(v float64) string { return fmt.Sprint(-v) },
		func(o Offer) float64 { return float64(-o.PossibleWindow) })
	if ways == nil {
		return "Relaxing one constraint alone does not help."
	}
	sentence := strings.Join(ways, ", or ")
	return strings.ToUpper(sentence[:1]) + sentence[1:] + "."
}
