// Package document is what people are shown: headings, paragraphs, lists, tables, figures and
// folds, which are built once, and rendered for a terminal, in Markdown, HTML, LaTeX and CSV.
//
// Texts are marked up as in Markdown: `code`, **strong words**, [a link](place), and a
// backslash before a sign that stands for itself. A table without rows is not rendered.
package document

import (
	"fmt"
	"strings"
)

// A Block is a part of a document.
type Block interface{ block() }

type (
	// A Heading is of level 1, the document's title, or below it.
	Heading struct {
		Level int
		Text  string
	}

	// A Paragraph is a text.
	Paragraph string

	// A List has an item a line or more.
	List struct {
		Numbered bool
		Items    []string
	}

	// A Figure lies in a file.
	Figure struct{ Path, Caption string }

	// A Formula is displayed, in plain letters or by TeX.
	Formula struct{ Plain, TeX string }

	// A Fold can be closed where the medium has such a thing.
	Fold struct {
		Title  string
		Blocks []Block
	}
)

func (Heading) block()   {}
func (Paragraph) block() {}
func (List) block()      {}
func (Table) block()     {}
func (Figure) block()    {}
func (Formula) block()   {}
func (Fold) block()      {}

// Tables are tables as blocks, those that have rows.
func Tables(tables ...Table) (blocks []Block) {
	for _, t := range tables {
		if len(t.Rows) > 0 {
			blocks = append(blocks, t)
		}
	}
	return blocks
}

// joined are blocks, each rendered by one, with something between them; "" is nothing.
func joined(blocks []Block, between string, one func(Block) string) string {
	var all []string
	for _, b := range blocks {
		if t, ok := b.(Table); ok && len(t.Rows) == 0 {
			continue
		}
		all = append(all, one(b))
	}
	return strings.Join(all, between)
}

// mark is what stands before an item of a list.
func (l List) mark(i int) string {
	if l.Numbered {
		return fmt.Sprintf("%d. ", i+1)
	}
	return "- "
}

// titled is a fold open, its title above it where no table has the same.
func (f Fold) titled() []Block {
	if len(f.Blocks) > 0 {
		if t, ok := f.Blocks[0].(Table); ok && t.Title == f.Title {
			return f.Blocks
		}
	}
	return append([]Block{Paragraph("**" + f.Title + "**")}, f.Blocks...)
}
