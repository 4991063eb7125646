package results

import (
	"cmp"
	"fmt"
	"slices"
)

// A Difference is one field in which two rows of the same key differ, as text.
type Difference struct {
	Key       Key
	Field     string // a column's name: "value", "low", "high", "theory", "paper" or "count"
	Got, Want string
}

// String says what differs and how, in a line.
func (d Difference) String() string {
	return fmt.Sprintf("%s: %s is %s, reference %s", d.Key, d.Field, cmp.Or(d.Got, "empty"), cmp.Or(d.Want, "empty"))
}

// String names the number, in a line.
func (k Key) String() string {
	s := k.Experiment + ": " + k.Quantity
	if k.Strategy != "" {
		s += " of " + k.Strategy
	}
	if k.X != "" {
		s += " at " + k.X
	}
	return s
}

// A Comparison says how two lists of rows agree.
type Comparison struct {
	Matched   int          // rows that are the same text in every field
	Differing int          // rows of the same key that are not
	Fields    []Difference // in which fields those differ, in the order of the rows wanted
	Missing   []Key        // wanted, but not there
	Extra     []Key        // there, but not wanted
}

// Compare sets the rows got beside the rows wanted, key by key. Equality is that
// of the text in the file, to the last digit: these are values that must not
// depend on the machine, so no tolerance is due. Rows that share a key are
// compared in their order. It takes time and memory linear in the rows.
func Compare(got, want []Row) Comparison {
	waiting := make(map[Key][]Row, len(got))
	for _, row := range got {
		waiting[row.Key()] = append(waiting[row.Key()], row)
	}
	var c Comparison
	for _, w := range want {
		key := w.Key()
		queue := waiting[key]
		if len(queue) == 0 {
			c.Missing = append(c.Missing, key)
			continue
		}
		waiting[key] = queue[1:]
		if fields := differences(key, queue[0], w); fields != nil {
			c.Differing++
			c.Fields = append(c.Fields, fields...)
		} else {
			c.Matched++
		}
	}
	// Walk the rows again, not the map: the order must not be a matter of luck.
	for i := len(got) - 1; i >= 0; i-- {
		key := got[i].Key()
		if n := len(waiting[key]); n > 0 {
			waiting[key] = waiting[key][:n-1]
			c.Extra = append(c.Extra, key)
		}
	}
	slices.Reverse(c.Extra)
	return c
}

func differences(key Key, got, want Row) []Difference {
	var found []Difference
	g, w := got.record(), want.record()
	for i := keyColumns; i < len(columns); i++ {
		if g[i] != w[i] {
			found = append(found, Difference{key, columns[i], g[i], w[i]})
		}
	}
	return found
}
