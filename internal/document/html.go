package document

import (
	"fmt"
	"html/template"
	"reflect"
	"regexp"
	"strings"
	forms "text/template"
)

var htmlForms = forms.Must(forms.New("").Funcs(forms.FuncMap{
	"inline": Inline, "anchor": Anchor, "cell": cell,
}).ParseFS(files, "html.tmpl"))

// HTML renders blocks as a part of a page, whose style sheet has the classes: n of a number, l
// of a long text, note of small print, cards of a table whose rows are cards on a small screen.
func HTML(blocks ...Block) template.HTML { return template.HTML(within("", blocks)) }

// within renders the blocks of a fold of that title: a table of the same is quiet, its title only for those who hear
// the page.
func within(title string, blocks []Block) string {
	return joined(blocks, "", func(b Block) string {
		var data any = b
		switch b := b.(type) {
		case Fold:
			data = struct{ Title, Inner string }{b.Title, within(b.Title, b.Blocks)}
		case Table:
			data = struct {
				Table
				Quiet   bool
				Columns []htmlColumn
			}{b, b.Anchor != "" || title != "" && b.Title == title, b.htmlColumns()}
		}
		return Formed(htmlForms, reflect.TypeOf(b).Name(), data)
	})
}

// Inline is a marked-up text in HTML. A number and its unit stay on one line; the words of a
// link are shown as code, since what it leads to is not beside the page.
func Inline(s string) template.HTML {
	s = unbroken.ReplaceAllString(s, "$1\u00a0$2")
	return template.HTML(rendered(s, func(part span) string {
		form := []string{plain: "%s", code: "<code>%s</code>", strong: "<strong>%s</strong>", link: "<code>%s</code>"}
		return fmt.Sprintf(form[part.kind], template.HTMLEscapeString(part.text))
	}))
}

var unbroken = regexp.MustCompile(`(\d) (%|[kMGTP]?B\b|(?:n|µ|m)?s\b)`)

// Anchor is a name as a part of a page is called: letters, digits and hyphens.
func Anchor(s string) string {
	return strings.Trim(notInAnchor.ReplaceAllLiteralString(strings.ToLower(s), "-"), "-")
}

var notInAnchor = regexp.MustCompile("[^a-z0-9]")

// sentence is how many letters make a cell a sentence, which may break.
const sentence = 36

// An htmlColumn is one that says something, or the first.
type htmlColumn struct {
	Index         int
	Header        string
	Numeric, Long bool // but for the first
}

func (t Table) htmlColumns() (all []htmlColumn) {
	for i, name := range t.Header {
		if i == 0 || !t.nothing(i) {
			all = append(all, htmlColumn{i, name, i > 0 && t.numeric(i), t.has(i, sentence)})
		}
	}
	return all
}

// LaTeX renders tables as a part of a document that has the packages longtable and booktabs.
func LaTeX(tables ...Block) string {
	return joined(tables, "\n", func(b Block) string { return "{\\footnotesize\n" + b.(Table).latex() + "}\n" })
}

// special are the letters that LaTeX would take for its own, and those that its fonts lack.
var special = strings.NewReplacer(
	`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`, "{", `\{`, "}", `\}`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "–", "--", "--", "-{}-", "§", `\S{}`, "≈", `$\approx$`,
	"≥", `$\ge$`, "−", "$-$", "<", "$<$", ">", "$>$", "|", "$|$", "ε", `$\varepsilon$`, "δ", `$\delta$`, "µ", `$\mu$`,
	"×", `$\times$`, "→", `$\to$`, "±", `$\pm$`,
)

func latex(s string) string {
	return rendered(s, func(part span) string {
		return fmt.Sprintf([]string{plain: "%s", code: `\texttt{%s}`, strong: `\textbf{%s}`, link: "%s"}[part.kind],
			special.Replace(part.text))
	})
}

// long is how many letters make a cell that must break: what a claim says, or when it is true.
const long = 40

// latex is the table in columns as wide as they come; the long ones share what a page has.
func (t Table) latex() string {
	columns, broken := "", 0
	for i := range t.Header {
		switch {
		case t.has(i, long):
			broken++
			columns += "p{%.1[1]fcm}"
		case t.numeric(i):
			columns += "r"
		default:
			columns += "l"
		}
	}
	if broken > 0 {
		columns = fmt.Sprintf(columns, min(6, 14/float64(broken)))
	}
	line := func(cells []string) string {
		all := make([]string, len(cells))
		for i, cell := range cells {
			all[i] = latex(cell)
		}
		return strings.Join(all, " & ") + " \\\\\n"
	}
	text := "\\begin{longtable}{" + columns + "}\n\\caption{" + latex(t.Title) + "} \\\\\n\\toprule\n" +
		line(t.Header) + "\\midrule\n\\endhead\n"
	for _, row := range t.Rows {
		text += line(row)
	}
	return text + "\\bottomrule\n\\end{longtable}\n"
}
