package document

import (
	"fmt"
	"regexp"
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

var (
	heading = regexp.MustCompile(`^(#+) (.*)$`)
	item    = regexp.MustCompile(`^(- |[0-9]+\. )(.*)$`)
	figure  = regexp.MustCompile(`^!\[(.*)\]\((.*)\)$`)
)

// Parse makes blocks of a text in Markdown: headings, figures, and paragraphs and items of a
// line each. A line "@name" is the block of that name.
func Parse(text string, named map[string]Block) (blocks []Block, err error) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		name, isNamed := strings.CutPrefix(line, "@")
		switch {
		case line == "":
		case isNamed:
			block, ok := named[name]
			if !ok {
				return nil, fmt.Errorf("there is no block %q", name)
			}
			blocks = append(blocks, block)
		case heading.MatchString(line):
			m := heading.FindStringSubmatch(line)
			blocks = append(blocks, Heading{len(m[1]), m[2]})
		case figure.MatchString(line):
			m := figure.FindStringSubmatch(line)
			blocks = append(blocks, Figure{Caption: m[1], Path: m[2]})
		case item.MatchString(line):
			m := item.FindStringSubmatch(line)
			list := List{Numbered: m[1] != "- "}
			if n := len(blocks) - 1; n >= 0 { // an item of the list before it
				if before, ok := blocks[n].(List); ok && before.Numbered == list.Numbered {
					blocks, list = blocks[:n], before
				}
			}
			list.Items = append(list.Items, m[2])
			blocks = append(blocks, list)
		default:
			blocks = append(blocks, Paragraph(line))
		}
	}
	return blocks, nil
}
