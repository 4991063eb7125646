package ship

import (
	"fmt"
	"strconv"

	"dejavu/experiments/text"
	"dejavu/results"
)

// tables are the bytes and times of both ways, what arithmetic makes of the bytes on
// the networks, and both by a real service.
func tables(c results.Cells) []results.Table {
	bytes := results.Table{
		Title:  "Ship the history or ask for the candidates: bytes of request and answer",
		Header: []string{"history", "shipped, any number"},
	}
	times := results.Table{
		Title:  "A request between two processes of one machine (in brackets: asked over shipped within a turn)",
		Header: []string{"history"},
	}
	for _, size := range sizes {
		bytes.Header = append(bytes.Header, fmt.Sprintf("asked, %d candidates", size))
		times.Header = append(times.Header, fmt.Sprintf("%d shipped", size), fmt.Sprintf("%d asked", size))
	}
	bytes.Header = append(bytes.Header, "shipping takes fewer from")
	var networked []string
	for _, name := range []string{"queue", "single", "chain", results.Beyond + "daily"} {
		even, ok := c.Find(results.Ship, name, "", results.QBreakEven)
		if !ok {
			continue
		}
		networked = append(networked, name)
		shipped, _ := c.Find(results.Ship, name, strconv.Itoa(sizes[0]), results.QShippedBytes)
		row, timed := []string{name, text.Of(shipped)}, []string{name}
		for _, size := range sizes {
			x := strconv.Itoa(size)
			asked, _ := c.Find(results.Ship, name, x, results.QAskedBytes)
			row = append(row, text.Of(asked))
			there, ok := c.Find(results.Ship, name, x, results.QShipped)
			if !ok {
				continue
			}
			here, _ := c.Find(results.Ship, name, x, results.QAsked)
			ratio, _ := c.Find(results.Ship, name, x, results.QAskedOver)
			timed = append(timed, text.Of(there), fmt.Sprintf("%s (%.2f, %.2f to %.2f)", text.Of(here), ratio.Value.Or(0), ratio.Low.Or(0), ratio.High.Or(0)))
		}
		bytes.Rows = append(bytes.Rows, append(row, text.Of(even)+" candidates"))
		if len(timed) == len(times.Header) {
			times.Rows = append(times.Rows, timed)
		}
	}
	if trip, ok := c.Find(results.Ship, "", "", results.QRoundTrip); ok && len(times.Rows) > 0 {
		row := make([]string, len(times.Header))
		row[0], row[1] = "nothing: a newcomer's", text.Of(trip)
		times.Rows = append(times.Rows, row)
	}
	all := []results.Table{bytes, times, modelTable(c, networked)}
	if real := RealTable(c); len(real.Rows) > 0 {
		all = append(all, real)
	}
	return all
}

// modelTable is the time of the bytes on each network, shipped and asked.
func modelTable(c results.Cells, names []string) results.Table {
	t := results.Table{
		Title:  "The same over a network, by arithmetic: a round trip and the bytes, shipped / asked",
		Header: []string{"history", "candidates"},
	}
	for _, n := range wires {
		t.Header = append(t.Header, n.name[2:])
	}
	for _, name := range names {
		for _, size := range sizes {
			row := []string{name, strconv.Itoa(size)}
			for _, n := range wires {
				shipped, _ := c.Find(results.Ship, name, row[1], results.QShippedModel+n.name)
				asked, _ := c.Find(results.Ship, name, row[1], results.QAskedModel+n.name)
				row = append(row, text.Of(shipped)+" / "+text.Of(asked))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}
