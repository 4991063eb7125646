package decision

import (
	"bytes"
	"errors"
	"slices"

	"dejavu/workload/logs/jsonline"
	"dejavu/workload/logs/table"
)

// mostNames bounds how many members are looked at for a decision.
const mostNames = 200

// Objects decides how lines of JSON are read that begin with this text, by the members that the
// first of them have.
func Objects(o *Options, text []byte) error {
	s := &Sample{}
	fault := ""
	var scan jsonline.Scanner
	for lines := 0; len(text) > 0 && lines < sampled; lines++ {
		n := table.Line(text, true)
		line := table.TrimEnd(text[:n])
		if text = text[n:]; table.Blank(line) {
			continue
		}
		record := make([][]byte, len(s.Names))
		scan.Reset(line)
		scan.Members(func(name string, value []byte) {
			at := slices.Index(s.Names, name)
			if at < 0 {
				if len(s.Names) == mostNames {
					return
				}
				at = len(s.Names)
				s.Names, record = append(s.Names, name), append(record, nil)
			}
			record[at] = bytes.Clone(value[:min(len(value), mostBytes)])
		})
		s.values = append(s.values, record)
		if reason := scan.End(); fault == "" {
			fault = reason
		}
	}
	if len(s.Names) == 0 {
		return errors.New("the first lines are not JSON objects: " + fault)
	}
	for _, name := range []string{o.Columns.Clicked, o.Columns.Request} { // lines may do without
		if at, _ := s.Find(name); at < 0 && name != "" {
			s.Names = append(s.Names, name)
		}
	}
	if err := s.Choose(&o.Columns); err != nil {
		return err
	}
	// An array is a list whatever is decided; a string may look like one.
	return s.notation(o, "member")
}
