package catalogue_test

import (
	"fmt"
	"math"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"dejavu/bloom"
	"dejavu/experiments/catalogue"
)

// Windows and rates of any kind are sized, or refused with the caller's numbers and no others but limits: the one that
// is out of range, and where none is a rate that would have worked, which does. Nothing panics, hangs or takes memory.
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
			if name == "beyond/stable" && window > 400 && window < 1e6 {
				continue // a search of seconds
			}
			for _, fpr := range []float64{nan, -inf, -1, 0, 5e-324, 1e-300, 0.02, 1 - 1e-16, 1, inf} {
				what := fmt.Sprintf("%s for %d articles at %v", name, window, fpr)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				_, err := size(window, fpr)
				runtime.ReadMemStats(&after)
				if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 300 {
					t.Errorf("%s: it takes %d MB", what, mb)
				}
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
					strings.Contains(text, fmt.Sprint("confirmed: for a window of ", window, " at ", fpr)):
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
