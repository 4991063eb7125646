// Package plots draws figures from rows. A figure belongs to its experiment, which lays out a Sheet of Panels; this
// package knows no experiment.
//
// Figures are written as SVG and as PNG, the same bytes for the same rows. A strategy has the same colour, dash and
// mark in every figure, even if this package does not know it. A rate of zero is drawn at "none", below a break of a
// logarithmic axis. A figure without rows is skipped with a reason.
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

// A Figure is drawn from rows of one experiment.
type Figure struct {
	Name       string // of its files: "fpr-live"
	Title      string // in the figure and in lists
	Caption    string // one or two sentences: what the figure shows
	Experiment string
	Query      results.Query    // if it finds no rows, the figure is skipped
	Strategies Strategies       // whose rows it shows
	Build      func(Data) Sheet // lays the figure out
	Looks      map[string]Look  // for names that are no strategies
}

// Strategies says whose rows a figure shows.
type Strategies int

// Choices of a Figure. Names of structures beyond the paper begin with results.Beyond, which Data removes.
const (
	Paper  Strategies = iota // all strategies but those beyond the paper
	Beyond                   // only these
	All                      // every strategy
	None                     // all rows: most are of methods or libraries, not strategies
)

func (s Strategies) shows(beyond bool) bool { return s == All || s == None || beyond == (s == Beyond) }

// Drawn is the result of drawing a figure.
type Drawn struct {
	Figure
	Files   []string // paths of SVG and PNG; none if it was skipped
	Narrow  []byte   // the SVG in a narrow form (Sheet.Narrow)
	Skipped string   // why it was not drawn, or ""
}

// Draw draws figures into dir, which it makes. It returns one Drawn for each figure, skipped ones too. If a figure
// fails, others are still drawn; the error joins all errors.
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

// Lay lays a figure out, or returns why there is nothing to draw. A panic becomes an error, as a report must go on.
func (d Data) Lay(f Figure) (s Sheet, reason string, err error) {
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
