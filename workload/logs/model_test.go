package logs_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "dejavu/strategies/strategytest/seeded"
	"dejavu/workload/logs"
)

// Users number as a Go map would, through every growth, small keys and large.
func TestUsers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 300).Draw(t, "limit")
		u, err := logs.NewUsers(limit)
		if err != nil {
			t.Fatal(err)
		}
		model := map[uint64]uint32{}
		spread := rapid.Uint64().Draw(t, "spread")
		for range rapid.IntRange(0, 1000).Draw(t, "steps") {
			key := rapid.Uint64Range(0, 400).Draw(t, "key") * spread
			want, known := model[key]
			if !known && len(model) < limit {
				want, known = uint32(len(model)), true
				model[key] = want
			}
			if got, ok := u.Number(key); ok != known || got != want {
				t.Fatalf("Number(%d) = %d, %v; want %d, %v", key, got, ok, want, known)
			}
			if u.Len() != len(model) {
				t.Fatalf("Len %d, want %d", u.Len(), len(model))
			}
		}
	})
	for _, limit := range []int{0, -1} {
		if _, err := logs.NewUsers(limit); err == nil || !strings.Contains(err.Error(), fmt.Sprint(limit)) {
			t.Errorf("NewUsers(%d): %v, want an error", limit, err)
		}
	}
}
