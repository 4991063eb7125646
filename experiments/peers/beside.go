package peers

import (
	"fmt"

	"dejavu/experiments/peers/standing"
	"dejavu/results"
)

// A Beside is the run of other libraries that stands beside a run. Their module
// needs this one, so its program is another, and its rows come from files.
type Beside struct {
	Run  *results.Run // nil where there is none to read
	From string       // what is to be known of it, in Markdown
}

// Of returns the run of other libraries on the machine of a run, where the folder of
// that name in its directory holds rows, and otherwise the committed one.
func Of(out string) Beside {
	run, own, err := results.Beside(out, results.PeersDir)
	b := Beside{Run: run, From: "The rows lie in `" + results.PeersDir + "` beside this report."}
	if !own {
		b.From = "The rows are those committed with this program: on another machine, and at another time than this run's, perhaps. " +
			"To have your own, run `cd peers && go run .`, which leaves them in `out/" + results.PeersDir + "`, and `go run ./experiments` again, which measures nothing twice."
	}
	if err != nil { // no reason to withhold what else there is to say
		return Beside{From: fmt.Sprintf("Nothing to show: %v.", err)}
	}
	return b
}

// Rows are those of the run, none where there is no run.
func (b Beside) Rows() []results.Row {
	if b.Run == nil {
		return nil
	}
	return b.Run.All()
}

// Markdown is what is to be said of the run, for a report.
func (b Beside) Markdown() string {
	text := "## Beside other filter libraries\n\n" + b.From
	if b.Run == nil {
		return text + "\n"
	}
	if said := standing.Text(b.Run); said != "" {
		return text + " " + said
	}
	return text + " There are no rows to show.\n"
}
