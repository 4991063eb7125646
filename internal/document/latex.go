package document

import (
	"fmt"
	"strings"
)

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
