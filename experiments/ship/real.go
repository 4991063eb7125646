package ship

import (
	"fmt"
	"strconv"
	"strings"

	"dejavu/experiments/text"
	"dejavu/results"
)

// RealTable is the chain's bytes and times by the exposure service of the module live,
// below those of this experiment's own wire; it has no lines where there are no such rows.
func RealTable(c results.Cells) results.Table {
	t := results.Table{
		Title:  "A chain's history for real: bytes, and times between two processes of one machine, shipped / asked (live, `go run . rows`)",
		Header: []string{"by"},
	}
	for _, size := range sizes {
		t.Header = append(t.Header, fmt.Sprintf("bytes, %d candidates", size))
	}
	for _, size := range sizes {
		t.Header = append(t.Header, fmt.Sprintf("time, %d", size))
	}
	for _, way := range []string{"", results.ByConnect, results.ByGRPC, results.ByRedis} {
		row, found := []string{strings.TrimPrefix(way, ", ")}, false
		if way == "" {
			row[0] = "the wire of this experiment"
		}
		for _, pair := range [][2]string{{results.QShippedBytes, results.QAskedBytes}, {results.QShipped, results.QAsked}} {
			for _, size := range sizes {
				shipped, ok := c.Find(results.Ship, "chain", strconv.Itoa(size), pair[0]+way)
				cell := text.Of(shipped)
				if asked, both := c.Find(results.Ship, "chain", strconv.Itoa(size), pair[1]+way); both {
					cell += " / " + text.Of(asked)
				}
				if !ok {
					cell = "–"
				}
				found = found || ok && way != ""
				row = append(row, cell)
			}
		}
		if found || way == "" {
			t.Rows = append(t.Rows, row)
		}
	}
	if len(t.Rows) == 1 { // nothing real
		t.Rows = nil
	}
	return t
}
