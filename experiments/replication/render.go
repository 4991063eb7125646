package replication

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"dejavu/claims"
	"dejavu/experiments/text"
	"dejavu/results"
)

// formulas are the paper's, in TeX and plain.
var formulas = map[string][2]string{
	"rate": {`f = \left(1 - e^{-kn/m}\right)^k, \qquad f_{\min} = (1/2)^k \ \mbox{ at } \ k = (m/n)\ln 2,`, "f = (1 - e^(-kn/m))^k,  least at k = (m/n) ln 2, where it is (1/2)^k,"},
	"bits": {`m \ge n \log_2(1/\varepsilon) \,/ \ln 2.`, "m >= n log2(1/ε) / ln 2."},
}

// columns is how wide a line of the Markdown is.
const columns = 120

// Markdown is the report with its figures in a directory.
func (r Report) Markdown(figures string) string {
	var b strings.Builder
	for line := range strings.Lines(r.text) {
		line = strings.TrimSuffix(line, "\n")
		kind, name, caption := directive(line)
		switch {
		case kind == "table" && len(r.tables[name].Rows) == 0:
		case kind == "table":
			b.WriteString(strings.TrimSpace(r.tables[name].Markdown()))
		case kind == "figure":
			fmt.Fprintf(&b, "![%s](%s/%s.png)\n\n%s", caption, figures, name, text.Wrap("*"+caption+"*", columns, ""))
		case kind == "formula":
			b.WriteString("    " + formulas[name][1])
		case strings.HasPrefix(line, "#"):
			b.WriteString(line)
		case strings.HasPrefix(line, "- "):
			b.WriteString(text.Wrap(line, columns, "  "))
		case item.MatchString(line):
			b.WriteString(text.Wrap(line, columns, "   "))
		default:
			b.WriteString(text.Wrap(line, columns, ""))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// directive is what a line with @ asks for.
func directive(line string) (kind, name, caption string) {
	rest, ok := strings.CutPrefix(line, "@")
	if !ok {
		return "", "", ""
	}
	kind, rest, _ = strings.Cut(rest, " ")
	name, caption, _ = strings.Cut(rest, " ")
	return kind, name, caption
}

// item is how an element of a numbered list begins.
var item = regexp.MustCompile(`^[0-9]+\. `)

// preamble is what comes before the text; LaTeX's own packages, and few.
const preamble = `\documentclass[10pt,a4paper]{article}
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

// Tex is the report as a document for LaTeX, with its figures in a directory.
func (r Report) Tex(figures string) string {
	var b strings.Builder
	b.WriteString("% Compile it here: pdflatex, twice.\n" + preamble)
	list := ""
	open := func(kind string) { // ends a list, and begins one
		if list == kind {
			return
		}
		if list != "" {
			fmt.Fprintf(&b, "\\end{%s}\n", list)
		}
		if list = kind; kind != "" {
			fmt.Fprintf(&b, "\\begin{%s}\n", kind)
		}
	}
	for line := range strings.Lines(r.text) {
		line = strings.TrimSuffix(line, "\n")
		kind, name, caption := directive(line)
		switch {
		case strings.HasPrefix(line, "- "):
			open("itemize")
			b.WriteString("\\item " + inTex(line[2:]))
		case item.MatchString(line):
			open("enumerate")
			b.WriteString("\\item " + inTex(item.ReplaceAllString(line, "")))
		case line == "":
		default:
			open("")
		}
		switch {
		case kind == "table" && len(r.tables[name].Rows) > 0:
			fmt.Fprintf(&b, "{\\footnotesize\n%s}", text.Tex(r.tables[name]))
		case kind == "figure":
			fmt.Fprintf(&b, "\\begin{figure}[htb]\n\\centering\n\\includegraphics[width=0.85\\textwidth,height=0.4\\textheight,keepaspectratio]{%s/%s.png}\n\\caption{%s}\n\\end{figure}",
				figures, name, inTex(caption))
		case kind == "formula":
			fmt.Fprintf(&b, "\\[ %s \\]", formulas[name][0])
		case strings.HasPrefix(line, "### "):
			fmt.Fprintf(&b, "\\subsection{%s}", inTex(line[4:]))
		case line == "## Abstract":
			b.WriteString("\\subsection*{Abstract}")
		case line == "## References":
			b.WriteString("\\section*{References}")
		case strings.HasPrefix(line, "## "):
			fmt.Fprintf(&b, "\\section{%s}", inTex(line[3:]))
		case strings.HasPrefix(line, "# "):
			fmt.Fprintf(&b, "\\begin{center}\\LARGE %s\\end{center}", inTex(line[2:]))
		case kind == "" && list == "":
			b.WriteString(inTex(line))
		}
		b.WriteString("\n")
	}
	open("")
	b.WriteString("\\end{document}\n")
	return b.String()
}

// code stands between backquotes.
var code = regexp.MustCompile("`([^`]+)`")

// inTex is a paragraph in LaTeX.
func inTex(s string) string {
	s = strings.ReplaceAll(text.Escape(s), "--", "-{}-") // of a flag, or it is a dash
	return code.ReplaceAllString(s, `\texttt{$1}`)
}

// tables are those that the text asks for.
func (q quoter) tables() map[string]results.Table {
	return map[string]results.Table{
		"replicated": q.replicated(),
		"refuted":    q.judged("What the paper says and the run refutes", claims.Refuted),
		"corrected":  q.judged("What holds once a slip is corrected", claims.Corrected),
		"open":       q.judged("What cannot be tested as stated, and what was found", claims.Vague),
		"statements": q.statements(),
	}
}

// replicated is the paper's Table 1 as it came out.
func (q quoter) replicated() results.Table {
	t := results.Table{
		Title:  "The paper's comparison, as it came out; in round brackets what the paper states, in square ones theory",
		Header: []string{"strategy", "bytes a user", "all users", "FPR at 500", "FPR, mean of a cycle", "FPR at worst", "window"},
	}
	for i, name := range []string{"queue", "single", "dual", "chain", "chain-literal", "chain-sized"} {
		line := []string{name}
		for _, quantity := range []string{results.QPayloadPerUser, results.QPayloadTotal, results.QFPRAt500, results.QFPRSteady, results.QFPRWorst, results.QWindowLeast} {
			r, ok := q.cells.Find(results.Table1, name, "", quantity)
			cell := text.WithPaper(r, ok)
			switch {
			case ok && quantity == results.QFPRWorst:
				cell = text.WithTheory(r)
			case i > 3 && quantity == results.QPayloadTotal: // a variant, on some of the users
				cell = text.None
			}
			line = append(line, cell)
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

// judged are the claims of one verdict, with what would make them true.
func (q quoter) judged(title string, verdict claims.Verdict) results.Table {
	t := results.Table{Title: title, Header: []string{"claim", "what the paper says (reading)", "found", "true with"}}
	for i, row := range q.ledger.Verdicts(false).Rows {
		if q.ledger.Findings[i].Verdict == verdict {
			found, _, _ := strings.Cut(row[columnFound], " (")
			t.Rows = append(t.Rows, []string{row[columnClaim], row[columnSays], found, row[columnTrue]})
		}
	}
	return t
}

// statements is the paper's whole ledger.
func (q quoter) statements() results.Table {
	t := results.Table{
		Title:  "All statements of the paper, with 95 % intervals",
		Header: []string{"claim", "where", "what it says (reading)", "found", "verdict"},
	}
	for _, row := range q.ledger.Verdicts(false).Rows {
		where := strings.TrimPrefix(row[columnWhere], string(claims.Paper)+" ")
		t.Rows = append(t.Rows, slices.Concat([]string{row[columnClaim], where}, []string{row[columnSays], row[columnFound], row[columnVerdict]}))
	}
	return t
}
