package logs_test

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"dejavu/strategies"
	_ "dejavu/strategies/strategytest/seeded"
	"dejavu/workload/logs"
)

// Whatever its fields hold, what encoding/csv writes is read as it was meant.
func TestCSVModel(t *testing.T) {
	field := rapid.StringOfN(rapid.RuneFrom([]rune{'a', 'b', ' ', '"', ',', '\n', '\r', 'é'}), 1, 6, -1)
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		w := csv.NewWriter(&text)
		w.UseCRLF = rapid.Bool().Draw(t, "crlf")
		if err := w.Write([]string{"user", "article", "time"}); err != nil {
			t.Fatal(err)
		}
		for i := range rapid.IntRange(0, 20).Draw(t, "rows") {
			// The writer drops a lone \r, and a field must not become empty.
			if err := w.Write([]string{field.Draw(t, "user") + "u", field.Draw(t, "article") + "a", fmt.Sprint(i)}); err != nil {
				t.Fatal(err)
			}
		}
		w.Flush()
		records, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		l, err := logs.New(strings.NewReader(text.String()), "log", logs.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		i := 0
		for e := range eventsOf(l) {
			i++
			if i >= len(records) || e.User != uint64(strategies.XXHashString(records[i][0])) ||
				e.Article != strategies.XXHashString(records[i][1]) {
				t.Fatalf("event %d of %q is not %q", i, text.String(), records[min(i, len(records)-1)])
			}
		}
		if i != len(records)-1 || l.Err() != nil {
			t.Fatalf("%d events of %q, want %d; error %v", i, text.String(), len(records)-1, l.Err())
		}
	})
}

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
