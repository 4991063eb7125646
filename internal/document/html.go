package document

import (
	"fmt"
	"html/template"
	"regexp"
	"strings"
)

// HTML renders blocks as a part of a page, whose style sheet has the classes: n of a number, l
// of a long text, cards of a table whose rows are cards on a small screen.
func HTML(blocks ...Block) template.HTML { return template.HTML(within("", blocks)) }

// within renders the blocks of a fold with that title. A table of that title shows it to screen readers only.
func within(title string, blocks []Block) string {
	return joined(blocks, "", func(b Block) string {
		switch b := b.(type) {
		case Heading:
			return fmt.Sprintf("<h%d>%s</h%[1]d>\n", b.Level, Inline(b.Text))
		case Paragraph:
			return fmt.Sprintf("<p>%s</p>\n", Inline(string(b)))
		case List:
			items := ""
			for _, item := range b.Items {
				items += fmt.Sprintf("<li>%s</li>\n", Inline(item))
			}
			return "<ul>" + items + "</ul>\n"
		case Figure:
			return fmt.Sprintf("<figure><img src=\"%s\" alt=\"\"/><figcaption>%s</figcaption></figure>\n",
				template.HTMLEscapeString(b.Path), Inline(b.Caption))
		case Code:
			return fmt.Sprintf("<pre class=\"scroll\"><code>%s</code></pre>\n", template.HTMLEscapeString(string(b)))
		case Table:
			return b.html(b.Anchor != "" || title != "" && b.Title == title)
		}
		f := b.(Fold)
		return fmt.Sprintf("<details><summary>%s</summary>\n%s</details>\n", Inline(f.Title), within(f.Title, f.Blocks))
	})
}

// html returns the table in HTML. Cards lose the meaning of a table with its look: so they have roles, and each cell
// its column's name.
func (t Table) html(quiet bool) string {
	role := func(name string) string {
		if t.Anchor == "" {
			return ""
		}
		return ` role="` + name + `"`
	}
	unseen, cards := "", ""
	if quiet {
		unseen = ` class="unseen"`
	}
	if t.Anchor != "" {
		cards = ` class="cards"`
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<div class=\"scroll\"><table%s%s><caption%s>%s</caption>\n<thead%s><tr%s>",
		cards, role("table"), unseen, Inline(t.Title), role("rowgroup"), role("row"))
	columns := t.htmlColumns()
	for _, c := range columns {
		class := c.class
		if class == long {
			class = ""
		}
		fmt.Fprintf(&b, `<th%s scope="col"%s>%s</th>`, role("columnheader"), class, Inline(t.Header[c.index]))
	}
	fmt.Fprintf(&b, "</tr></thead>\n<tbody%s>\n", role("rowgroup"))
	for _, row := range t.Rows {
		id := ""
		if t.Anchor != "" {
			id = fmt.Sprintf(` id="%s-%s"`, t.Anchor, Anchor(cell(row, 0)))
		}
		fmt.Fprintf(&b, "<tr%s%s>", id, role("row"))
		for _, c := range columns {
			if c.index == 0 {
				fmt.Fprintf(&b, `<th%s scope="row">%s</th>`, role("rowheader"), Inline(cell(row, 0)))
				continue
			}
			label := ""
			if t.Anchor != "" {
				label = fmt.Sprintf(` data-label="%s"`, template.HTMLEscapeString(t.Header[c.index]))
			}
			fmt.Fprintf(&b, "<td%s%s%s>%s</td>", role("cell"), label, c.class, Inline(cell(row, c.index)))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody></table></div>\n")
	return b.String()
}

// Inline renders a marked-up text in HTML. A number and its unit stay on one line; the words of a link are shown as
// code, since its target is not beside the page.
func Inline(s string) template.HTML {
	s = unbroken.ReplaceAllString(s, "$1\u00a0$2")
	return template.HTML(rendered(s, func(part span) string {
		form := []string{plain: "%s", code: "<code>%s</code>", strong: "<strong>%s</strong>", link: "<code>%s</code>"}
		return fmt.Sprintf(form[part.kind], template.HTMLEscapeString(part.text))
	}))
}

var unbroken = regexp.MustCompile(`(\d) (%|[kMGTP]?B\b|(?:n|µ|m)?s\b)`)

// Anchor turns a name into an anchor of letters, digits and hyphens.
func Anchor(s string) string {
	return strings.Trim(notInAnchor.ReplaceAllLiteralString(strings.ToLower(s), "-"), "-")
}

var notInAnchor = regexp.MustCompile("[^a-z0-9]")

// sentence is the length from which a cell may break.
const sentence = 36

// The classes of cells: of numbers, and of long texts.
const numbers, long = ` class="n"`, ` class="l"`

// An htmlColumn is a column of a table in HTML, and the class of its cells.
type htmlColumn struct {
	index int
	class string
}

// htmlColumns returns the first column, and the others in which any cell has a value.
func (t Table) htmlColumns() (all []htmlColumn) {
	for i := range t.Header {
		c := htmlColumn{index: i}
		if i > 0 && t.numeric(i) {
			c.class = numbers
		} else if t.has(i, sentence) {
			c.class = long
		}
		if i == 0 || !t.nothing(i) {
			all = append(all, c)
		}
	}
	return all
}

// LaTeX renders tables as a part of a document that has the packages longtable and booktabs.
func LaTeX(tables ...Block) string {
	return joined(tables, "\n", func(b Block) string { return "{\\footnotesize\n" + b.(Table).latex() + "}\n" })
}

// special are letters with a meaning in LaTeX, and letters that its fonts lack.
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

// longest is the number of letters from which a cell in LaTeX must break: what a claim says, or when it is true.
const longest = 40

// latex writes the table in LaTeX. Long columns share the rest of a page's width.
func (t Table) latex() string {
	columns, broken := "", 0
	for i := range t.Header {
		switch {
		case t.has(i, longest):
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
