package document

import (
	"fmt"
	"html/template"
	"regexp"
	"strings"
)

// HTML renders blocks as a part of a page, whose style sheet has the classes: n of a number, l
// of a long text, note of small print, cards of a table whose rows are cards on a small screen.
func HTML(blocks ...Block) template.HTML {
	escape := template.HTMLEscapeString
	return template.HTML(joined(blocks, "", func(b Block) string {
		switch b := b.(type) {
		case Heading:
			return fmt.Sprintf("<h%d>%s</h%[1]d>\n", b.Level, Inline(b.Text))
		case Paragraph:
			return fmt.Sprintf("<p>%s</p>\n", Inline(string(b)))
		case List:
			kind, items := map[bool]string{false: "ul", true: "ol"}[b.Numbered], ""
			for _, item := range b.Items {
				items += fmt.Sprintf("<li>%s</li>\n", Inline(item))
			}
			return fmt.Sprintf("<%s>%s</%[1]s>\n", kind, items)
		case Table:
			return b.html(b.Anchor != "")
		case Figure:
			return fmt.Sprintf("<figure><img src=%q alt=\"\"/><figcaption>%s</figcaption></figure>\n", escape(b.Path),
				Inline(b.Caption))
		case Formula:
			return "<p>" + escape(b.Plain) + "</p>\n"
		case Fold:
			inner := ""
			for _, block := range b.Blocks {
				if t, ok := block.(Table); ok && t.Title == b.Title {
					inner += t.html(true)
					continue
				}
				inner += string(HTML(block))
			}
			return fmt.Sprintf("<details><summary>%s</summary>\n%s</details>\n", Inline(b.Title), inner)
		}
		return ""
	}))
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

// html is the table without the columns that say nothing. A quiet title is said elsewhere,
// and only for those who hear the page.
func (t Table) html(quiet bool) string {
	cards, class := t.Anchor != "", ""
	role := func(string) string { return "" }
	if cards { // they lose the meaning of a table with its look
		class, role = ` class="cards"`, func(name string) string { return fmt.Sprintf(" role=%q", name) }
	}
	classes := make([]string, len(t.Header))
	head, rows := "", ""
	for i, name := range t.Header {
		switch {
		case i > 0 && t.nothing(i):
			continue
		case i > 0 && t.numeric(i):
			classes[i] = ` class="n"`
		}
		head += fmt.Sprintf(`<th%s scope="col"%s>%s</th>`, role("columnheader"), classes[i], Inline(name))
		if classes[i] == "" && t.has(i, sentence) {
			classes[i] = ` class="l"`
		}
	}
	for _, row := range t.Rows {
		first, id, label := cell(row, 0), "", ""
		if cards {
			id = fmt.Sprintf(" id=%q", t.Anchor+"-"+Anchor(first))
		}
		rows += fmt.Sprintf(`<tr%s%s><th%s scope="row">%s</th>`, id, role("row"), role("rowheader"), Inline(first))
		for i := 1; i < len(classes); i++ {
			if t.nothing(i) {
				continue
			}
			if cards { // for small screens
				label = fmt.Sprintf(" data-label=\"%s\"", template.HTMLEscapeString(t.Header[i]))
			}
			rows += fmt.Sprintf("<td%s%s%s>%s</td>", role("cell"), label, classes[i], Inline(cell(row, i)))
		}
		rows += "</tr>\n"
	}
	hidden := map[bool]string{true: ` class="unseen"`}[quiet]
	return fmt.Sprintf("<div "+"class=\"scroll\"><table%s%s><caption%s>%s</caption>\n<thead%s><tr%s>%s</tr></thead>\n"+
		"<tbody%[5]s>\n%[8]s</tbody></table></div>\n",
		class, role("table"), hidden, Inline(t.Title), role("rowgroup"), role("row"), head, rows)
}

// preamble is what comes before the text; LaTeX's own packages, and few.
const preamble = `% Compile it here: pdflatex, twice.
\documentclass[10pt,a4paper]{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage{lmodern}
\usepackage[margin=2cm]{geometry}
\usepackage{graphicx,booktabs,longtable,array}
\setlength{\tabcolsep}{3pt}
\setlength{\LTcapwidth}{\textwidth}
\setlength{\emergencystretch}{2em}
\begin{document}
`

// Article renders blocks as a whole document for LaTeX.
func Article(blocks ...Block) string { return preamble + LaTeX(blocks...) + "\\end{document}\n" }

// LaTeX renders blocks as a part of a document that has the packages longtable, booktabs and graphicx.
func LaTeX(blocks ...Block) string {
	return joined(blocks, "\n", func(b Block) string {
		switch b := b.(type) {
		case Heading:
			return b.latex()
		case Paragraph:
			return latex(string(b)) + "\n"
		case List:
			kind, items := map[bool]string{false: "itemize", true: "enumerate"}[b.Numbered], ""
			for _, item := range b.Items {
				items += "\\item " + latex(item) + "\n"
			}
			return fmt.Sprintf("\\begin{%s}\n%s\\end{%[1]s}\n", kind, items)
		case Table:
			return "{\\footnotesize\n" + b.latex() + "}\n"
		case Figure:
			return fmt.Sprintf("\\begin{figure}[htb]\n\\centering\n"+
				"\\includegraphics[width=0.85\\textwidth,height=0.4\\textheight,keepaspectratio]{%s}\n"+
				"\\caption{%s}\n\\end{figure}\n",
				b.Path, latex(b.Caption))
		case Formula:
			return "\\[ " + b.TeX + " \\]\n"
		case Fold:
			return LaTeX(b.titled()...)
		}
		return ""
	})
}

// latex is the heading; abstract and references have no number.
func (h Heading) latex() string {
	command := []string{"section", "subsection", "subsubsection"}[max(0, min(h.Level-2, 2))]
	switch {
	case h.Level <= 1:
		return fmt.Sprintf("\\begin{center}\\LARGE %s\\end{center}\n", latex(h.Text))
	case h.Text == "Abstract" || h.Text == "References":
		command += "*"
	}
	return fmt.Sprintf("\\%s{%s}\n", command, latex(h.Text))
}

// special are the letters that LaTeX would take for its own, and those that its fonts lack.
var special = strings.NewReplacer(
	`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`, "{", `\{`, "}", `\}`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "–", "--", "--", "-{}-", "§", `\S{}`, "≈", `$\approx$`,
	"≥", `$\ge$`, "−", "$-$", "<", "$<$", ">", "$>$", "|", "$|$", "ε", `$\varepsilon$`, "δ", `$\delta$`, "µ", `$\mu$`,
	"×", `$\times$`, "→", `$\to$`, "±", `$\pm$`,
)

// latex is a marked-up text in LaTeX.
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
	var b strings.Builder
	columns, broken := make([]string, len(t.Header)), 0
	for i := range columns {
		switch {
		case t.has(i, long):
			broken++
		case t.numeric(i):
			columns[i] = "r"
		default:
			columns[i] = "l"
		}
	}
	for i := range columns {
		if columns[i] == "" {
			columns[i] = fmt.Sprintf("p{%.1fcm}", min(6, 14/float64(broken)))
		}
	}
	row := func(cells []string) {
		escaped := make([]string, len(cells))
		for i, c := range cells {
			escaped[i] = latex(c)
		}
		b.WriteString(strings.Join(escaped, " & ") + " \\\\\n")
	}
	fmt.Fprintf(&b, "\\begin{longtable}{%s}\n\\caption{%s} \\\\\n\\toprule\n", strings.Join(columns, ""), latex(t.Title))
	row(t.Header)
	b.WriteString("\\midrule\n\\endhead\n")
	for _, cells := range t.Rows {
		row(cells)
	}
	b.WriteString("\\bottomrule\n\\end{longtable}\n")
	return b.String()
}
