package page

import (
	"fmt"
	"strconv"
)

// An Explorer is the page's interactive part: theory at every setting that its
// sliders can take.
type Explorer struct {
	Users      []int      `json:"users"`   // places of a slider, from left to right, as the next three
	Windows    []int      `json:"windows"` // the N that a strategy is made for
	Rates      []float64  `json:"rates"`   // the false positive rate that it is made for, in (0, 1)
	Shown      []Habit    `json:"shown"`   // how much a user has read
	Sizings    []Sizing   `json:"sizings"`
	Strategies []Strategy `json:"strategies"`

	// Curves are where the curves have their points, by window.
	Curves [][]int `json:"curves"`

	// Cells are by sizing, window, rate and strategy: the last runs fastest.
	Cells []Cell `json:"cells"`

	Start Setting `json:"start"`
}

// A Setting is a place of each slider, as indices.
type Setting struct {
	Users  int `json:"users"`
	Window int `json:"window"`
	Rate   int `json:"rate"`
	Shown  int `json:"shown"`
	Sizing int `json:"sizing"`
}

// A Habit is how many articles a user was shown, and whose habit that is.
type Habit struct {
	Articles int    `json:"n"`
	Who      string `json:"who"`
}

// A Sizing is a rule by which filters get their size.
type Sizing struct {
	Name  string `json:"name"`
	About string `json:"about"`
}

// A Strategy is a line of the answer.
type Strategy struct {
	Name  string `json:"name"`
	About string `json:"about"`
}

// A Cell is what theory says of one strategy at one setting. Bytes, FPR and
// Window are by habit.
type Cell struct {
	Size   string   `json:"size"` // "4064 bits, 6 hashes"
	Bytes  []int    `json:"b"`
	FPR    []Number `json:"f"`
	Window []int    `json:"w"`
	Least  int      `json:"l"` // the smallest window of a user beyond N
	Curve  []Coarse `json:"c"` // FPR where Curves says
}

// A Number is a number with as many digits as a display of three needs, and some
// to spare.
type Number float64

// MarshalJSON writes seven digits.
func (n Number) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(n), 'g', 7, 64), nil
}

// Coarse is a number for a curve.
type Coarse float64

// MarshalJSON writes four digits.
func (n Coarse) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(n), 'g', 4, 64), nil
}

// Validate returns an error where a setting has no cell, or a cell not as many
// values as it needs.
func (e Explorer) Validate() error {
	want := len(e.Sizings) * len(e.Windows) * len(e.Rates) * len(e.Strategies)
	if len(e.Cells) != want || len(e.Curves) != len(e.Windows) {
		return fmt.Errorf("explorer: %d cells and %d curves, want %d and %d", len(e.Cells), len(e.Curves), want, len(e.Windows))
	}
	for i, c := range e.Cells {
		n, points := len(e.Shown), len(e.Curves[i/len(e.Strategies)/len(e.Rates)%len(e.Windows)])
		if len(c.Bytes) != n || len(c.FPR) != n || len(c.Window) != n || len(c.Curve) != points {
			return fmt.Errorf("explorer: cell %d has %d bytes, %d rates, %d windows and %d points, want %d, %d, %d and %d",
				i, len(c.Bytes), len(c.FPR), len(c.Window), len(c.Curve), n, n, n, points)
		}
	}
	for _, s := range []struct {
		name  string
		at, n int
	}{
		{"Users", e.Start.Users, len(e.Users)},
		{"Window", e.Start.Window, len(e.Windows)},
		{"Rate", e.Start.Rate, len(e.Rates)},
		{"Shown", e.Start.Shown, len(e.Shown)},
		{"Sizing", e.Start.Sizing, len(e.Sizings)},
	} {
		if s.at < 0 || s.at >= s.n {
			return fmt.Errorf("explorer: Start.%s is %d, want 0 to %d", s.name, s.at, s.n-1)
		}
	}
	return nil
}
