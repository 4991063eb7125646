package logs

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"dejavu/strategies/strategytest"
)

// A counted reader counts the files that are open.
type counted struct {
	io.Reader
	open *int
}

func (c counted) Close() error {
	*c.open--
	return nil
}

// One file is open at a time, and none once the log was closed, however it ended.
func TestFilesAreClosed(t *testing.T) {
	const good = "user,article,time\n1,2,1573808122\n1,3,1573808123\n"
	for _, text := range []string{good, "", "PK\x03\x04", "\x1f\x8bx", "(\xb5/\xfd\x00\x00", "other\n", good + "torn\n"} {
		for requests := range 5 {
			open := 0
			s := source{"log", func() (io.ReadCloser, error) {
				open++
				strategytest.Equal(t, open, 1, "%q: open files", text)
				return counted{strings.NewReader(text), &open}, nil
			}}
			l := strategytest.Value(newLog(t.Context(), Options{ByTime: true}, []source{s, s}, 0))
			for range requests {
				l.NextRequest()
			}
			l.Close()
			strategytest.Equal(t, open, 0, "%q: open files after %d requests", text, requests)
		}
	}
}

// The times that are said are in UTC, wherever the program runs.
func init() { time.Local = time.FixedZone("elsewhere", 19800) }

// Keys in two ways are found among more keys than a tally remembers.
func TestManyKeys(t *testing.T) {
	tally := newTally("user", nil)
	for i := range 10 * mostKeys {
		tally.add(fmt.Sprint("U", i%(5*mostKeys)), 1)
	}
	strategytest.Equal(t, len(tally.warnings(&Options{})), 0, "warnings of capitals alone")
	for i := range 5 * mostKeys {
		tally.add(fmt.Sprint("u", i), 1)
	}
	strategytest.Equal(t, max(len(tally.written), len(tally.counts)) <= 2*mostKeys, true, "keys are forgotten")
	if said := fmt.Sprint(tally.warnings(&Options{})); !strings.HasPrefix(said, "[about 50 % of what was read is of users like") {
		t.Error(said)
	}
}

// Begin reads ahead, and nothing of it is lost or comes twice, also if the log turns out to be unsorted.
func TestBegin(t *testing.T) {
	for _, n := range []int{1, 2, sampled, 2*sampled + 7} {
		for _, byTime := range []bool{false, true} {
			o, input := Options{ByTime: byTime}, files([]string{unsorted(n)}, make([]int, 1))
			l := strategytest.Value(newLog(t.Context(), o, input, 0))
			strategytest.Must(t, l.Begin())
			strategytest.Equal(t, len(l.Said()), min(n, 3), "events that are said")
			strategytest.Equal(t, l.Said()[0], `"1" was shown "2" at 2020-09-13 12:26:40 UTC`, "the first")
			requests, anew := all(t, l)
			strategytest.Equal(t, len(requests), n, "requests, begun anew %d times", anew)
			strategytest.Equal(t, anew, 0, "begun anew")
			for i, r := range requests {
				want := int64(1_600_000_000 - i)
				if byTime {
					want = int64(1_600_000_000 - n + 1 + i)
				}
				strategytest.Equal(t, r[0].Request, uint64(i), "number of a request of %d", n)
				strategytest.Equal(t, r[0].Time, want, "time of request %d of %d", i, n)
			}
			l.Close()
			l = strategytest.Value(newLog(t.Context(), Options{}, files([]string{unsorted(n)}, make([]int, 1)), 0))
			strategytest.Must(t, cmp.Or(l.Begin(), l.Close()))
			strategytest.Equal(t, len(l.NextRequest()), 0, "events after Close")
		}
	}
}
