package main

import (
	"fmt"
	"strconv"

	"dejavu/measure"
	"dejavu/results"
)

// shipTables are the bytes and times of both ways, and what arithmetic makes of the
// bytes on the networks.
func shipTables(c cells) []results.Table {
	bytes := results.Table{
		Title:  "Ship the history or ask for the candidates: bytes of request and answer",
		Header: []string{"history", "shipped, any number"},
	}
	times := results.Table{
		Title:  "A request between two processes of one machine (in brackets: asked over shipped within a turn)",
		Header: []string{"history"},
	}
	for _, size := range shipSizes {
		bytes.Header = append(bytes.Header, fmt.Sprintf("asked, %d candidates", size))
		times.Header = append(times.Header, fmt.Sprintf("%d shipped", size), fmt.Sprintf("%d asked", size))
	}
	bytes.Header = append(bytes.Header, "shipping takes fewer from")
	var networked []string
	for _, name := range []string{"queue", "single", "chain", results.Beyond + "daily"} {
		even, ok := c.find(results.Ship, name, "", results.QBreakEven)
		if !ok {
			continue
		}
		networked = append(networked, name)
		shipped, _ := c.find(results.Ship, name, strconv.Itoa(shipSizes[0]), results.QShippedBytes)
		row, timed := []string{name, text(shipped)}, []string{name}
		for _, size := range shipSizes {
			x := strconv.Itoa(size)
			asked, _ := c.find(results.Ship, name, x, results.QAskedBytes)
			row = append(row, text(asked))
			there, ok := c.find(results.Ship, name, x, results.QShipped)
			if !ok {
				continue
			}
			here, _ := c.find(results.Ship, name, x, results.QAsked)
			ratio, _ := c.find(results.Ship, name, x, results.QAskedOver)
			timed = append(timed, text(there), fmt.Sprintf("%s (%.2f, %.2f to %.2f)", text(here), ratio.Value.Or(0), ratio.Low.Or(0), ratio.High.Or(0)))
		}
		bytes.Rows = append(bytes.Rows, append(row, text(even)+" candidates"))
		if len(timed) == len(times.Header) {
			times.Rows = append(times.Rows, timed)
		}
	}
	if trip, ok := c.find(results.Ship, "", "", results.QRoundTrip); ok && len(times.Rows) > 0 {
		row := make([]string, len(times.Header))
		row[0], row[1] = "nothing: a newcomer's", text(trip)
		times.Rows = append(times.Rows, row)
	}
	return []results.Table{bytes, times, modelTable(c, networked)}
}

// modelTable is the time of the bytes on each network, shipped and asked.
func modelTable(c cells, names []string) results.Table {
	t := results.Table{
		Title:  "The same over a network, by arithmetic: a round trip and the bytes, shipped / asked",
		Header: []string{"history", "candidates"},
	}
	for _, n := range networks {
		t.Header = append(t.Header, n.name[2:])
	}
	for _, name := range names {
		for _, size := range shipSizes {
			row := []string{name, strconv.Itoa(size)}
			for _, n := range networks {
				shipped, _ := c.find(results.Ship, name, row[1], results.QShippedModel+n.name)
				asked, _ := c.find(results.Ship, name, row[1], results.QAskedModel+n.name)
				row = append(row, text(shipped)+" / "+text(asked))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// snapshotTable has a line for each strategy whose histories were backed up.
func snapshotTable(c cells) results.Table {
	t := results.Table{
		Title: fmt.Sprintf("A restart from a backup, %d articles after it was made [theory]", measure.SinceBackup),
		Header: []string{
			"strategy", "histories", "lost", "repeats let through", "forgotten of the articles since", "astray with the log replayed",
			"on the disk", "saved in", "loaded in", "checksums alone",
		},
	}
	for _, e := range entries {
		cell := func(quantity string) results.Row {
			r, _ := c.find(results.Snapshot, e.Name, "", quantity)
			return r
		}
		forgotten := cell(results.QForgotten)
		if !forgotten.Value.IsSet() {
			continue
		}
		speed := func(time, perSecond string) string {
			return text(cell(time)) + ", " + text(cell(perSecond)) + "/s"
		}
		t.Rows = append(t.Rows, []string{
			e.Name, text(cell(results.QBackedUp)), text(cell(results.QHistoriesLost)), text(cell(results.QInside)),
			percent(forgotten.Value.Or(0)) + " [" + percent(forgotten.Theory.Or(0)) + "]", text(cell(results.QAstray)),
			text(cell(results.QSnapshotBytes)), speed(results.QSave, results.QSavedPerSecond), speed(results.QLoad, results.QLoadedPerSecond),
			speed(results.QLoadTrusted, results.QTrustedPerSecond),
		})
	}
	return t
}
