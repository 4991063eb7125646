package page

import (
	"math"
	"slices"
	"strconv"
)

// An Explorer is the page's interactive part: the expected values of every strategy at every setting of its sliders.
// Cells are ordered by window, rate and strategy: the last runs fastest. Nil means that the strategy cannot be made.
type Explorer struct {
	Users      []int      `json:"users"`   // places of a slider, from left to right, as the next two
	Windows    []int      `json:"windows"` // articles to remember
	Rates      []float64  `json:"rates"`   // the false positive rate at worst, in (0, 1)
	Strategies []Strategy `json:"strategies"`
	Note       string     `json:"-"` // what is not among them, and how means are taken
	Cells      []*Cell    `json:"cells"`
	Picks      [][]Pick   `json:"picks"` // what to take, by window and rate: the first that the memory holds
	Store      int        `json:"store"` // bytes that the store keeps of a user beside the history
	Rule       string     `json:"-"`     // how Picks were chosen, a sentence
	Start      Setting    `json:"start"`
}

// A Setting is a place of each slider, as indices.
type Setting struct {
	Users  int `json:"users"`
	Window int `json:"window"`
	Rate   int `json:"rate"`
}

// A Pick is a strategy to take and the runner-up, by their indices, and a text on what each costs. RunnerUp is -1 if
// there is none. Alone is the text for a memory too small for the runner-up.
type Pick struct {
	Take     int    `json:"take"`
	RunnerUp int    `json:"second"`
	Text     string `json:"text"`
	Alone    string `json:"alone"`
}

// A Strategy is a line of the answer.
type Strategy struct {
	Name  string `json:"name"`
	About string `json:"about"`
}

// A Cell holds expected values of a strategy at one setting, over a full rotation of users who have long been shown
// articles. A strategy that never forgets is judged when full.
type Cell struct {
	Bytes   int    `json:"b"`           // of the longest history
	Average int    `json:"a"`           // of a history, over the rotation
	Window  int    `json:"w"`           // articles that are certainly recognised, at least
	Fixed   bool   `json:"c,omitempty"` // Window is a fixed capacity, and FPR grows beyond it
	Worst   Number `json:"x"`           // FPR at the worst moment
	Mean    Number `json:"m"`           // and over the rotation
	Go      string `json:"g"`           // constructs it
}

// A Playground is a filter and a chain of the same size, small enough to watch them fill article by article, with their
// exact rates.
type Playground struct {
	Links    int      `json:"links"`
	Capacity int      `json:"capacity"` // articles of a link
	Bits     int      `json:"bits"`     // of a link; the filter has all links' bits
	Hashes   int      `json:"hashes"`
	Filter   []Number `json:"filter"` // FPR after each number of articles, from 0
	Chain    []Number `json:"chain"`
}

// A Number is a number with a few more digits than the three that are displayed.
type Number float64

// MarshalJSON writes five digits.
func (n Number) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(n), 'g', 5, 64), nil
}

// A Frontier shows measured configurations: a table whose lines are filtered and sorted, and a scatter of the rest.
// Without scripts the whole table is shown.
type Frontier struct {
	Title, Note string
	Window      int // articles that all are made to remember
	Axes        []Axis
	Trades      []Trade
}

// An Axis is a quantity: a column, a limit, and what the scatter can be drawn by.
type Axis struct {
	Key, Name string // in the page's address, and for people
	Unit      string // of the limit, "" for a number
	More      bool   // more is better, so that a limit is a minimum; otherwise it is a maximum
	Show      bool   // the page has a field for its limit
}

// A Trade is a configuration: a line and a point.
type Trade struct {
	Name, About string
	For         string // what it was made to meet
	Lasts       bool   // for ever; else its capacity is fixed
	Values      []Measured
}

// A Measured is a value on an axis, in the axis's unit, and its text. It is NaN if it was not measured.
type Measured struct {
	Value float64
	Text  string
}

// Data returns the value for the page's script, or "".
func (m Measured) Data() string {
	if math.IsNaN(m.Value) {
		return ""
	}
	return strconv.FormatFloat(m.Value, 'g', 6, 64)
}

// Makings lists what the configurations were made to meet, as they appear.
func (f Frontier) Makings() (all []string) {
	for _, t := range f.Trades {
		if !slices.Contains(all, t.For) {
			all = append(all, t.For)
		}
	}
	return all
}
