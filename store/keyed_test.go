package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"

	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// secret returns a secret from a known key.
func secret(tb testing.TB, key string) strategies.Secret {
	tb.Helper()
	return strategytest.Value(strategies.NewSecret([]byte(key + strings.Repeat(".", strategies.SecretBytes))))
}

// keyed returns a store of users with keys, checked and cleared when the test ends.
func keyed[U store.User](tb testing.TB, c store.Config) *store.Store[U] {
	tb.Helper()
	if c.Secret.IsZero() {
		c.Secret = secret(tb, "keyed")
	}
	s := strategytest.Value(store.New[U](c))
	tb.Cleanup(func() {
		strategytest.Must(tb, s.Check())
		s.Clear()
	})
	return s
}

// An index finds everybody at every size, takes at most 14 bytes a user at any but the smallest, on the way down as on
// the way up (there a third more), and nothing to speak of when all have gone.
func TestIndexGrows(t *testing.T) {
	if testing.Short() {
		t.Skip("many users")
	}
	const users = 200_000
	s := keyed[uint64](t, store.Config{Strategy: climb{8}, Shards: 1})
	most := 0.
	for n := range uint64(users) {
		s.Record(n, 0, shownOne)
		if n >= 10_000 && n%977 == 0 {
			// The entry of a numbered user has 8 bytes, too.
			most = max(most, float64(s.IndexBytes())/float64(n+1)-8)
		}
	}
	if most > 14 || most < 3 { // three of the hash
		t.Errorf("the index takes up to %.2f bytes a user", most)
	}
	t.Logf("at most %.2f bytes a user from 10,000 to 200,000 users", most)
	shrunk := 0.
	for n := range uint64(users) {
		if got := s.Size(n, 0); got != 8 {
			t.Fatalf("user %d of %d has %d bytes, want 8", n, users, got)
		}
		s.Remove(n)
		if left := users - n - 1; left >= 10_000 && n%977 == 0 {
			shrunk = max(shrunk, float64(s.IndexBytes())/float64(left)-8)
		}
	}
	// As it shrinks it has two thirds of the users to a bucket.
	if shrunk > 19 || s.IndexBytes() > 1024 {
		t.Errorf("as users leave the index takes up to %.2f bytes for each of the others, and %d in the end", shrunk,
			s.IndexBytes())
	}
	if st := s.Stats(); st.Users != 0 || st.Payload != 0 {
		t.Fatalf("%d users are left", st.Users)
	}
}

// A request allocates nothing beyond its articles.
func TestKeyedDoesNotAllocate(t *testing.T) {
	s := keyed[string](t, store.Config{Strategy: flat, Idle: store.Day})
	names := make([]string, 1000)
	for i := range names {
		names[i] = fmt.Sprint("user ", i)
		s.Record(names[i], 0, shownOne)
	}
	candidates, seen, dst := make([]strategies.ID, 40), make([]bool, 0, 40), make([]int, 0, 40)
	for i := range candidates {
		candidates[i] = strategies.ID(i) << 50
	}
	s.Show(names[0], 0, candidates, 10, dst)
	requests := make([]store.Request[string], 40)
	i := 0
	for what, f := range map[string]func(name string){
		"Seen":   func(name string) { s.Seen(name, 1, candidates, seen) },
		"Record": func(name string) { s.Record(name, 1, candidates[:10]) },
		"Show":   func(name string) { s.Show(name, 1, candidates, 10, dst) },
		"ShowAll": func(string) {
			for j := range requests {
				requests[j] = store.Request[string]{User: names[(i+j)%1000], Candidates: candidates, Limit: 10, Shown: dst}
			}
			s.ShowAll(1, requests)
		},
	} {
		for _, name := range names { // scratch memory comes with a shard's first long request
			f(name)
			i++
		}
		strategytest.Equal(t, testing.AllocsPerRun(100, func() { f(names[i%1000]); i++ }), 0,
			"%s allocates times a call", what)
	}
}

type (
	row   int16
	email string
)

// Every type of integers and strings is a key, even the caller's own types, to the ends of its range. The kind of keys
// is pinned in snapshots, and an integer is the same user as an int64 of its value.
func TestUserTypes(t *testing.T) {
	userType(t, func(u int) int64 { return int64(u) }, math.MinInt, -1, 0, 1, math.MaxInt)
	userType(t, func(u int8) int64 { return int64(u) }, -128, -1, 0, 1, 127)
	userType(t, func(u row) int64 { return int64(u) }, -32768, -256, -1, 0, 255, 256, 32767)
	userType(t, func(u int32) int64 { return int64(u) }, math.MinInt32, -1, 0, math.MaxInt32)
	userType(t, func(u int64) int64 { return u }, math.MinInt64, -1, 0, math.MaxInt64)
	userType(t, func(u uint) int64 { return int64(u) }, 0, 1, math.MaxUint)
	userType(t, func(u uint8) int64 { return int64(u) }, 0, 127, 128, 255)
	userType(t, func(u uint16) int64 { return int64(u) }, 0, 32767, 32768, 65535)
	userType(t, func(u uint32) int64 { return int64(u) }, 0, math.MaxInt32, 1<<31, math.MaxUint32)
	userType(t, func(u uint64) int64 { return int64(u) }, 0, 1<<63, math.MaxUint64)
	userType(t, func(u uintptr) int64 { return int64(u) }, 0, math.MaxUint32)
	userType(t, nil, "", "ann", "bob", strings.Repeat("long", 100))
	userType(t, nil, email(""), "ann@example")
	numbered[int8](t, 128, 127)
	numbered[uint8](t, 256, 255)
	numbered[row](t, 32768, 32767)
	numbered[uint16](t, 65536, 65535)
	numbered[int32](t, 70_000, 69_999)
	numbered[uintptr](t, 70_000, 69_999)
	strategytest.ErrorSays(t, "numbered strings",
		strategytest.ErrorOf(store.New[email](store.Config{Strategy: flat, Users: 7})),
		"Users is 7 for users of type store_test.email")
}

