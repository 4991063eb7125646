package results

import (
	"cmp"
	"fmt"
	"slices"
)

// A Difference is one field in which two rows of the same name differ, as text.
type Difference struct {
	Name      Query
	Field     string // a column's name: "unit", "value", "low", "high", "theory", "paper" or "count"
	Got, Want string
}

// String says what differs and how, in a line.
func (d Difference) String() string {
	return fmt.Sprintf("%s: %s is %s, reference %s", d.Name, d.Field, cmp.Or(d.Got, "empty"), cmp.Or(d.Want, "empty"))
}

// A Comparison says how two lists of rows agree.
type Comparison struct {
	Matched   int          // rows that are the same text in every field
	Differing int          // rows of the same name that are not
	Fields    []Difference // in which fields those differ, in the order of the rows wanted
	Missing   []Query      // wanted, but not there
	Extra     []Query      // there, but not wanted
}

// Compare sets the rows got beside the rows wanted, name by name. Equality is that
// of the text in the file, to the last digit: these are values that must not
// depend on the machine, so no tolerance is due. Rows that share a name are
// compared in their order. It takes time and memory linear in the rows.
func Compare(got, want []Row) Comparison {
	waiting := make(map[Query][]Row, len(got))
	for _, row := range got {
		waiting[row.Name()] = append(waiting[row.Name()], row)
	}
	var c Comparison
	for _, w := range want {
		name := w.Name()
		queue := waiting[name]
		if len(queue) == 0 {
			c.Missing = append(c.Missing, name)
			continue
		}
		waiting[name] = queue[1:]
		if fields := differences(name, queue[0], w); fields != nil {
			c.Differing++
			c.Fields = append(c.Fields, fields...)
		} else {
			c.Matched++
		}
	}
	// Walk the rows again, not the map: the order must not be a matter of luck.
	for i := len(got) - 1; i >= 0; i-- {
		name := got[i].Name()
		if n := len(waiting[name]); n > 0 {
			waiting[name] = waiting[name][:n-1]
			c.Extra = append(c.Extra, name)
		}
	}
	slices.Reverse(c.Extra)
	return c
}

func differences(name Query, got, want Row) []Difference {
	var found []Difference
	g, w := got.numbers(), want.numbers()
	for i, column := range numberColumns {
		if g[i] != w[i] {
			found = append(found, Difference{name, column, g[i], w[i]})
		}
	}
	return found
}
