package bloom

import "testing"

// Every low, limit and threshold, with bounds that are closer and less close:
// the least number that meets, and no number out of range is asked about.
func TestLeast(t *testing.T) {
	for low := range 4 {
		for limit := range 20 {
			for threshold := range 23 {
				for loose := -1; loose <= threshold; loose++ { // -1 for no bound
					within := func(i int) {
						if i < low || i > limit {
							t.Fatalf("asked about %d, not in %d to %d", i, low, limit)
						}
					}
					var possible func(int) bool
					if loose >= 0 {
						possible = func(i int) bool { within(i); return i >= threshold-loose }
					}
					got := Least(low, limit, possible, func(i int) bool { within(i); return i >= threshold })
					want := max(low, threshold)
					if want > limit {
						want = limit + 1
					}
					if limit >= low && got != want || limit < low && got != limit+1 {
						t.Fatalf("Least(%d, %d) for %d, a bound of %d less: %d, want %d", low, limit, threshold, loose, got, want)
					}
				}
			}
		}
	}
}

// The smallest size, then the fewest hashes, whichever number comes first: the one for the rate, 1, 3, 4 or 5.
func TestFewest(t *testing.T) {
	sizes := map[int]int{1: 9, 2: 7, 3: 5, 4: 5, 5: 6}
	least := func(k, limit int) int {
		if size, ok := sizes[k]; ok {
			return min(size, limit+1)
		}
		return limit + 1
	}
	for _, fpr := range []float64{1. / 2, 1. / 8, 1. / 16, 1. / 32} {
		if size, hashes := Fewest(20, fpr, least); size != 5 || hashes != 3 {
			t.Errorf("%v: %d with %d hashes, want 5 with 3", fpr, size, hashes)
		}
		if size, hashes := Fewest(5, fpr, least); size != 5 || hashes != 3 {
			t.Errorf("%v up to 5: %d with %d hashes, want 5 with 3", fpr, size, hashes)
		}
		if size, hashes := Fewest(4, fpr, least); size != 5 || hashes != 0 {
			t.Errorf("%v up to 4: %d with %d hashes, want none", fpr, size, hashes)
		}
	}
}
