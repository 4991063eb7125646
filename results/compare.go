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

// Compare sets the rows got beside the rows wanted, name by name. Equality is that of the text in the file,
// to the last digit: these are values that must not depend on the machine, so no tolerance is due. Rows that
// share a name are compared in their order. It takes time and memory linear in the rows.
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

// A TimeRatio is a time of one run over the same time of another, with what the two intervals leave open: Low
// is the least over the greatest, High the greatest over the least. Where a row is a ratio itself, it is set
// against the other run's in the same way.
type TimeRatio struct {
	Name             Query
	Value, Low, High float64
}

// Differs reports whether the two are apart by more than their noise, the first
// machine being so many times as slow as the second.
func (r TimeRatio) Differs(machine float64) bool {
	return r.Low > machine || r.High < machine
}

// A TimeComparison sets the times of two runs against each other.
type TimeComparison struct {
	Times  []TimeRatio // in nanoseconds, in the order of the rows wanted
	Ratios []TimeRatio // of times taken in turns, which the machine's speed leaves alone

	// Single are times without an interval, of either run: they were taken too
	// few times for one, and nothing can be said of their noise.
	Single []Query
}

// CompareTimes sets the times got beside those wanted, key by key. What only one
// of them has, and what is no time, is passed over.
func CompareTimes(got, want []Row) TimeComparison {
	rows := make(map[Query]Row, len(got))
	for _, r := range got {
		rows[r.Name()] = r
	}
	var c TimeComparison
	for _, w := range want {
		g, ok := rows[w.Name()]
		if !ok || w.Unit != Nanoseconds && w.Unit != Ratio {
			continue
		}
		a, known := spreadOf(g)
		b, both := spreadOf(w)
		switch {
		case !known || !both:
			if w.Unit == Nanoseconds {
				c.Single = append(c.Single, w.Name())
			}
			continue
		case b[0] <= 0 || a[0] <= 0:
			continue
		}
		r := TimeRatio{w.Name(), a[1] / b[1], a[0] / b[2], a[2] / b[0]}
		if w.Unit == Nanoseconds {
			c.Times = append(c.Times, r)
		} else {
			c.Ratios = append(c.Ratios, r)
		}
	}
	return c
}

// spreadOf is a row's lower end, value and upper end, if it has them all.
func spreadOf(r Row) (spread [3]float64, ok bool) {
	for i, n := range []Number{r.Low, r.Value, r.High} {
		v, set := n.Get()
		if !set {
			return spread, false
		}
		spread[i] = v
	}
	return spread, true
}

// Machine is how many times as slow the first run's machine was: the median of
// the times' ratios, and 1 where there are none.
func (c TimeComparison) Machine() float64 {
	if len(c.Times) == 0 {
		return 1
	}
	values := make([]float64, len(c.Times))
	for i, r := range c.Times {
		values[i] = r.Value
	}
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2 // one and the same where n is odd
}
