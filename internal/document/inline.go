package document

import (
	"regexp"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// A span is a part of a marked-up text.
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

// spans are the parts of a marked-up text.
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

// rendered is a marked-up text with each span as the function has it.
func rendered(s string, of func(span) string) string {
	var b strings.Builder
	for _, part := range spans(s) {
		b.WriteString(of(part))
	}
	return b.String()
}

// Literal is a marked-up text that shows s as it is: a file's name, say.
func Literal(s string) string {
	var b strings.Builder
	for _, c := range s {
		if strings.ContainsRune("\\`*_[]<>&|~#", c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// Wrap breaks a text between words into lines of so many columns at most; those after a
// paragraph's first begin with indent. A word that is longer has a line of its own; a number
// and its unit are one word. A line that fits stays as it is.
func Wrap(s string, columns int, indent string) string {
	var lines []string
	for _, paragraph := range strings.Split(s, "\n") {
		if text.StringWidth(paragraph) <= columns {
			lines = append(lines, paragraph)
			continue
		}
		line := paragraph[:len(paragraph)-len(strings.TrimLeft(paragraph, " "))]
		for i, word := range words(paragraph) {
			switch {
			case i == 0:
				line += word
			case text.StringWidth(line)+1+text.StringWidth(word) <= columns:
				line += " " + word
			default:
				lines = append(lines, line)
				line = indent + word
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// words are those of a text, a number and its unit one of them.
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
