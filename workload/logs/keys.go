package logs

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A key is a user or an article, as some line of the log has it.
type key struct {
	user    bool
	text    string
	leftOut bool  // the options leave it out
	n       int64 // lines that this one stands for
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
	counts  map[key]int64  // of keys with neither leftOut nor n
	total   map[bool]int64 // of users, and of articles
	many    bool           // some were forgotten
	odd     map[key]*key   // by user and the way in which it is damaged: the first such key, and how many
	leftOut map[key]bool
}

func newTally() tally {
	return tally{counts: map[key]int64{}, total: map[bool]int64{}, odd: map[key]*key{}, leftOut: map[key]bool{}}
}

const mostKeys = 1 << 13

// add counts keys. If they are too many, the rare ones are forgotten, and every other count is lowered by as much, at
// most by one in mostKeys of all.
func (t *tally) add(keys []key) {
	for _, k := range keys {
		name := key{user: k.user, text: k.text}
		if k.leftOut {
			t.leftOut[name] = true
			continue
		}
		t.total[k.user] += k.n
		t.counts[name] += k.n
		if way := oddly([]byte(k.text)); way != "" {
			at := key{user: k.user, text: way}
			if t.odd[at] == nil {
				t.odd[at] = &key{text: k.text}
			}
			t.odd[at].n += k.n
		}
	}
	for len(t.counts) > mostKeys {
		t.many = true
		least := slices.Min(slices.Collect(maps.Values(t.counts)))
		maps.DeleteFunc(t.counts, func(_ key, n int64) bool { return n == least })
		for k := range t.counts {
			t.counts[k] -= least
		}
	}
}

// The ways in which a key may be damaged. That a key is a whole number is odd only beside others with .0.
const (
	broken  = "has a control character: a DuckDB query of docs/logs.md cleans it"
	blanks  = "has a blank at an end"
	rounded = "is a number of which a spreadsheet left the last digits out: export it as text"
	decimal = "is a decimal number, where other keys are whole: a DuckDB query that casts it to BIGINT makes them one"
	whole   = "is a whole number"
)

// oddly returns the way in which a key looks damaged, or "".
func oddly(text []byte) string {
	digits := 0
	for _, c := range text {
		if c < 0x20 || c == 0x7f {
			return broken
		}
		if c-'0' <= 9 {
			digits++
		}
	}
	other := len(text) - digits
	mantissa, exponent, _ := bytes.Cut(bytes.ToUpper(text), []byte{'E'})
	point, power := bytes.IndexByte(text, '.'), bytes.TrimPrefix(exponent, []byte{'+'})
	switch {
	case len(text) == 0:
		return ""
	case other == 0:
		return whole
	case bytes.Contains(text, []byte("\ufeff")):
		return broken
	case text[0] == ' ' || text[len(text)-1] == ' ':
		return blanks
	case text[0]-'0' <= 9 && len(power) >= 2 && len(bytes.Trim(power, "0123456789")) == 0 && len(bytes.Trim(mantissa, "0123456789.,")) == 0:
		return rounded
	case other == 1 && point > 0 && len(bytes.Trim(text[point+1:], "0")) == 0:
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
	slices.SortFunc(keys, func(a, b key) int { return cmp.Or(cmp.Compare(t.counts[b], t.counts[a]), cmp.Compare(a.text, b.text)) })
	return keys
}

// leastKeys is how often a key must be there before a tenth of all is remarkable.
const leastKeys = 200

// What missing values look like, in small letters, and what a key may look like as well.
var (
	missing = strings.Split("|-|--|?|na|n/a|#n/a|<na>|nan|nat|null|<null>|(null)|none|nil|\\n|undefined|unknown|(not set)|anonymous", "|")
	perhaps = []string{"0", "-1", "00000000-0000-0000-0000-000000000000"}
)

// warnings names the keys that look like a missing value and have a thousandth of all or more, keys that have a tenth,
// keys that look damaged, and keys to be left out that no line has. A key that may be real, such as 0, must have five
// times what others have.
func (t *tally) warnings(o *Options) (all []string) {
	for _, user := range []bool{true, false} {
		keys := t.frequent(user)
		for _, k := range keys {
			n := t.counts[k]
			share, least, usual := float64(n)/float64(t.total[user]), 0.1, 5/float64(len(keys))
			if t.many {
				usual = 5. / mostKeys
			}
			looks := slices.Contains(missing, strings.ToLower(strings.TrimSpace(k.text)))
			if looks {
				usual = 0
			}
			if looks || slices.Contains(perhaps, k.text) {
				least = 0.001
			}
			if share >= max(least, usual) && (n >= leastKeys || looks && share >= 0.01) {
				all = append(all, fmt.Sprintf("about %.2g %% of what was read is of the %s %.40q: if that is none, "+
					"--without-%[2]s=%[4]s leaves it out", 100*share, k.what(), k.text, quoted(k.text)))
			}
		}
		for _, way := range []string{broken, blanks, rounded, decimal} {
			odd := t.odd[key{user: user, text: way}]
			if odd == nil || way == decimal && t.odd[key{user: user, text: whole}] == nil {
				continue
			}
			if share := float64(odd.n) / float64(t.total[user]); share >= 0.01 || way == broken {
				all = append(all, fmt.Sprintf("about %.2g %% of what was read is of a %s like %.40q, which %s; "+
					"--without-%[2]s=%[5]s leaves it out", 100*share, key{user: user}.what(), odd.text, way, quoted(odd.text)))
			}
		}
	}
	for _, user := range []bool{false, true} {
		without := o.WithoutArticles
		if user {
			without = o.WithoutUsers
		}
		for _, text := range without {
			if k := (key{user: user, text: text}); !t.leftOut[k] {
				var most []string
				for _, k := range t.frequent(user) {
					most = append(most, k.text)
				}
				all = append(all, fmt.Sprintf("--without-%s=%s leaves nothing out: no line that was read has that %[1]s; the "+
					"most frequent are %.40[3]q", k.what(), quoted(text), most[:min(len(most), 3)]))
			}
		}
	}
	return all
}
