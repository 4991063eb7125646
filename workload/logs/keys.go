package logs

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A key is a user or an article as text.
type key struct{ role, text string }

const user, article = "user", "article"

// A tally counts keys, if there are many only the frequent ones, and keys that look damaged.
type tally struct {
	counts  map[key]int64
	total   map[string]int64 // by role
	many    bool             // rare keys were dropped
	odd     map[key]int64    // by role and way (see ways)
	example map[key]string   // the first of them
	leftOut map[key]bool     // keys without counts, as the options leave them out
}

func newTally() tally {
	return tally{map[key]int64{}, map[string]int64{}, false, map[key]int64{}, map[key]string{}, map[key]bool{}}
}

const mostKeys = 1 << 13

// add counts a key n times. If there are too many keys, it drops rare ones and lowers every other count equally, at
// most by one in mostKeys of all.
func (t *tally) add(k key, n int64) {
	t.total[k.role] += n
	t.counts[k] += n
	if way := oddly(k.text); way != "" {
		at := key{k.role, way}
		t.odd[at] += n
		t.example[at] = cmp.Or(t.example[at], k.text)
	}
	for len(t.counts) > 2*mostKeys {
		t.many = true
		least := slices.Min(slices.Collect(maps.Values(t.counts)))
		maps.DeleteFunc(t.counts, func(_ key, n int64) bool { return n == least })
		for k := range t.counts {
			t.counts[k] -= least
		}
	}
}

// Ways in which a key may be damaged. A whole number is odd only if other keys end in .0.
const (
	broken  = "has a control character, or is no UTF-8: a DuckDB query of docs/logs.md cleans it"
	blanks  = "has a blank at an end"
	rounded = "is a number of which a spreadsheet left the last digits out: export it as text"
	decimal = "is a decimal number, where other keys are whole: a DuckDB query that casts it to BIGINT makes them one"
	whole   = "is a whole number"
)

// ways lists how damaged keys look. The first match counts.
var ways = []struct {
	way  string
	like *regexp.Regexp
}{
	{broken, regexp.MustCompile(`[\x00-\x1f\x7f\x{200b}\x{200e}\x{200f}\x{feff}\x{fffd}]`)},
	{blanks, regexp.MustCompile(`^[\pZ\x{85}]|[\pZ\x{85}]$`)},
	{whole, regexp.MustCompile(`^\d+$`)},
	{rounded, regexp.MustCompile(`^\d[\d.,]*[eE](\+\d+|\d\d+)$`)},
	{decimal, regexp.MustCompile(`^\d+\.0+$`)},
}

// oddly returns the way in which a key looks damaged, or "".
func oddly(text string) string {
	for _, w := range ways {
		if w.like.MatchString(text) {
			return w.way
		}
	}
	return ""
}

// frequent returns the counted keys of a role, the most frequent first.
func (t *tally) frequent(role string) (texts []string) {
	for k := range t.counts {
		if k.role == role {
			texts = append(texts, k.text)
		}
	}
	slices.SortFunc(texts, func(a, b string) int {
		return cmp.Or(cmp.Compare(t.counts[key{role, b}], t.counts[key{role, a}]), cmp.Compare(a, b))
	})
	return texts
}

// missing lists what missing values look like, in lower case.
var missing = strings.Split(
	"|-|--|?|na|n/a|#n/a|<na>|nan|nat|null|<null>|(null)|none|nil|\\n|undefined|unknown|(not set)|anonymous", "|")

// warnings reports keys that look like a missing value and are a thousandth or more, keys that are a tenth and five
// times any other, keys that look damaged, and keys to leave out that no line has.
func (t *tally) warnings(o *Options) (all []string) {
	say := func(format string, values ...any) { all = append(all, fmt.Sprintf(format, values...)) }
	for _, role := range []string{user, article} {
		keys := t.frequent(role)
		for _, text := range keys {
			n, looks := t.counts[key{role, text}], slices.Contains(missing, strings.ToLower(strings.TrimSpace(text)))
			share, least, usual := float64(n)/float64(t.total[role]), 0.1, 5/float64(len(keys))
			if t.many {
				usual = 5. / mostKeys
			}
			if looks {
				usual, least = 0, 0.001
			}
			if share >= max(least, usual) && (n >= 200 || looks && share >= 0.01) {
				say("about %.3g %% of what was read is of the %s %.40q: if that is none, --without-%[2]s=%[4]s leaves it out",
					100*share, role, text, quoted(text))
			}
		}
		for _, way := range []string{broken, blanks, rounded, decimal} {
			k := key{role, way}
			share, example := float64(t.odd[k])/float64(t.total[role]), t.example[k]
			if way == decimal && t.odd[key{role, whole}] == 0 || t.odd[k] == 0 || share < 0.01 && way != broken {
				continue
			}
			say("about %.3g %% of what was read is of a %s like %.40q, which %s; --without-%[2]s=%[5]s leaves it out",
				100*share, role, example, way, quoted(example))
		}
		for _, text := range o.without(role) {
			if !t.leftOut[key{role, text}] {
				say("--without-%s=%s leaves nothing out: no line that was read has that %[1]s; the most frequent are %.40[3]q",
					role, quoted(text), keys[:min(len(keys), 3)])
			}
		}
	}
	return all
}
