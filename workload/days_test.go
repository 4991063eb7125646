package workload

import (
	"math"
	"testing"
)

// Beyond the horizon users go on as before: over a week of 30000 users, the
// last two days have as many refreshes as the first two (error rate as in near).
// A difference of 4 % would be seen.
func TestDaysAreAlike(t *testing.T) {
	const users, days = 30_000, 7
	population := Daily{seed: 5, users: users, habits: defaultHabits}
	var difference, squared, all float64
	for user := range users {
		v := population.Visitor(user)
		var refreshes [days]int
		last := uint32(0)
		for {
			at, ok := v.Next()
			if ok != (at < Horizon) {
				t.Fatalf("user %d: a refresh at %d is before the horizon: %v", user, at, ok)
			}
			if at < last {
				t.Fatalf("user %d: refresh at %d after one at %d", user, at, last)
			}
			last = at
			if at >= days*day {
				break
			}
			refreshes[at/day]++
		}
		d := float64(refreshes[days-1] + refreshes[days-2] - refreshes[0] - refreshes[1])
		difference, squared = difference+d, squared+d*d
		all += float64(refreshes[0] + refreshes[1])
	}
	near(t, "refreshes of the last two days less those of the first two", difference, squared, users, 0)
	if seen := 4 * math.Sqrt(squared) / all; seen > 0.04 {
		t.Errorf("only a difference of %.1f %% would be seen, want 4 or less", 100*seen)
	}
	if mean := all / users / 2; mean < 2.1 || mean > 2.3 { // 0.73 sessions of 3
		t.Errorf("%.3f refreshes a day, want 2.2", mean)
	}
}
