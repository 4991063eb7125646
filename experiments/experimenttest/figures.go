package experimenttest

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"dejavu/internal/golden"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// reference returns the rows of the committed run of ten million users.
var reference = sync.OnceValue(func() []results.Row {
	run, _ := results.Reference(results.DefaultUsers, results.DefaultSeed)
	return run.All()
})

// Figures checks that figures' queries find rows, that no label ends outside a figure, wide or narrow, and that each is
// drawn as in plots/reference, if its rows are committed.
func Figures(t *testing.T, figures []plots.Figure, rows []results.Row) {
	t.Helper()
	d := plots.NewData(figures, rows)
	for _, f := range figures {
		s, reason, err := d.Lay(f)
		if err != nil || reason != "" || s.Unfound != nil {
			t.Fatalf("figure %s: skipped %q, rows not found %s, error %v", f.Name, reason, s.Unfound, err)
		}
		draw := func(s plots.Sheet) string {
			var svg strings.Builder
			strategytest.Must(t, s.Write(&svg, ".svg"))
			for _, label := range cut(svg.String()) {
				t.Errorf("figure %s in %d columns: %q does not end in it", f.Name, s.Columns, label)
			}
			return svg.String()
		}
		image := draw(s)
		draw(s.Narrow())
		if runtime.GOARCH == "amd64" && f.Experiment != results.Replay { // which rounds alike; no replay is committed
			path := filepath.Join("..", "..", "plots", "reference", f.Name+".svg")
			if committed := string(strategytest.Value(os.ReadFile(path))); committed != image {
				t.Errorf("figure %s is not %s: %s", f.Name, path, golden.Difference(image, committed))
			}
		}
	}
}

var (
	level = regexp.MustCompile(`<g transform="translate\(([-0-9.]+), [-0-9.]+\)">\n<g transform="rotate\(0\)">\n` +
		`<text x="([-0-9.]+)"[^>]* textLength="([0-9.]+)"[^>]*>([^<]*)<`)
	boxed = regexp.MustCompile(`viewBox="0 0 ([0-9.]+) `)
)

// cut returns the labels that begin or end outside a figure.
func cut(svg string) (labels []string) {
	number := func(s string) float64 { return strategytest.Value(strconv.ParseFloat(s, 64)) }
	width := number(boxed.FindStringSubmatch(svg)[1])
	for _, m := range level.FindAllStringSubmatch(svg, -1) {
		if from := number(m[1]) + number(m[2]); from < 0 || from+number(m[3]) > width {
			labels = append(labels, m[4])
		}
	}
	return labels
}