func userType[U store.User](t *testing.T, wide func(U) int64, users ...U) {
	t.Helper()
	c := store.Config{Strategy: ladder{stride: 8}, Secret: secret(t, "types"), Shards: 3}
	s := keyed[U](t, c)
	record := func(n int) (articles []strategies.ID) {
		for i := range n + 1 {
			articles = append(articles, strategies.ID(i+1))
		}
		return articles
	}
	for i, u := range users {
		s.Record(u, 0, record(i))
	}
	var file bytes.Buffer
	strategytest.Value(s.WriteSnapshot(t.Context(), &file, about, 0, nil))
	again, _, err := store.ReadSnapshot[U](t.Context(), bytes.NewReader(file.Bytes()), c, about)
	strategytest.Must(t, err)
	for i, u := range users {
		if got := strategytest.Count(again.Seen(u, 0, record(99), nil)); got != i+1 {
			t.Errorf("%T %v has seen %d articles, want %d", u, u, got, i+1)
		}
		again.Remove(u)
	}
	strategytest.Equal(t, again.Stats().Users, 0, "%T: users are left", users)
	known := byte(2) // in the header, by strings
	if wide != nil {
		known = 1
		longer, _, err := store.ReadSnapshot[int64](t.Context(), bytes.NewReader(file.Bytes()), c, about)
		strategytest.Must(t, err)
		for i, u := range users {
			strategytest.Equal(t, strategytest.Count(longer.Seen(wide(u), 0, record(99), nil)), i+1, "%T %v: seen", u, u)
		}
	}
	strategytest.Equal(t, file.Bytes()[32], known, "%T: known by", users)
}

// numbered fails unless most users of a type can be numbered, last is the last, and there can be no more if the type
// is short.
func numbered[U store.User](t *testing.T, most int, last U) {
	t.Helper()
	s := strategytest.Value(store.New[U](store.Config{Strategy: flat, Users: most}))
	s.Record(last, 0, shownOne)
	if at, ok := s.Last(last); !ok || at != 0 || s.Stats().Users != 1 {
		t.Errorf("%T: the last user is not there", last)
	}
	if _, err := store.New[U](store.Config{Strategy: flat, Users: most + 1}); most <= 1<<16 {
		strategytest.ErrorSays(t, "one more", err, fmt.Sprintf("want at most the %d numbers of the type", most))
	}
}

// A snapshot of users with keys is read under the same secret and for the same kind of key; the secret is named in
// errors and not given away.
func TestKeyedSnapshot(t *testing.T) {
	c := store.Config{Strategy: ladder{stride: 8}, Idle: 100, Shards: 5, Secret: secret(t, "kept")}
	s := keyed[string](t, c)
	s.Record("ann", 150, shownOne)
	var file bytes.Buffer
	saved := strategytest.Value(s.WriteSnapshot(t.Context(), &file, about, 150, nil))
	if saved.Type != "string" || !saved.Salted || saved.Fingerprint != c.Secret.Fingerprint() || saved.Users != 0 {
		t.Errorf("the snapshot says %+v", saved)
	}
	other := c
	other.Shards = 11
	_, read, err := store.ReadSnapshot[string](t.Context(), bytes.NewReader(file.Bytes()), other, about)
	strategytest.Must(t, err)
	if !reflect.DeepEqual(read, saved) {
		t.Errorf("read %+v, want %+v", read, saved)
	}
	other.Secret = secret(t, "another")
	_, _, err = store.ReadSnapshot[string](t.Context(), bytes.NewReader(file.Bytes()), other, about)
	if want := fmt.Sprintf("of the secret %016x, want %016x (Config.Secret)", saved.Fingerprint,
		other.Secret.Fingerprint()); !errors.Is(err, store.ErrMismatch) || !strings.Contains(err.Error(), want) {
		t.Errorf("with another secret: %v, want %q", err, want)
	}
	_, _, err = store.ReadSnapshot[uint64](t.Context(), bytes.NewReader(file.Bytes()), c, about)
	if !errors.Is(err, store.ErrMismatch) || !strings.Contains(err.Error(), "known by string, want integer") {
		t.Errorf("for other keys: %v", err)
	}

	_, _, err = store.ReadSnapshot[string](t.Context(), bytes.NewReader(file.Bytes()), store.Config{}, about)
	strategytest.ErrorSays(t, "without a strategy", err, "store: snapshot: store: Strategy is nil")

	// A secret that New drew ends with the process, and so do histories.
	for _, unsalted := range []bool{false, true} {
		drawn := strategytest.Value(store.New[string](store.Config{Strategy: flat, Unsalted: unsalted}))
		strategytest.ErrorSays(t, fmt.Sprintf("unsalted %v, without a secret", unsalted),
			strategytest.ErrorOf(drawn.WriteSnapshot(t.Context(), io.Discard, about, 0, nil)), "set Config.Secret")
	}
	plain := strategytest.Value(store.New[uint64](store.Config{Strategy: flat, Unsalted: true}))
	strategytest.ErrorSays(t, "numbers that need no secret",
		strategytest.ErrorOf(plain.WriteSnapshot(t.Context(), io.Discard, about, 0, nil)), "")
}
