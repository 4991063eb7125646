package explorer

import (
	_ "embed"
	"encoding/json"
	"slices"

	"dejavu/page"
)

// What theory says at all settings of Whole takes seconds of a processor, and follows
// from the code alone. So it is computed once and kept beside the code, where a test
// computes it again: every report has it, that of a log of ten lines too.
//
//go:embed computed.json
var computedJSON []byte

// computed is cells of Whole, and the strategies that they are of, in this order.
type computed struct {
	Strategies []string     `json:"strategies"`
	Cells      []*page.Cell `json:"cells"`
}

// kept are the cells of Whole for these lines, or nil where other ones were computed.
func kept(all []line) []*page.Cell {
	var c computed
	if err := json.Unmarshal(computedJSON, &c); err != nil || !slices.Equal(c.Strategies, names(all)) {
		return nil
	}
	return c.Cells
}

func names(all []line) (names []string) {
	for _, l := range all {
		names = append(names, l.Name)
	}
	return names
}
