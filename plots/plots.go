// Package plots draws figures from the rows of a run alone. A figure belongs to its experiment, which lays out a Sheet
// of Panels; this package knows no experiment.
//
// Every figure is written as SVG and as PNG, the same bytes for the same rows. A strategy has the same colour, dash
// and mark in every figure, even if this package does not know it. Text in the SVG is text. A rate of zero is drawn at
// "none", below a break of a logarithmic axis. A figure whose rows are missing is skipped with a reason.
package plots

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"dejavu/results"
)

// A Figure defines a figure, drawn from rows of one experiment, and skipped if that has no rows of the quantity.
type Figure struct {
	Name       string // of its files: "fpr-live"
	Title      string // for people: what the figure shows, in the figure and where it is listed
	Caption    string // one or two sentences: what the figure shows
	Experiment string
	Query      results.Query    // without rows that it finds in the experiment, there is no figure
	Strategies Strategies       // whose rows it shows
	Build      func(Data) Sheet // lays the figure out
	Looks      map[string]Look  // of names that are no strategies
}

// Strategies says whose rows a figure shows.
type Strategies int

// Choices of a Figure. Names of structures that the paper did not try begin with results.Beyond, which Data removes.
const (
	Paper  Strategies = iota // all but the structures that the paper did not try
	Beyond                   // those structures alone: too many for the paper's figures
	All                      // every strategy, in one figure
	None                     // all rows; most name a method or a library, which takes no look from a strategy
)

func (s Strategies) shows(beyond bool) bool { return s == All || s == None || beyond == (s == Beyond) }

// Drawn says what became of a figure.
type Drawn struct {
	Figure
	Files   []string // paths of the SVG and of the PNG; none if it was skipped
	Narrow  []byte   // the SVG in a narrow form, for a telephone: half as wide, with a panel a row
	Skipped string   // why it was not drawn, or ""
}

// Draw draws into dir, which it makes, every figure that rows (in any order) have data for. It returns one Drawn for
// each figure, skipped ones too. If a figure fails, others are still drawn; the error joins all faults.
func Draw(figures []Figure, rows []results.Row, dir string) ([]Drawn, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	d := NewData(figures, rows)
	drawn, faults := make([]Drawn, len(figures)), make([]error, len(figures))
	var group sync.WaitGroup
	processors := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, f := range figures {
		group.Go(func() {
			processors <- struct{}{}
			defer func() { <-processors }()
			s, reason, err := d.Lay(f)
			drawn[i] = Drawn{Figure: f, Skipped: reason}
			if err == nil && reason == "" {
				drawn[i].Files, err = s.save(filepath.Join(dir, f.Name))
			}
			if err == nil && reason == "" {
				var b bytes.Buffer
				err = s.Narrow().Write(&b, ".svg")
				drawn[i].Narrow = b.Bytes()
			}
			if err != nil {
				drawn[i].Skipped, faults[i] = err.Error(), fmt.Errorf("figure %s: %w", f.Name, err)
			}
		})
	}
	group.Wait()
	return drawn, errors.Join(faults...)
}

// Lay lays a figure out, or returns why there is nothing to draw. A panic of the builder becomes an error.
func (d Data) Lay(f Figure) (s Sheet, reason string, err error) {
	// Only one figure is lost then, not the report of the run.
	defer recovered(&err)
	d.figure = f
	if f.Query.Quantity != "" && len(d.Find(f.Query)) == 0 {
		return s, fmt.Sprintf("no rows of experiment %s with quantity %q", f.Experiment, f.Query.Quantity), nil
	}
	d.unfound = new([]results.Query)
	s = f.Build(d)
	s.Title = f.Title
	s.settle()
	s.Unfound = *d.unfound
	if s.Reason == "" && len(s.Panels) == 0 {
		s.Reason = fmt.Sprintf("too few numbers in the rows of experiment %s", f.Experiment)
	}
	return s, s.Reason, nil
}

func (s Sheet) save(path string) (files []string, err error) {
	for _, format := range []string{".svg", ".png"} {
		if err := results.Replace(path+format, func(w io.Writer) error { return s.Write(w, format) }); err != nil {
			return files, err
		}
		files = append(files, path+format)
	}
	return files, nil
}

// recovered turns a panic into an error: the plotting library panics on unexpected data.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("drawing: %v", p)
	}
}
