// Package document builds what people are shown: headings, paragraphs, lists, tables, figures and folds. It renders
// them for a terminal, in Markdown, HTML and CSV, and tables also in LaTeX.
//
// Texts are marked up as in Markdown: `code`, **strong words**, [a link](place), and a backslash before a literal sign.
// A table without rows is not rendered.
package document

import (
	"regexp"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
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
	List struct{ Items []string }

	// A Figure lies in a file.
	Figure struct{ Path, Caption string }

	// A Code is lines of Go.
	Code string

	// A Fold can be closed if the medium allows it.
	Fold struct {
		Title  string
		Blocks []Block
	}
)

func (Heading) block()   {}
func (Paragraph) block() {}
func (List) block()      {}
func (Code) block()      {}
func (Table) block()     {}
func (Figure) block()    {}
func (Fold) block()      {}

// Tables returns the tables that have rows as blocks.
func Tables(tables ...Table) (blocks []Block) {
	for _, t := range tables {
		if len(t.Rows) > 0 {
			blocks = append(blocks, t)
		}
	}
	return blocks
}

// Folded puts each table into a fold of its title.
func Folded(tables ...Block) (folds []Block) {
	for _, t := range tables {
		folds = append(folds, Fold{t.(Table).Title, []Block{t}})
	}
	return folds
}

// joined renders blocks with one, and joins them.
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

// A medium says how each kind of block is written in lines of text.
type medium struct {
	between, indent string // between blocks; before the further lines of a paragraph
	wrap            func(first, s, indent string) string
	heading         func(Heading) string
	figure          func(Figure) string
	code            func(Code) string
	table           func(Table) string
}

func (m medium) render(blocks []Block) string {
	return joined(blocks, m.between, func(b Block) string {
		switch b := b.(type) {
		case Heading:
			return m.heading(b)
		case Paragraph:
			return m.wrap("", string(b), m.indent)
		case List:
			return m.items(b)
		case Figure:
			return m.figure(b)
		case Code:
			return m.code(b)
		case Table:
			return m.table(b)
		}
		return m.render(b.(Fold).titled())
	})
}

func (m medium) items(l List) (all string) {
	for _, item := range l.Items {
		all += m.wrap("- ", item, "  ")
	}
	return all
}

// titled returns the open fold, with its title above unless a table has the same title.
func (f Fold) titled() []Block {
	if len(f.Blocks) > 0 {
		if t, ok := f.Blocks[0].(Table); ok && t.Title == f.Title {
			return f.Blocks
		}
	}
	return append([]Block{Paragraph("**" + f.Title + "**")}, f.Blocks...)
}

type span struct {
	kind style
	text string
}

type style int

const (
	plain style = iota
	code
	strong
	link // the words of one: documents travel, and what they link to stays
)

var markup = regexp.MustCompile("`([^`]+)`" + `|\*\*(.+?)\*\*|\[([^\]]*)\]\([^)]*\)|\\([\\` + "`" + `*_\[\]<>&|~#])`)

// spans returns the parts of a marked-up text.
func spans(s string) (all []span) {
	for s != "" {
		at := markup.FindStringSubmatchIndex(s)
		if at == nil {
			return append(all, span{plain, s})
		}
		if at[0] > 0 {
			all = append(all, span{plain, s[:at[0]]})
		}
		for group, kind := range []style{code, strong, link, plain} {
			if from, to := at[2*group+2], at[2*group+3]; from >= 0 {
				all = append(all, span{kind, s[from:to]})
			}
		}
		s = s[at[1]:]
	}
	return all
}

// rendered renders each span of a marked-up text with of.
func rendered(s string, of func(span) string) string {
	var b strings.Builder
	for _, part := range spans(s) {
		b.WriteString(of(part))
	}
	return b.String()
}

// Literal marks s up so that it appears as it is: a file's name, say.
func Literal(s string) string { return signs.ReplaceAllString(s, `\$0`) }

var signs = regexp.MustCompile("[\\\\`*_[\\]<>&|~#]")

// Wrap breaks a text between words into lines of at most the given columns. Lines after a paragraph's first begin with
// indent. A longer word has a line of its own; a number and its unit are one word. A line that fits stays as it is.
func Wrap(s string, columns int, indent string) string {
	var lines []string
	for _, paragraph := range strings.Split(s, "\n") {
		if len(paragraph) <= columns || text.StringWidth(paragraph) <= columns { // no text is wider than its bytes
			lines = append(lines, paragraph)
			continue
		}
		line := paragraph[:len(paragraph)-len(strings.TrimLeft(paragraph, " "))]
		at := len(line) // its width
		for i, word := range words(paragraph) {
			wide := text.StringWidth(word)
			switch {
			case i == 0:
				line, at = line+word, at+wide
			case at+1+wide <= columns:
				line, at = line+" "+word, at+1+wide
			default:
				lines = append(lines, line)
				line, at = indent+word, len(indent)+wide
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// words splits a text. A number and its unit are one word.
func words(s string) (all []string) {
	for _, word := range strings.Fields(s) {
		last := len(all) - 1
		if last >= 0 && strings.TrimRight(all[last], "0123456789") != all[last] && unit.MatchString(word) {
			all[last] += " " + word
			continue
		}
		all = append(all, word)
	}
	return all
}

var unit = regexp.MustCompile(`^(%|[kMGTP]?B|[nµm]?s)([^A-Za-z]|$)`)
