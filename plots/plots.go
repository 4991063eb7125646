// Package plots draws the figures of a run from its results alone: no strategy
// is called and nothing is computed, so a figure can be drawn again years later,
// or by another tool from the same rows.
//
// Every figure is written as SVG and as PNG. The guarantees: the same rows give
// the same bytes; a strategy has the same colour, dash and mark in every figure,
// also one that this package has never heard of; text in the SVG is drawn as
// outlines, so it looks the same without the fonts; no rate of zero upsets a
// logarithmic axis (it is drawn below a break, at "≈ 0"). A figure whose rows are
// missing is skipped with a reason. All figures together take a second or two. The
// font knows Latin, Greek and Cyrillic; other letters of a name show as boxes.
package plots

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"dejavu/results"
)

// A Figure says what became of one figure.
type Figure struct {
	Name    string   // "fpr"; the files are called after it
	Files   []string // paths of the SVG and of the PNG; none where it was skipped
	Skipped string   // why it was not drawn, or ""
}

// A builder lays out one figure, or says why it cannot.
type builder struct {
	name  string
	build func(data) (sheet, string)
}

// builders lists the figures in the order in which they are drawn.
var builders = []builder{
	{"table1", table1},
	{"fpr", fpr},
	{"fpr-live", fprLive},
	{"fpr-formulas", formulas},
	{"fill", fill},
	{"window", window},
	{"memory", memory},
	{"daily", daily},
	{"latency", latency},
	{"serve", serve},
	{"peers", peers},
	{"extend", extend},
	{"sizing", sizing},
	{"hashes", hashes},
	{"tradeoff", tradeoff},
	{"month", month},
	{"proposals", proposals},
	{"pipeline", pipeline},
	{"ship", ship},
	{"snapshot", snapshot},
	{"beyond-table1", ofBeyond(table1)},
	{"beyond-fpr", ofBeyond(beyondFPR)},
	{"beyond-window", ofBeyond(beyondWindow)},
	{"replay", replay},
	{"beyond-replay", ofBeyond(replay)},
}

// Names lists the figures that Draw knows, in its order.
func Names() []string {
	names := make([]string, len(builders))
	for i, b := range builders {
		names[i] = b.name
	}
	return names
}

// Draw draws every figure that rows (deterministic and timing together, in any
// order) have data for into dir, which is made where it does not exist. It returns
// one Figure for each of Names, skipped ones too. A figure that cannot be drawn or
// written does not keep the others from it; the error joins all that went wrong.
func Draw(rows []results.Row, dir string) ([]Figure, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	d := newData(rows)
	var figures []Figure
	var faults []error
	for _, b := range builders {
		f := Figure{Name: b.name}
		s, reason, err := b.layout(d)
		switch {
		case err != nil:
			f.Skipped = err.Error()
			faults = append(faults, err)
		case reason != "":
			f.Skipped = reason
		default:
			f.Files, err = s.write(filepath.Join(dir, b.name))
			if err != nil {
				f.Skipped = err.Error()
				faults = append(faults, fmt.Errorf("figure %s: %w", b.name, err))
			}
		}
		figures = append(figures, f)
	}
	return figures, errors.Join(faults...)
}

func (b builder) layout(d data) (s sheet, reason string, err error) {
	// The plotting library panics where data surprise it; one figure is lost then,
	// not the run that wants to report its results.
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("figure %s: %v", b.name, p)
		}
	}()
	s, reason = b.build(d)
	return s, reason, nil
}

// write writes the sheet to path with ".svg" and ".png" behind it.
func (s sheet) write(path string) (files []string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("drawing: %v", p)
		}
	}()
	for _, format := range []string{".svg", ".png"} {
		// Drawn in memory first: an image that fails half-way leaves no file.
		var image bytes.Buffer
		if err := s.render(&image, format); err != nil {
			return files, err
		}
		err := results.Replace(path+format, func(w io.Writer) error {
			_, err := w.Write(image.Bytes())
			return err
		})
		if err != nil {
			return files, err
		}
		files = append(files, path+format)
	}
	return files, nil
}
