package plots

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"
)

// Text is turned about its anchor, all of it, and what comes after it is not.
func TestRotatedText(t *testing.T) {
	sty := textStyle(10, ink)
	sty.Rotation = math.Pi / 2
	var c recorder.Canvas
	sty.Handler.Draw(&c, "10^{−8} B", sty, vg.Point{X: 30, Y: 40})
	var calls []string
	for _, a := range c.Actions {
		name, _, _ := strings.Cut(a.Call(), "(")
		calls = append(calls, name)
	}
	if want := []string{"SetColor", "Push", "Translate", "Rotate", "FillString", "FillString", "FillString", "Pop"}; !slices.Equal(calls, want) {
		t.Errorf("the canvas is asked to %q, want %q", calls, want)
	}
}
