package main

import (
	"fmt"
	"os"
	"path/filepath"

	"dejavu/results"
)

// A peersReport is what a report says of other filter libraries. Their module
// needs this one, so its program is another, and its rows come from a file.
type peersReport struct {
	rows []results.Row // for the figure
	text string        // for the report, in Markdown
	from string        // what is to be known before
	run  *results.Run  // nil where there is none to read
}

// peersBeside returns the peers as measured on the machine of a run, where the
// folder of that name in its directory holds rows, and otherwise as committed.
func peersBeside(out string) peersReport {
	dir := filepath.Join(out, results.PeersDir)
	from := "The rows lie in `" + results.PeersDir + "` beside this report."
	read := func() (*results.Run, error) { return results.ReadDir(dir) }
	if _, err := os.Stat(dir); err != nil {
		from = "The rows are those committed with this program: on another machine, and at another time than this run's, perhaps. " +
			"To have your own, run `cd peers && go run .`, which leaves them in `out/" + results.PeersDir + "`, and `go run ./experiments` again, which measures nothing twice."
		read = results.PeersReference
	}
	const heading = "## Beside other filter libraries\n\n"
	run, err := read()
	if err != nil { // no reason to withhold what else there is to say
		from = fmt.Sprintf("Nothing to show: %v.", err)
		return peersReport{text: heading + from + "\n", from: from}
	}
	text := results.PeersText(run)
	if text == "" {
		text = "There are no rows to show.\n"
	}
	return peersReport{rows: run.All(), text: heading + from + " " + text, from: from, run: run}
}
