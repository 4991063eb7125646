package plots

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// vocabulary are the words that stand in declarations for strategies, scales, formats, colours, marks and changes.
var vocabulary = map[string]any{
	"paper": Paper, "beyond": Beyond, "all": All, "none": None,

	"linear": Linear, "log": Log, "signed log": SignedLog,

	"number": Format(Number), "percent": Format(Percent), "power": Format(Power), "multiple": Format(Multiple),
	"duration": Format(Duration), "bytes": Format(Bytes), "count": Format(Count), "power of two": Format(PowerOfTwo),

	"black": Black, "orange": Orange, "sky blue": SkyBlue, "green": Green,
	"blue": Blue, "vermillion": Vermillion, "purple": Purple, "grey": Grey,

	"circle": Circle, "ring": Ring, "square": Square, "diamond": Diamond, "up": Up, "down": Down, "pentagon": Pentagon,
	"hexagon": Hexagon, "cross": CrossStar, "plus": PlusStar, "star": fiveStar,
	"pentagon down": Mark{sides: 5, turn: -math.Pi / 2}, "star of three": Mark{sides: 3, turn: math.Pi / 2, star: true},

	"positive": Change(positive), "alone": Change(alone), "by bin": Change(ByBin), "per thousand": Change(PerThousand),
	"few days": Change(FewDays),
}

// meaning sets what a word of the vocabulary stands for.
func meaning[V any](word string, to *V) error {
	v, ok := vocabulary[word].(V)
	if !ok {
		var all []string
		for name, other := range vocabulary {
			if _, alike := other.(V); alike {
				all = append(all, name)
			}
		}
		slices.Sort(all)
		return fmt.Errorf("%q: want one of %q", word, all)
	}
	*to = v
	return nil
}

// UnmarshalText reads one of the words "paper", "beyond", "all" and "none".
func (s *Strategies) UnmarshalText(text []byte) error { return meaning(string(text), s) }

// UnmarshalText reads one of the words "linear", "log" and "signed log".
func (s *Scale) UnmarshalText(text []byte) error { return meaning(string(text), s) }

// UnmarshalText reads the name of a format.
func (f *Format) UnmarshalText(text []byte) error { return meaning(string(text), f) }

// UnmarshalText reads the name of a colour.
func (c *Color) UnmarshalText(text []byte) error { return meaning(string(text), c) }

// UnmarshalText reads the name of a change.
func (c *Change) UnmarshalText(text []byte) error { return meaning(string(text), c) }

// UnmarshalText reads the name of a mark, "hollow" before it where it is one in outline.
func (m *Mark) UnmarshalText(text []byte) error {
	name, hollow := strings.CutPrefix(string(text), "hollow ")
	err := meaning(name, m)
	m.hollow = m.hollow || hollow
	return err
}
