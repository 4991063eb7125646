// Package format is the formats of logs, tables and lines of JSON: how their lines are told from those of
// others, and how they are read as events.
package format

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"dejavu/workload/logs/decision"
	"dejavu/workload/logs/shown"
	"dejavu/workload/logs/table"
)

// syntaxes lists the formats: a new one has its line here. They are asked in this order whether a log is of theirs;
// the last takes any.
var syntaxes = []*syntax{
	mindSyntax,
	accessSyntax,
	jsonSyntax,
	csvSyntax,
}

// A syntax is all that is known of a format. What a format has no use for stays empty.
type syntax struct {
	format decision.Format

	// matches is whether a log begins with this line, which is not blank and has its end cut off; nil takes any.
	matches func(line []byte, o *decision.Options) bool
	// decide fills in what the options leave open, by the text that a log begins with.
	decide func(o *decision.Options, text []byte) error
	parse  Reading
	// begin, in place of parse, says how a file is read by its first record, and whether that is a header, and no data.
	begin  func(first []byte, o *decision.Options) (parse Reading, header bool, err error)
	quoted bool // fields may be quoted, so that a record may have several lines
}

// A Reading turns a record that is not blank into requests, by begin, and their events,
// by event, or gives the reason why it cannot be read.
type Reading func(p *Parser, record []byte) (reason string)

// Names lists the formats that can be read.
func Names() (names []decision.Format) {
	for _, s := range syntaxes {
		names = append(names, s.format)
	}
	return names
}

// of is the syntax of a format, nil where there is none of that name.
func of(format decision.Format) *syntax {
	if i := slices.IndexFunc(syntaxes, func(s *syntax) bool { return s.format == format }); i >= 0 {
		return syntaxes[i]
	}
	return nil
}

// Options fills in what was left out, or says what is wrong.
func Options(o decision.Options) (decision.Options, error) {
	name := o.Format
	if o.Format = decision.Format(strings.ToLower(string(name))); name != "" && of(o.Format) == nil {
		return o, fmt.Errorf("logs: format %q is not one of %v", name, Names())
	}
	return o.WithDefaults()
}

// Decide finds out what the options leave open, by the text that a log begins with: whole lines, the first not blank.
func Decide(o *decision.Options, text []byte) (err error) {
	line := table.TrimEnd(text[:table.Line(text, true)])
	s := of(o.Format)
	if s == nil {
		s = detect(line, o)
	}
	if s.decide != nil && !o.IsDecided() {
		err = s.decide(o, text)
	}
	o.Format = s.format
	if errors.Is(err, decision.ErrNoTable) {
		return fmt.Errorf("the first line, %s, does not tell the format: name one of %v (--format), "+
			"or what separates the columns of a table (--comma)", shown.Value(line), Names())
	}
	return err
}

// detect finds the format of a log that begins with this line: a CSV, if no other takes it. Where
// columns are named, it is one in which they can be.
func detect(line []byte, o *decision.Options) *syntax {
	named := o.Columns.User != "" || o.Columns.Article != "" || o.Columns.Time != ""
	i := slices.IndexFunc(syntaxes, func(s *syntax) bool {
		return (!named || s.decide != nil) && (s.matches == nil || s.matches(line, o))
	})
	return syntaxes[i]
}

// Begin says how a file is read that begins with this record, and whether that is a header.
func Begin(o *decision.Options, first []byte) (parse Reading, header bool, err error) {
	s := of(o.Format)
	if s.begin == nil {
		return s.parse, false, nil
	}
	return s.begin(first, o)
}

// Cutter cuts a file into records.
func Cutter(o *decision.Options) table.Cutter {
	c, s := o.Cutter(), of(o.Format)
	c.Quoted = c.Quoted && s != nil && s.quoted
	return c
}
