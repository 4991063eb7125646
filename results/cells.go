package results

// Cells are the rows of a run, found by what they are about.
type Cells struct {
	at   map[cellKey]Row
	rows map[string][]Row
}

// A cellKey is a Key without the unit: a quantity has one unit.
type cellKey struct{ experiment, strategy, x, quantity string }

// NewCells indexes rows. Of rows with the same key the last one is found.
func NewCells(rows []Row) Cells {
	c := Cells{make(map[cellKey]Row, len(rows)), map[string][]Row{}}
	for _, r := range rows {
		c.at[cellKey{r.Experiment, r.Strategy, r.X.String(), r.Quantity}] = r
		c.rows[r.Experiment] = append(c.rows[r.Experiment], r)
	}
	return c
}

// Find returns the row of an experiment, a strategy, an x as Number.String writes
// it ("" for none) and a quantity, and whether there is one.
func (c Cells) Find(experiment, strategy, x, quantity string) (Row, bool) {
	r, ok := c.at[cellKey{experiment, strategy, x, quantity}]
	return r, ok
}

// Of returns the rows of an experiment, in their order.
func (c Cells) Of(experiment string) []Row { return c.rows[experiment] }
