package elsewhere

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"dejavu/live/exposure"
	"dejavu/live/exposure/exposuretest"
	"dejavu/live/servers"
	"dejavu/store"
	"dejavu/strategies"
)

func histories(t testing.TB, strategy string) Histories {
	return Histories{
		Layout: exposuretest.Layout(t, strategy), Secret: exposuretest.Secret(t), Idle: time.Hour,
		Clock: func() store.Timestamp { return 100 },
	}
}

// server starts a Redis of the test's own; without one the test is left out.
func server(t testing.TB) string {
	t.Helper()
	p, err := servers.StartRedis(t.Context(), t.TempDir())
	if errors.Is(err, servers.ErrNoRedis) {
		t.Skip("left out: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Kill() })
	return p.Address
}

func open(t testing.TB, address, strategy string) *Redis {
	t.Helper()
	r, err := NewRedis(t.Context(), Options{Address: address, Histories: histories(t, strategy)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// Two services over one Redis, many callers: no article is shown twice, none is lost, and
// the histories are what the strategy makes.
func TestRedis(t *testing.T) {
	address := server(t)
	both := []*Redis{open(t, address, "queue"), open(t, address, "queue")}
	crowd := exposuretest.Crowd{Users: 3, Articles: 60}
	crowd.Show(t, 6, both[0], both[1])
	crowd.Remembered(t, both[0])
	r := both[0]
	ask := exposure.Show{User: "ann", Request: 7, Candidates: []strategies.ID{1, 2, 3}, Limit: 2}
	for range 2 { // the second time the answer was lost
		one := []exposure.Show{ask}
		if err := r.ShowAll(t.Context(), one); err != nil || fmt.Sprint(one[0].Shown) != "[1 2]" {
			t.Errorf("show: %v, %v", one[0].Shown, err)
		}
		if err := r.Record(t.Context(), "bob", 9, []strategies.ID{5}); err != nil {
			t.Error(err)
		}
	}
	seen := make([]bool, 3)
	if err := r.Seen(t.Context(), "ann", ask.Candidates, seen); err != nil || fmt.Sprint(seen) != "[true true false]" {
		t.Errorf("seen %v, %v", seen, err)
	}
	secret := r.h.Secret
	salt := secret.Salt(uint64(secret.DigestString("bob")))
	want := r.h.Layout.Record(nil, salt.Append(nil, []strategies.ID{5}))
	if got, err := r.History(t.Context(), "bob"); err != nil || !bytes.Equal(got, want) {
		t.Errorf("a history of %d bytes, %v, want %d", len(got), err, len(want))
	}
	if err := r.Forget(t.Context(), "bob"); err != nil {
		t.Error(err)
	}
	if got, err := r.History(t.Context(), "bob"); err != nil || len(got) > 0 {
		t.Errorf("after Forget: %d bytes, %v", len(got), err)
	}
	if _, err := NewRedis(t.Context(), Options{Address: address, Histories: histories(t, "chain")}); !errors.Is(err, store.ErrMismatch) || !strings.Contains(err.Error(), `want "strategy chain`) {
		t.Errorf("another strategy: %v", err)
	}
	if err := r.Ready(); err != nil {
		t.Error(err)
	}
	key, _ := r.user("eve")
	if err := r.client.Set(t.Context(), key, "nothing that a service wrote", 0).Err(); err != nil {
		t.Fatal(err)
	}
	if err := r.Seen(t.Context(), "eve", ask.Candidates, seen); err == nil || !strings.Contains(err.Error(), "want at least 13") && !strings.Contains(err.Error(), "queue:") {
		t.Errorf("a value of somebody else's: %v", err)
	}
}

// No bytes make the decoder panic; what it takes is written so.
func FuzzValue(f *testing.F) {
	h := histories(f, "chain")
	v := Value{last: 1, request: 2, shown: []strategies.ID{3}, History: h.Layout.Record(nil, []strategies.ID{3})}
	f.Add(v.Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := h.Decode(bytes.Clone(b))
		if err == nil && len(b) > 0 && !bytes.Equal(v.Append(nil), b) {
			t.Errorf("%x is taken for %+v", b, v)
		}
	})
}
