package logs

import (
	"fmt"
	"slices"
	"strings"
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
	jsonSyntax,
	csvSyntax,
}

// A syntax is all that the package knows of a format: how its lines are told from
// others, how they are read, and how they are written. What a format has no use
// for stays empty.
type syntax struct {
	format Format

	// matches is whether a log begins with this line, which is not blank and has its
	// end cut off; nil takes any,
	// and is asked last. Those that begin with an opening are asked before the others.
	opening string
	matches func(line []byte, o *Options) bool
	// decide fills in what the options leave open, by the text that a log begins with.
	decide func(o *Options, text []byte) error
	// heads is whether a line that a file begins with is a header, and no data.
	heads func(line []byte) bool
	parse reading
	// table, in place of heads and parse, finds the columns of a CSV in the first
	// record of a file, or says what is amiss with it.
	table func(first []byte, o *Options) (*columns, error)

	write  func(w *Writer, request []Event) // lines, each between begin and end
	header func(w *Writer)                  // appends what stands above all lines
	finish func(w *Writer)                  // ends the line that write left open, if any
}

// A reading turns a line that is not blank into requests, by begin, and their events,
// by event, or gives the reason why it cannot be read.
type reading func(p *parser, line []byte) (reason string)

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
	return nil, fmt.Errorf("logs: format %q is not one of %v", name, Formats())
}
