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
		return fmt.Sprintf([]string{
			plain: "%s", code: "<code>%s</code>", strong: "<strong>%s</strong>",
			link: "<code>%s</code>",
		}[part.kind],
			template.HTMLEscapeString(part.text))
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
	return fmt.Sprintf("<div "+
		"class=\"scroll\"><table%s%s><caption%s>%s</caption>\n<thead%s><tr%s>%s</tr></thead>\n"+
		"<tbody%[5]s>\n%[8]s</tbody></table></div>\n",
		class, role("table"), hidden, Inline(t.Title), role("rowgroup"), role("row"), head, rows)
}
