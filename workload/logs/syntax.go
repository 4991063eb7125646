package logs

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"dejavu/workload/logs/shown"
)

// Format is what a log's lines look like.
type Format string

// syntaxes lists the formats: a new one has a file with its syntax, and its line
// here. They are asked in this order, first those with an opening.
var syntaxes = []*syntax{
	mindSyntax,
	kuairandSyntax,
	ottoSyntax,
	adressaSyntax,
	csvSyntax,
}

// A syntax is all that the package knows of a format: how its lines are told from
// others, how they are read, and how they are written. What a format has no use
// for stays empty.
type syntax struct {
	format Format

	// matches is whether a log begins with this line, which is not blank and has its
	// end cut off. Those that begin with an opening are asked before the others.
	opening string
	matches func(line []byte, o *Options) bool
	parse   reading
	// table, in place of matches and parse, finds the columns of a CSV in the first
	// record of a file, or says what is amiss with it.
	table func(first []byte, o *Options) (*columns, error)

	write  func(w *Writer, request []Event) // lines, each between begin and end
	header func(w *Writer)                  // appends what stands above all lines
	finish func(w *Writer)                  // ends the line that write left open, if any
}

// A reading turns a line that is not blank into requests, by begin, and their events,
// by event, or gives the reason why it cannot be read.
type reading func(p *parser, line []byte) (reason string)

// begins is whether a log of the format begins with this line.
func (s *syntax) begins(line []byte, o *Options) bool {
	if s.table == nil {
		return s.matches(line, o)
	}
	_, err := s.table(line, o)
	return err == nil
}

// Formats lists the formats that can be read and written.
func Formats() []Format {
	formats := make([]Format, len(syntaxes))
	for i, s := range syntaxes {
		formats[i] = s.format
	}
	return formats
}

// ParseFormat is the format of that name, or an error that lists the names.
func ParseFormat(name string) (Format, error) {
	s, err := find(name)
	if err != nil {
		return "", err
	}
	return s.format, nil
}

// find is the syntax of the format of that name.
func find(name string) (*syntax, error) {
	lower := Format(strings.ToLower(name))
	if i := slices.IndexFunc(syntaxes, func(s *syntax) bool { return s.format == lower }); i >= 0 {
		return syntaxes[i], nil
	}
	return nil, fmt.Errorf("logs: format %q is none of %v", name, Formats())
}

// detect is the format of a log that begins with this line, which is not blank. A CSV
// is told by the columns that the options name.
func detect(line []byte, o *Options) (*syntax, error) {
	line = trimEnd(line)
	text := bytes.Trim(line, " \t\r\n")
	for _, opened := range []bool{true, false} {
		for _, s := range syntaxes {
			if (s.opening != "") == opened && bytes.HasPrefix(text, []byte(s.opening)) && s.begins(line, o) {
				return s, nil
			}
		}
	}
	return nil, fmt.Errorf("the first line, %s, does not tell the format: name one of %v", shown.Value(text), Formats())
}
