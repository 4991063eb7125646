package text

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"dejavu/results"
)

// texSpecial are the letters that LaTeX would take for its own.
var texSpecial = strings.NewReplacer(
	`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`, "{", `\{`, "}", `\}`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "–", "--", "§", `\S{}`, "≈", `$\approx$`, "≥", `$\ge$`,
	"−", "$-$", "<", "$<$", ">", "$>$", "|", "$|$", "ε", `$\varepsilon$`, "δ", `$\delta$`, "µ", `$\mu$`, "×", `$\times$`, "→", `$\to$`, "±", `$\pm$`,
)

// strong words stand between two stars.
var strong = regexp.MustCompile(`\*\*([^*]+)\*\*`)

// longCell is how many letters make a cell that must break: what a claim says, or
// when it is true.
const longCell = 40

// Tex is a table for papers, in LaTeX with the packages longtable and booktabs.
func Tex(t results.Table) string {
	var b strings.Builder
	columns := make([]string, len(t.Header))
	var long []int
	for i := range columns {
		columns[i] = "l"
		if t.Numeric(i) {
			columns[i] = "r"
		}
		if slices.ContainsFunc(t.Rows, func(row []string) bool {
			return i < len(row) && utf8.RuneCountInString(row[i]) > longCell
		}) {
			long = append(long, i)
		}
	}
	for _, i := range long { // they share what a page has
		columns[i] = fmt.Sprintf("p{%.1fcm}", min(6, 14/float64(len(long))))
	}
	line := func(cells []string) {
		escaped := make([]string, len(cells))
		for i, c := range cells {
			escaped[i] = strong.ReplaceAllString(texSpecial.Replace(c), `\textbf{$1}`)
		}
		b.WriteString(strings.Join(escaped, " & ") + " \\\\\n")
	}
	fmt.Fprintf(&b, "\\begin{longtable}{%s}\n\\caption{%s} \\\\\n\\toprule\n", strings.Join(columns, ""), texSpecial.Replace(t.Title))
	line(t.Header)
	b.WriteString("\\midrule\n\\endhead\n")
	for _, row := range t.Rows {
		line(row)
	}
	b.WriteString("\\bottomrule\n\\end{longtable}\n")
	return b.String()
}

// Escape is a text in LaTeX that shows it as it is.
func Escape(s string) string { return texSpecial.Replace(s) }
