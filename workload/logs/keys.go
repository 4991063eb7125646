package logs

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"dejavu/strategies"
)

// A tally counts users or articles, if there are many only the frequent ones, and keys that look damaged.
type tally struct {
	role    string
	without []string // keys that the options leave out
	counts  map[string]int64
	total   int64
	most    int               // the largest length of counts, of which rare keys were dropped
	odd     map[string]int64  // by way (see ways)
	example map[string]string // the first of them
	leftOut map[string]bool   // of without, the keys that were read
	written map[string]string // the first key by plain text, for one plain text in every
	every   uint64            // a power of two, larger for a long log
	again   int64             // keys that came when their plain text was in written
}

func newTally(role string, without []string) tally {
	return tally{
		role: role, without: without, counts: map[string]int64{}, odd: map[string]int64{}, example: map[string]string{},
		leftOut: map[string]bool{}, written: map[string]string{}, every: 1,
	}
}

const mostKeys = 1 << 13

// add counts a key n times. If there are too many keys, it drops rare ones and lowers every other count equally, at
// most by one in mostKeys of all.
func (t *tally) add(key string, n int64) {
	t.total += n
	t.counts[key] += n
	t.most = max(t.most, len(t.counts))
	t.addOdd(key, t.oddly(key), n)
	for len(t.counts) > 2*mostKeys {
		least := slices.Min(slices.Collect(maps.Values(t.counts)))
		maps.DeleteFunc(t.counts, func(_ string, n int64) bool { return n == least })
		for k := range t.counts {
			t.counts[k] -= least
		}
	}
	text := plain(key)
	if t.skips(text, "") {
		return
	}
	if first, isWritten := t.written[text]; !isWritten {
		t.written[text] = key
	} else if t.again += n; first != key {
		t.addOdd(key, twice, n)
	}
	for len(t.written) > 2*mostKeys {
		t.every *= 2
		maps.DeleteFunc(t.written, t.skips)
	}
}

func (t *tally) addOdd(key, way string, n int64) {
	t.odd[way] += n
	t.example[way] = cmp.Or(t.example[way], key)
}

// skips reports whether written leaves out this plain text.
func (t *tally) skips(plain, _ string) bool {
	return uint64(strategies.XXHash([]byte(plain)))&(t.every-1) != 0
}

// plain returns a key without capitals, leading zeros, commas, accents of their own and other notations of numbers.
func plain(text string) string {
	text = strings.ReplaceAll(text, ",", "")
	if n, err := strconv.ParseFloat(text, 64); err == nil && n == math.Trunc(n) && math.Abs(n) < 1<<53 {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return strings.TrimLeft(strings.ToLower(norm.NFC.String(text)), "0")
}

const (
	broken  = "has a control character, or is no UTF-8: a DuckDB query of docs/logs.md cleans it"
	rounded = "is a number of which a spreadsheet left the last digits out: export it as text"
	listed  = "may be a list: a DuckDB query of docs/logs.md splits it, and --list none takes it for one article"
	twice   = "other lines write with other capitals, zeros, commas or accents: lower(), nfc_normalize() or " +
		"CAST(... AS BIGINT) in a DuckDB query writes both alike"
)

// ways lists how damaged keys look. The first match counts.
var ways = []struct {
	way  string
	like *regexp.Regexp
}{
	{broken, regexp.MustCompile(`[\x00-\x1f\x7f\x{200b}\x{200e}\x{200f}\x{feff}\x{fffd}]`)},
	{"has a blank at an end", regexp.MustCompile(`^[\pZ\x{85}]|[\pZ\x{85}]$`)},
	{rounded, regexp.MustCompile(`^\d[\d.,]*[eE](\+\d+|\d\d+)$|^\d{15}0{3,}$`)},
}

// oddly returns the way in which a key looks damaged, or "".
func (t *tally) oddly(key string) string {
	for _, w := range ways {
		if w.like.MatchString(key) {
			return w.way
		}
	}
	if t.role == "article" && key != "" && separates([]byte(key)) {
		return listed
	}
	return ""
}

// missing lists what missing values look like, in lower case.
var missing = strings.Split("|-|--|?|0|-1|na|n/a|#n/a|#ref!|#value!|<na>|nan|nat|null|<null>|(null)|none|nil|\\n|"+
	"undefined|unknown|(not set)|anonymous|guest|00000000-0000-0000-0000-000000000000", "|")

// warnings reports keys that look like a missing value and are a thousandth or more, keys that are a tenth and five
// times any other, keys that look damaged or are written in two ways, and keys to leave out that no line has.
func (t *tally) warnings(o *Options) (all []string) {
	say := func(format string, values ...any) { all = append(all, fmt.Sprintf(format, values...)) }
	keys := slices.SortedFunc(maps.Keys(t.counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(t.counts[b], t.counts[a]), cmp.Compare(a, b))
	})
	usual := 500 / float64(t.most) // five times the mean
	for _, key := range keys {
		n, looks := t.counts[key], slices.Contains(missing, strings.ToLower(strings.TrimSpace(key)))
		share := 100 * float64(n) / float64(t.total)
		isFrequent := share >= max(10, usual) && n >= 200
		isMissing := looks && (share >= 1 || share >= 0.1 && n >= 200) && (key != "0" || share >= usual)
		if isFrequent || isMissing {
			say("about %.3g %% of what was read is of the %s %.40q: if that is none, --without-%[2]s=%[4]s leaves it out",
				share, t.role, key, quoted(key))
		}
	}
	for _, way := range slices.Sorted(maps.Keys(t.odd)) {
		share, example := 100*float64(t.odd[way])/float64(t.total), t.example[way]
		if way == twice { // in the part of a long log that was read, few keys repeat
			share = 100 * float64(t.odd[way]) / float64(t.again)
		}
		if way != "" && (share >= 1 || way == broken) && (way != listed || !o.listNamed) {
			say("about %.3g %% of what was read is of %ss like %.40q, which %s; --without-%[2]s=%[5]s leaves it out",
				share, t.role, example, way, quoted(example))
		}
	}
	for _, key := range t.without {
		if !t.leftOut[key] {
			say("--without-%s=%s leaves nothing out: no line that was read has that %[1]s; the most frequent are %.40[3]q",
				t.role, quoted(key), keys[:min(len(keys), 3)])
		}
	}
	return all
}
