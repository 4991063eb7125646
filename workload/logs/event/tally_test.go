package event

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"dejavu/strategies/strategytest"
)

// A key that looks like a missing value is found among many, however late it begins, and one that may be a user where
// it has much more than others have.
func TestSuspects(t *testing.T) {
	for _, c := range []struct {
		name   string
		lines  int
		users  int
		shares map[string]float64
		want   []string
	}{
		{"others alone", 50_000, 20_000, nil, nil},
		{"NA", 50_000, 20_000, map[string]float64{"NA": 0.01}, []string{"NA"}},
		{"null", 50_000, 20_000, map[string]float64{" null ": 0.006}, []string{" null "}},
		{"few NA", 50_000, 20_000, map[string]float64{"NA": 0.0005}, nil},
		{"0 as often as others", 50_000, 100, map[string]float64{"0": 0.01}, nil},
		{"0 more often", 50_000, 10_000, map[string]float64{"0": 0.01}, []string{"0"}},
		{"one of many", 50_000, 20_000, map[string]float64{"bot": 0.2}, []string{"bot"}},
		{"one in a small log", 900, 300, map[string]float64{"bot": 0.2}, nil},
		{"one of three", 50_000, 2, map[string]float64{"c": 0.3}, nil},
	} {
		all := NewTally()
		for from := 0; from < c.lines; from += 1000 {
			block := NewTally()
			for i := from; i < min(from+1000, c.lines); i++ {
				key := fmt.Sprint("user", (i*7919)%c.users)
				for name, share := range c.shares {
					if i >= c.lines/2 && float64(i%1000)/1000 < 2*share {
						key = name
					}
				}
				block.Count(true, []byte(key), 1)
				block.Count(false, []byte("article"+key), 1)
			}
			all.Add(block)
		}
		var got []string
		for _, s := range all.Suspects() {
			if s.User {
				got = append(got, s.Text)
				if math.Abs(s.Share-c.shares[s.Text]) > 0.1*c.shares[s.Text] {
					t.Errorf("%s: %q has %g, want about %g", c.name, s.Text, s.Share, c.shares[s.Text])
				}
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if len(all.counts) > mostKeys {
			t.Errorf("%s: %d keys are kept", c.name, len(all.counts))
		}
	}
}

// A clock of twelve hours has eight hours and more in 200 times, none above 12, and not both 0 and 12.
func TestIsHalf(t *testing.T) {
	for c, want := range map[[3]int]bool{
		{200, 1, 12}: true, {199, 1, 12}: false, {200, 0, 11}: true, {200, 0, 12}: false, {200, 5, 12}: true,
		{200, 6, 12}: false, {200, 1, 13}: false, {200, 12, 23}: false,
	} {
		all := NewTally()
		for i := range c[0] {
			one := NewTally()
			one.Hour(c[1] + i%(c[2]-c[1]+1))
			all.Add(one)
		}
		strategytest.Equal(t, all.IsHalf(), want, "%d times from %d to %d:", c[0], c[1], c[2])
	}
}
