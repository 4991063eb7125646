package format

import (
	"fmt"
	"strconv"

	"dejavu/workload/logs/decision"
)

var csvSyntax = &syntax{
	format: decision.CSV,
	decide: decision.Table,
	quoted: true,
	begin: func(first []byte, o *decision.Options) (Reading, bool, error) {
		c, err := findColumns(first, o, o.Columns, !o.NoHeader)
		return c.parse, !o.NoHeader, err
	},
}

// columns is where the columns of a table are.
type columns struct {
	at     [5]int // user, article, time, clicked and request, -1 where there is none
	fields int    // of the first record
	joined []int  // fields of which a time is made, if these are several
}

// findColumns finds columns by their names in the first record, or by their numbers where that is no header.
func findColumns(first []byte, o *decision.Options, want decision.Columns, header bool) (c columns, err error) {
	s, _, err := o.Sample(first)
	if err != nil {
		return c, err
	}
	if !header {
		for i := range s.Names {
			s.Names[i] = strconv.Itoa(i + 1)
		}
	}
	c.fields, c.joined = len(s.Names), s.Join(want.Time)
	if err := s.Choose(&want); err != nil {
		return c, err
	}
	names, _ := want.Places()
	for i, name := range names {
		if c.at[i] = -1; *name != "" {
			c.at[i], _ = s.Find(*name)
		}
	}
	return c, nil
}

func (c columns) parse(p *Parser, record []byte) (reason string) {
	fields, reason := p.splitter.Split(record)
	if reason != "" {
		return reason
	}
	n := len(fields)
	for n > c.fields && len(fields[n-1]) == 0 { // commas at the end are harmless, others shift the columns
		n--
	}
	if n != c.fields {
		return fmt.Sprintf("%d fields, where the first line has %d", len(fields), c.fields)
	}
	if c.joined != nil {
		whole := make([]byte, 0, 64)
		for _, part := range c.joined {
			whole = append(append(whole, fields[part]...), ' ')
		}
		fields = append(fields[:n], whole)
	}
	var values [5][]byte
	for i, at := range c.at {
		if at >= 0 {
			values[i] = fields[at]
		}
	}
	return p.row(values, nil)
}
