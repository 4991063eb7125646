package results

import (
	"cmp"
	"fmt"
	"slices"
)

// A Difference is a field in which two rows of the same name differ, as text.
type Difference struct {
	Name      Query
	Field     string // a column's name: "value", "low", "count"
	Got, Want string
}

// String returns one line that says what differs, and how.
func (d Difference) String() string {
	return fmt.Sprintf("%s: %s is %s, reference %s", d.Name, d.Field, cmp.Or(d.Got, "empty"), cmp.Or(d.Want, "empty"))
}

// A Comparison describes how two lists of rows agree.
type Comparison struct {
	Matched   int          // rows that are the same text in every field
	Differing int          // rows of the same name that are not
	Fields    []Difference // in which fields those differ, in the order of the rows wanted
	Missing   []Query      // wanted, but not there
	Extra     []Query      // there, but not wanted
}

// Compare compares the rows got with the rows wanted, name by name. Fields are equal if they are the same text in a
// file, to the last digit. Rows that share a name are compared in their order. It takes time linear in the rows.
func Compare(got, want []Row) (c Comparison) {
	waiting := make(map[Query][]int, len(got)) // places in got
	for i, row := range got {
		waiting[row.Name()] = append(waiting[row.Name()], i)
	}
	met := make([]bool, len(got))
	for _, w := range want {
		name := w.Name()
		queue := waiting[name]
		if len(queue) == 0 {
			c.Missing = append(c.Missing, name)
			continue
		}
		waiting[name], met[queue[0]] = queue[1:], true
		before := len(c.Fields)
		wanted := w.numbers()
		for i, is := range got[queue[0]].numbers() {
			if is != wanted[i] {
				c.Fields = append(c.Fields, Difference{name, numberColumns[i], is, wanted[i]})
			}
		}
		if len(c.Fields) > before {
			c.Differing++
		} else {
			c.Matched++
		}
	}
	for i, row := range got {
		if !met[i] {
			c.Extra = append(c.Extra, row.Name())
		}
	}
	return c
}

// A TimeRatio is a time, or a ratio of times, of a run over the reference's, with the ends of the reference's interval.
type TimeRatio struct {
	Name             Query
	Value, Low, High float64
}

// Differs reports whether the ratio lies outside the reference's interval, scaled by this machine's factor.
func (r TimeRatio) Differs(machine float64) bool {
	return r.Value < r.Low*machine || r.Value > r.High*machine
}

// CompareTimes compares times with the reference's, name by name, in its order: times in nanoseconds, and ratios of
// times, which do not depend on the machine's speed. It skips rows that only one has, or that have no interval.
func CompareTimes(got, want []Row) (times, ratios []TimeRatio) {
	cells := NewCells(got)
	for _, w := range want {
		row, _ := cells.One(w.Name())
		value, ok := row.Value.Get()
		center := w.Value.Or(0)
		if !ok || center <= 0 || !w.Low.IsSet() || !w.High.IsSet() {
			continue
		}
		r := TimeRatio{w.Name(), value / center, w.Low.Or(0) / center, w.High.Or(0) / center}
		switch w.Unit {
		case Nanoseconds:
			times = append(times, r)
		case Ratio:
			ratios = append(ratios, r)
		}
	}
	return times, ratios
}

// MachineFactor returns how many times slower than the reference's a machine is: the median of the times, or 1.
func MachineFactor(times []TimeRatio) float64 {
	n := len(times)
	if n == 0 {
		return 1
	}
	sorted := slices.SortedFunc(slices.Values(times), func(a, b TimeRatio) int { return cmp.Compare(a.Value, b.Value) })
	return (sorted[(n-1)/2].Value + sorted[n/2].Value) / 2
}
