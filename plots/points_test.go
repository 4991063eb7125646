package plots

import (
	"math"
	"testing"
)

// Series at the same x stand side by side around it, in their order.
func TestAside(t *testing.T) {
	at := []Point{At(40, 1), {X: 4000, Y: 2, Low: 1, High: 3}}
	for n := 1; n <= 4; n++ {
		last, product := 0.0, 1.0
		for i := range n {
			moved := Aside(at, i, n)
			if moved[0].X <= last || moved[1].Y != 2 || moved[1].Low != 1 || moved[1].High != 3 {
				t.Errorf("%d of %d: %v", i, n, moved)
			}
			last, product = moved[0].X, product*moved[0].X/40
		}
		if math.Abs(product-1) > 1e-9 {
			t.Errorf("%d series are not around their x: %g", n, product)
		}
	}
	if at[0].X != 40 {
		t.Error("the points themselves were moved")
	}
}

func TestKinship(t *testing.T) {
	names := []string{"queue", "chain", "chain-sized", "chained"}
	for name, want := range map[string][2]bool{
		"queue": {false, false}, "chain": {false, true}, "chain-sized": {true, false}, "chained": {false, false},
	} {
		if variant, varied := Kinship(name, names); [2]bool{variant, varied} != want {
			t.Errorf("%s: variant %v, varied %v", name, variant, varied)
		}
	}
}

// Panels that share an axis all have the break below which one of them has zeros.
func TestSharedBreak(t *testing.T) {
	var panels []*Panel
	for _, y := range []float64{0, 0.5} {
		p := &Panel{Y: Axis{Scale: Log, Min: 0.1, Max: 1}}
		p.Add(Series{Points: []Point{At(1, y)}})
		panels = append(panels, p)
	}
	if SameY(panels...); !panels[0].Y.floor || !panels[1].Y.floor {
		t.Errorf("breaks: %v and %v", panels[0].Y.floor, panels[1].Y.floor)
	}
}
