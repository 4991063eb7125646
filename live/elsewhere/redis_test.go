package elsewhere

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"dejavu/live/exposure"
	"dejavu/live/layout"
	"dejavu/store"
	"dejavu/strategies"
)

func layoutOf(t testing.TB, name string) layout.Layout {
	t.Helper()
	l, err := layout.Make(layout.Choice{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func histories(t testing.TB, strategy string) Histories {
	return Histories{Layout: layoutOf(t, strategy), Secret: secret, Idle: time.Hour, Clock: func() store.Timestamp { return 100 }}
}

var secret, _ = strategies.NewSecret([]byte("0123456789abcdef"))

// server starts a Redis of the test's own; without one the test is left out.
func server(t testing.TB) string {
	t.Helper()
	program, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skip("left out: there is no redis-server")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	_, port, _ := net.SplitHostPort(address)
	cmd := exec.Command(program, "--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", t.TempDir())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for range 500 {
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			return address
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("redis-server does not listen")
	return ""
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
	const users, articles = 3, 60
	all := make([]strategies.ID, articles)
	for i := range all {
		all[i] = strategies.ID(i+1) * 0x9e3779b97f4a7c15
	}
	var mu sync.Mutex
	shown := map[string]int{}
	var group sync.WaitGroup
	for w := range 6 {
		group.Go(func() {
			for range articles / 6 {
				var requests []exposure.Show
				for u := range users {
					requests = append(requests, exposure.Show{User: fmt.Sprint("user ", u), Candidates: all, Limit: 1})
				}
				if err := both[w%2].ShowAll(t.Context(), requests); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				for _, r := range requests {
					for _, id := range r.Shown {
						shown[fmt.Sprint(r.User, id)]++
					}
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	if len(shown) != users*articles {
		t.Errorf("%d articles of users were shown, want %d", len(shown), users*articles)
	}
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
