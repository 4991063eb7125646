package peers

import (
	"fmt"

	"dejavu/experiments/peers/standing"
	"dejavu/internal/document"
	"dejavu/results"
)

// A Beside is the run of other libraries that stands beside a run. Their module
// needs this one, so its program is another, and its rows come from files.
type Beside struct {
	Run  *results.Run // nil where there is none to read
	From string       // what is to be known of it
}

// Of returns the run of other libraries on the machine of a run, where the folder of
// that name in its directory holds rows, and otherwise the committed one.
func Of(out string) Beside {
	run, own, err := results.Beside(out, results.PeersDir)
	switch {
	case err != nil: // no reason to withhold what else there is to say
		return Beside{From: fmt.Sprintf("Nothing to show: %s.", document.Literal(err.Error()))}
	case own:
		return Beside{run, "The rows lie in `" + results.PeersDir + "` beside this report."}
	}
	return Beside{
		run,
		"The rows are those committed with this program: on another machine, and at another time than this run's, " +
			"perhaps. To have your own, run `cd peers && go run .`, which leaves them in `out/" + results.PeersDir +
			"`, and `go run ./experiments` again, which measures nothing twice.",
	}
}

// Rows are those of the run, none where there is no run.
func (b Beside) Rows() []results.Row {
	if b.Run == nil {
		return nil
	}
	return b.Run.All()
}

// Tables are the verdicts on the libraries.
func (b Beside) Tables() []document.Table {
	return standing.Tables(&results.Run{Rows: b.Rows()})
}

// Blocks are what is to be said of the run, for a report.
func (b Beside) Blocks() []document.Block {
	blocks := []document.Block{document.Paragraph(b.From)}
	if b.Run == nil {
		return blocks
	}
	if report := standing.Report(b.Run); report != nil {
		return append(blocks, report...)
	}
	return append(blocks, document.Paragraph("There are no rows to show."))
}
