package results

// Cells are the rows of a run, found by queries.
type Cells struct {
	one  map[Query]Row
	many map[string][]Row // by experiment
}

// NewCells indexes rows. Of rows with the same name the last one is found.
func NewCells(rows []Row) Cells {
	c := Cells{make(map[Query]Row, len(rows)), map[string][]Row{}}
	for _, r := range rows {
		c.one[r.Name()] = r
		c.many[r.Experiment] = append(c.many[r.Experiment], r)
	}
	return c
}

// One returns the row that a query without Any names, and whether there is one.
func (c Cells) One(q Query) (Row, bool) {
	r, ok := c.one[q]
	return r, ok
}

// All returns the rows that a query means, in their order.
func (c Cells) All(q Query) (found []Row) {
	for _, r := range c.many[q.Experiment] {
		if q.Matches(r) {
			found = append(found, r)
		}
	}
	return found
}

// Of returns the rows of an experiment, in their order.
func (c Cells) Of(experiment string) []Row { return c.many[experiment] }
