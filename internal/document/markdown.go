package document

import (
	"fmt"
	"strings"
)

// line is how wide a line of Markdown is.
const line = 120

// Markdown renders blocks in GitHub's dialect.
func Markdown(blocks ...Block) string {
	return joined(blocks, "\n", func(b Block) string {
		switch b := b.(type) {
		case Heading:
			return strings.Repeat("#", b.Level) + " " + b.Text + "\n"
		case Paragraph:
			return Wrap(string(b), line, "") + "\n"
		case List:
			lines := ""
			for i, item := range b.Items {
				lines += Wrap(b.mark(i)+item, line, strings.Repeat(" ", len(b.mark(i)))) + "\n"
			}
			return lines
		case Table:
			return b.Markdown()
		case Figure:
			return fmt.Sprintf("![%s](%s)\n\n%s\n", b.Caption, b.Path, Wrap("*"+b.Caption+"*", line, ""))
		case Formula:
			return "    " + b.Plain + "\n"
		case Fold:
			return Markdown(b.titled()...)
		}
		return ""
	})
}

// Markdown returns the table in GitHub's dialect, its title as a bold paragraph.
func (t Table) Markdown() string {
	out := t.writer().RenderMarkdown() + "\n"
	if t.Title != "" {
		out = "**" + t.Title + "**\n\n" + out
	}
	return out
}
