package logs

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A key is a user or an article, as the log writes it.
type key struct {
	user bool
	text string
}

// what returns "user" or "article".
func (k key) what() string {
	if k.user {
		return "user"
	}
	return "article"
}

// A tally counts keys. It keeps the frequent ones apart, and those that look damaged.
type tally struct {
	counts  map[key]int64
	total   map[bool]int64 // of users, and of articles
	many    bool           // some were forgotten
	odd     map[key]int64  // by user and the way in which keys are damaged
	example map[key]string // the first of them
	leftOut map[key]bool   // that the options leave out, which are not counted
}

func newTally() tally {
	return tally{map[key]int64{}, map[bool]int64{}, false, map[key]int64{}, map[key]string{}, map[key]bool{}}
}

const mostKeys = 1 << 13

// add counts a key n times. If there are too many, it forgets rare ones and lowers every other count equally, at most
// by one in mostKeys of all.
func (t *tally) add(k key, n int64) {
	t.total[k.user] += n
	t.counts[k] += n
	if way := oddly(k.text); way != "" {
		at := key{k.user, way}
		if t.odd[at] += n; t.example[at] == "" {
			t.example[at] = k.text
		}
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

// Ways in which a key may be damaged. A whole number is odd only beside others with .0.
const (
	broken  = "has a control character: a DuckDB query of docs/logs.md cleans it"
	blanks  = "has a blank at an end"
	rounded = "is a number of which a spreadsheet left the last digits out: export it as text"
	decimal = "is a decimal number, where other keys are whole: a DuckDB query that casts it to BIGINT makes them one"
	whole   = "is a whole number"
)

// oddly returns the way in which a key looks damaged, or "".
func oddly(text string) string {
	isDigit := func(c rune) bool { return c >= '0' && c <= '9' }
	mantissa, exponent, _ := strings.Cut(strings.ToUpper(text), "E")
	before, after, _ := strings.Cut(text, ".")
	all := func(text string, is func(c rune) bool) bool {
		return len(text) > 0 && strings.TrimLeftFunc(text, is) == ""
	}
	switch {
	case strings.ContainsFunc(text, func(c rune) bool { return c < 0x20 || c == 0x7f || c == 0xfeff }):
		return broken
	case strings.TrimSpace(text) != text:
		return blanks
	case all(text, isDigit):
		return whole
	case all(mantissa, func(c rune) bool { return isDigit(c) || c == '.' || c == ',' }) && isDigit(rune(text[0])) &&
		len(exponent) > 1 && all(strings.TrimPrefix(exponent, "+"), isDigit):
		return rounded
	case all(before, isDigit) && all(after, func(c rune) bool { return c == '0' }):
		return decimal
	}
	return ""
}

// frequent returns the users, or the articles, that were counted, the most frequent first.
func (t *tally) frequent(user bool) (keys []key) {
	for k := range t.counts {
		if k.user == user {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(t.counts[b], t.counts[a]), cmp.Compare(a.text, b.text))
	})
	return keys
}

// missing lists what missing values look like, in small letters.
var missing = strings.Split(
	"|-|--|?|na|n/a|#n/a|<na>|nan|nat|null|<null>|(null)|none|nil|\\n|undefined|unknown|(not set)|anonymous", "|")

// warnings names the keys that look like a missing value and make up a thousandth or more, keys that make up a tenth
// and five times any other, keys that look damaged, and keys to be left out that no line has.
func (t *tally) warnings(o *Options) (all []string) {
	say := func(format string, values ...any) { all = append(all, fmt.Sprintf(format, values...)) }
	for _, user := range []bool{true, false} {
		keys := t.frequent(user)
		for _, k := range keys {
			n, looks := t.counts[k], slices.Contains(missing, strings.ToLower(strings.TrimSpace(k.text)))
			share, least, usual := float64(n)/float64(t.total[user]), 0.1, 5/float64(len(keys))
			if t.many {
				usual = 5. / mostKeys
			}
			if looks {
				usual, least = 0, 0.001
			}
			if share >= max(least, usual) && (n >= 200 || looks && share >= 0.01) {
				say("about %.2g %% of what was read is of the %s %.40q: if that is none, --without-%[2]s=%[4]s leaves it out",
					100*share, k.what(), k.text, quoted(k.text))
			}
		}
		for _, way := range []string{broken, blanks, rounded, decimal} {
			k := key{user, way}
			share, example := float64(t.odd[k])/float64(t.total[user]), t.example[k]
			if way == decimal && t.odd[key{user, whole}] == 0 || t.odd[k] == 0 || share < 0.01 && way != broken {
				continue
			}
			say("about %.2g %% of what was read is of a %s like %.40q, which %s; --without-%[2]s=%[5]s leaves it out",
				100*share, k.what(), example, way, quoted(example))
		}
	}
	for i, without := range [][]string{o.WithoutArticles, o.WithoutUsers} {
		user := i == 1
		var most []string
		for _, k := range t.frequent(user) {
			most = append(most, k.text)
		}
		for _, text := range without {
			if k := (key{user, text}); !t.leftOut[k] {
				say("--without-%s=%s leaves nothing out: no line that was read has that %[1]s; the most frequent are %.40[3]q",
					k.what(), quoted(text), most[:min(len(most), 3)])
			}
		}
	}
	return all
}
