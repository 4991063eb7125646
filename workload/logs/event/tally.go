package event

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"
	"strings"
)

// A Key is a user or an article, as the log has it.
type Key struct {
	User bool
	Text string
}

// A Tally counts keys, of which it tells so many apart as to find those that many lines have.
type Tally struct {
	counts  map[Key]int64
	total   map[bool]int64 // of users, and of articles
	many    bool           // some were forgotten
	hours   uint32         // of the day that times name, a bit each
	timed   int64          // times that name one
	LeftOut map[Key]bool   // those that the options leave out, which are not counted
}

// NewTally has counted nothing.
func NewTally() Tally {
	return Tally{counts: map[Key]int64{}, total: map[bool]int64{}, LeftOut: map[Key]bool{}}
}

const mostKeys = 1 << 13

// Count counts a key so many times.
func (t *Tally) Count(user bool, key []byte, times int64) {
	t.total[user] += times
	if times > 0 && len(t.counts) < mostKeys {
		t.counts[Key{user, string(key)}] += times
	}
}

// Hour counts a time that names this hour of the day, 0 to 23.
func (t *Tally) Hour(hour int) { t.hours, t.timed = t.hours|1<<hour, t.timed+1 }

// IsHalf is whether 200 times or more name eight hours or more, all of a clock of twelve: 1 to 12, or 0 to 11. If one
// time in twenty is in another hour, 200 independent ones are all in these with a chance of 4 in 100,000.
func (t *Tally) IsHalf() bool {
	return t.timed >= 200 && bits.OnesCount32(t.hours) >= 8 && (t.hours&^0x1ffe == 0 || t.hours&^0xfff == 0)
}

// Add adds what was counted elsewhere. Where keys are too many, what is rare is forgotten, and with it as much of every
// other count, at most one in mostKeys of all.
func (t *Tally) Add(others Tally) {
	maps.Copy(t.LeftOut, others.LeftOut)
	t.hours |= others.hours
	t.timed += others.timed
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

// Keys are the users, or the articles, that were counted, the most frequent first.
func (t *Tally) Keys(user bool) (texts []string) {
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

// A Suspect is a key that may stand for no user, or no article, and about which share of all it has.
type Suspect struct {
	Key
	Share float64
}

// leastKeys is how often a key is there before its share says anything, but for a great share that looks like nobody.
const leastKeys = 200

// Suspects are the keys that look like a missing value, from a thousandth of all on, and those with a tenth or more,
// users first. What may well be a key, as 0, is none where it has less than five times what others have.
func (t *Tally) Suspects() (all []Suspect) {
	for _, user := range []bool{true, false} {
		keys := t.Keys(user)
		for _, text := range keys {
			n := t.counts[Key{user, text}]
			share, least, usual := float64(n)/float64(t.total[user]), 0.1, 5/float64(len(keys))
			if t.many {
				usual = 5. / mostKeys
			}
			switch strings.ToLower(strings.TrimSpace(text)) {
			case "", "-", "na", "n/a", "nan", "null", "none", "nil", `\n`, "undefined", "unknown", "(not set)", "anonymous":
				least, usual = 0.001, 0
			case "0", "-1", "00000000-0000-0000-0000-000000000000":
				least = 0.001
			}
			if share >= max(least, usual) && (n >= leastKeys || usual == 0 && share >= 0.05) {
				all = append(all, Suspect{Key{user, text}, share})
			}
		}
	}
	return all
}
