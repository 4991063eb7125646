package event

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Key is a user or an article, as the log has it.
type Key struct {
	User bool
	Text string
}

// what returns "user" or "article".
func (k Key) what() string { return map[bool]string{true: "user", false: "article"}[k.User] }

// A Tally counts keys. It keeps the frequent ones apart, and those that look damaged.
type Tally struct {
	counts  map[Key]int64
	total   map[bool]int64 // of users, and of articles
	many    bool           // some were forgotten
	odd     map[Key]*oddity
	LeftOut map[Key]bool // those that the options leave out, which are not counted
}

// An oddity is how many keys look damaged in one way, and the first of them. Key.Text in Tally.odd is the way.
type oddity struct {
	count   int64
	example string
}

// NewTally returns an empty tally.
func NewTally() Tally {
	return Tally{counts: map[Key]int64{}, total: map[bool]int64{}, odd: map[Key]*oddity{}, LeftOut: map[Key]bool{}}
}

const mostKeys = 1 << 13

// Count counts a key n times.
func (t *Tally) Count(user bool, key []byte, n int64) {
	t.total[user] += n
	if n == 0 {
		return
	}
	if len(t.counts) < mostKeys {
		t.counts[Key{user, string(key)}] += n
	}
	if way := oddly(key); way != "" {
		t.addOdd(Key{user, way}, oddity{n, string(key)})
	}
}

func (t *Tally) addOdd(way Key, o oddity) {
	if t.odd[way] == nil {
		t.odd[way] = &oddity{0, o.example}
	}
	t.odd[way].count += o.count
}

// The ways in which a key may be damaged. That a key is a whole number, is odd only beside others with .0.
const (
	broken  = "has a line's end or another control character: a stray quote may have joined lines (--quote none takes quotes as they are)"
	blanks  = "has a blank at an end"
	rounded = "is a number of which a spreadsheet left the last digits out: export it as text"
	decimal = "is a decimal number, where other keys are whole: a DuckDB query that casts it to BIGINT makes them one"
	whole   = "is a whole number"
)

// oddly returns the way in which a key looks damaged, or "".
func oddly(key []byte) string {
	if len(key) == 0 {
		return ""
	}
	digits, other := 0, 0
	for _, c := range key {
		switch {
		case c < 0x20 || c == 0x7f:
			return broken
		case c-'0' <= 9:
			digits++
		default:
			other++
		}
	}
	switch {
	case other == 0:
		return whole
	case bytes.Contains(key, []byte("\ufeff")):
		return broken
	case key[0] == ' ' || key[len(key)-1] == ' ':
		return blanks
	case other > 3 || digits < 2 || key[0]-'0' > 9:
		return ""
	}
	mantissa, exponent, isPower := bytes.Cut(bytes.ToUpper(key), []byte{'E'})
	point, end := bytes.IndexByte(key, '.'), bytes.TrimPrefix(exponent, []byte{'+'})
	switch {
	case isPower && len(end) >= 2 && len(bytes.Trim(end, "0123456789")) == 0 && len(bytes.Trim(mantissa, "0123456789.,")) == 0:
		return rounded
	case other == 1 && point > 0 && len(bytes.Trim(key[point+1:], "0")) == 0:
		return decimal
	}
	return ""
}

// Add adds what was counted elsewhere. If keys are too many, the rare ones are forgotten, and every other count is lowered
// by as much, at most by one in mostKeys of all.
func (t *Tally) Add(others Tally) {
	maps.Copy(t.LeftOut, others.LeftOut)
	for way, o := range others.odd {
		t.addOdd(way, *o)
	}
	for key, n := range others.counts {
		t.counts[key] += n
	}
	for user, n := range others.total {
		t.total[user] += n
	}
	for len(t.counts) > mostKeys {
		t.many = true
		least := slices.Min(slices.Collect(maps.Values(t.counts)))
		maps.DeleteFunc(t.counts, func(_ Key, n int64) bool { return n == least })
		for key := range t.counts {
			t.counts[key] -= least
		}
	}
}

// keys returns the users, or the articles, that were counted, the most frequent first.
func (t *Tally) keys(user bool) (texts []string) {
	for key := range t.counts {
		if key.User == user {
			texts = append(texts, key.Text)
		}
	}
	slices.SortFunc(texts, func(a, b string) int {
		return cmp.Or(cmp.Compare(t.counts[Key{user, b}], t.counts[Key{user, a}]), cmp.Compare(a, b))
	})
	return texts
}

// leastKeys is how often a key must be there before a tenth of all is remarkable.
const leastKeys = 200

// missing reports whether a key looks like a missing value, or, if it may be a key as well, perhaps.
func missing(key string) (looks, perhaps bool) {
	switch strings.ToLower(strings.TrimSpace(key)) {
	case "", "-", "--", "?", "na", "n/a", "#n/a", "<na>", "nan", "nat", "null", "<null>", "(null)", "none", "nil", `\n`,
		"undefined", "unknown", "(not set)", "anonymous":
		return true, false
	case "0", "-1", "00000000-0000-0000-0000-000000000000":
		return false, true
	}
	return false, false
}

// Warnings names the keys that look like a missing value and have a thousandth of all or more, keys that have a tenth,
// keys that look damaged, and keys to be left out that no line has. A key that may be real, such as 0, must have five
// times what others have.
func (t *Tally) Warnings(without []Key, quoted func(string) string) (all []string) {
	for _, user := range []bool{true, false} {
		keys := t.keys(user)
		for _, text := range keys {
			key := Key{user, text}
			n := t.counts[key]
			share, least, usual := float64(n)/float64(t.total[user]), 0.1, 5/float64(len(keys))
			if t.many {
				usual = 5. / mostKeys
			}
			looks, perhaps := missing(text)
			if looks {
				usual = 0
			}
			if looks || perhaps {
				least = 0.001
			}
			if share >= max(least, usual) && (n >= leastKeys || looks && share >= 0.01) {
				all = append(all, fmt.Sprintf("about %.2g %% of what was read is of the %s %.40q: if that is none, "+
					"--without-%[2]s=%[4]s leaves it out", 100*share, key.what(), text, quoted(text)))
			}
		}
		for _, way := range []string{broken, blanks, rounded, decimal} {
			o := t.odd[Key{user, way}]
			if o == nil || way == decimal && t.odd[Key{user, whole}] == nil {
				continue
			}
			if share := float64(o.count) / float64(t.total[user]); share >= 0.01 || way == broken {
				all = append(all, fmt.Sprintf("about %.2g %% of what was read is of a %s like %.40q, which %s; "+
					"--without-%[2]s=%[5]s leaves it out", 100*share, Key{User: user}.what(), o.example, way, quoted(o.example)))
			}
		}
	}
	for _, k := range without {
		if !t.LeftOut[k] {
			most := t.keys(k.User)
			all = append(all, fmt.Sprintf("--without-%s=%s leaves nothing out: no line that was read has that %[1]s; the "+
				"most frequent are %.40[3]q", k.what(), quoted(k.Text), most[:min(len(most), 3)]))
		}
	}
	return all
}
