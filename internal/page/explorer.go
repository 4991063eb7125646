package page

import "strconv"

// An Explorer is the page's interactive part: what theory says of every strategy at
// every setting that its sliders can take.
type Explorer struct {
	Users      []int      `json:"users"`   // places of a slider, from left to right, as the next two
	Windows    []int      `json:"windows"` // articles to remember
	Rates      []float64  `json:"rates"`   // the false positive rate at worst, in (0, 1)
	Strategies []Strategy `json:"strategies"`
	Note       string     `json:"-"` // what is not among them, and how means are taken

	// Cells are by window, rate and strategy: the last runs fastest. Nil is a strategy
	// that cannot be made for that setting.
	Cells []*Cell `json:"cells"`

	Start Setting `json:"start"`
}

// A Setting is a place of each slider, as indices.
type Setting struct {
	Users  int `json:"users"`
	Window int `json:"window"`
	Rate   int `json:"rate"`
}

// A Strategy is a line of the answer.
type Strategy struct {
	Name  string `json:"name"`
	About string `json:"about"`
}

// A Cell is what theory says of one strategy at one setting, over a cycle of users who
// have been shown articles for long. What never forgets is looked at when it is full.
type Cell struct {
	Bytes  int    `json:"b"`           // of the longest history
	Window int    `json:"w"`           // articles that are certainly recognised, at least
	Fixed  bool   `json:"c,omitempty"` // Window is a fixed capacity, and FPR grows beyond it
	Worst  Number `json:"x"`           // FPR at the worst moment
	Mean   Number `json:"m"`           // and over the cycle
	Open   bool   `json:"o,omitempty"` // there is no closed form of either rate, and none is given
}

// A Number is a number with as many digits as a display of three needs, and some
// to spare.
type Number float64

// MarshalJSON writes five digits.
func (n Number) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(n), 'g', 5, 64), nil
}
