package catalogue_test

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dejavu/bloom"
	"dejavu/experiments/catalogue"
	"dejavu/strategies/strategytest"
)

// Any window and rate is sized, or refused with the number that is out of range, or else a rate that would have worked,
// and does. Only the caller's numbers and limits are named. Nothing panics, hangs or takes memory.
func TestAbsurdSizes(t *testing.T) {
	sizers := map[string]func(window int, fpr float64) (any, error){
		"bloom.BestGeometry": func(n int, fpr float64) (any, error) { return bloom.BestGeometry(n, fpr) },
	}
	for _, e := range catalogue.All() {
		if e.Sized != nil {
			sizers[e.Name] = func(window int, fpr float64) (any, error) { return e.Sized(window, fpr) }
		}
	}
	nan, inf := math.NaN(), math.Inf(1)
	atLeast := regexp.MustCompile(`(?:fpr is|at) (\S+?), want (?:at least|more than) ([-+.e0-9]+)`)
	for name, size := range sizers {
		for _, window := range []int{math.MinInt, -1, 0, 1, 400, 200_000, 10_000_000, math.MaxInt / 2, math.MaxInt} {
			for _, fpr := range []float64{nan, -inf, -1, 0, 5e-324, 1e-300, 0.02, 1 - 1e-16, 1, inf} {
				what := fmt.Sprintf("%s for %d articles at %v", name, window, fpr)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				_, err := size(window, fpr)
				runtime.ReadMemStats(&after)
				strategytest.AtMost(t, (after.TotalAlloc-before.TotalAlloc)>>20, 300, "%s: MB taken", what)
				if err == nil {
					if window < 1 || !(fpr > 0 && fpr < 1) {
						t.Errorf("%s: made", what)
					}
					continue
				}
				text := err.Error()
				found := atLeast.FindStringSubmatch(text)
				switch {
				case strings.Contains(text, fmt.Sprint("window is ", window, ", want ")),
					strings.Contains(text, fmt.Sprint("n is ", window, ", want 1 to ")),
					strings.Contains(text, fmt.Sprint("fpr is ", fpr, ", want it between 0 and 1")),
					strings.Contains(text, fmt.Sprint("confirmed: a window of ", window, " at ", fpr)):
				case found == nil || found[1] != fmt.Sprint(fpr):
					t.Errorf("%s: %s", what, text)
				default:
					least, _ := strconv.ParseFloat(found[2], 64)
					if _, err := size(window, least); (err != nil || least <= fpr) && !strings.Contains(text, "a list of") {
						t.Errorf("%s: %s; for that: %v", what, text, err)
					}
				}
			}
		}
	}
}

// A slice of answers shorter than the candidates panics or is filled to its end. No kernel writes behind it, or into
// the history.
func TestShortAnswers(t *testing.T) {
	for _, e := range catalogue.All() {
		s := catalogue.Must(e.Make())
		history := s.Record(nil, strategytest.IDs(1, 300))
		candidates := slices.Concat(strategytest.IDs(1, 300), strategytest.IDs(2, 100))
		for _, h := range [][]byte{history, nil} {
			for _, asked := range []int{1, 3, 8, 13, 64, 400} {
				for _, missing := range []int{1, 2, 7, asked} {
					all := slices.Repeat([]bool{true, false}, 250)
					before := bytes.Clone(h)
					length := max(asked-missing, 0)
					func() {
						defer func() { _ = recover() }()
						s.Seen(h, candidates[len(candidates)-asked:], all[:length:length])
					}()
					for i, yes := range all[length:] {
						if yes != ((length+i)%2 == 0) {
							t.Fatalf("%s: of %d asked and %d answers, that after %d is written", e.Name, asked, length, i)
						}
					}
					strategytest.EqualSlices(t, h, before, "%s: Seen changed the history", e.Name)
				}
			}
		}
	}
}
