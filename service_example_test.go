package dejavu_test

import (
	"context"
	"encoding/json"
	"errors"
	"expvar"
	"fmt"
	"io/fs"
	"log"
	"math/bits"
	"os"
	"path/filepath"
	"strings"
	"time"

	"dejavu/chain"
	"dejavu/store"
	"dejavu/strategies"
)

// A recommender's service keeps its users' histories in a store, by the names it knows
// them by. For each request it asks which of the candidates to show: Show returns the
// first that the user has not seen, and has recorded them when it returns.
func Example_service() {
	// 400 to 500 articles a user, at most 2 % of unseen ones reported as seen.
	config, err := chain.Sized(400, 0.02)
	if err != nil {
		log.Fatal(err)
	}
	memory, err := chain.New(config)
	if err != nil {
		log.Fatal(err)
	}
	// The secret is kept where the service keeps its passwords.
	secret, err := strategies.NewSecret([]byte(strings.Repeat("0123456789abcdef", 2)))
	if err != nil {
		log.Fatal(err)
	}
	users, err := store.New[string](store.Config{
		Strategy: memory, Secret: secret,
		Idle: 90 * store.Day, // users who stay away longer are forgotten; without Idle nobody is
	})
	if err != nil {
		log.Fatal(err)
	}
	defer users.Close()

	// The memory of forgotten users is released every minute.
	clock := func() store.Timestamp { return store.At(time.Now()) }
	go func() {
		for range time.Tick(time.Minute) {
			users.Forget(clock())
		}
	}()

	// A request: recall proposes, the store chooses, the page shows.
	urls := []string{"https://news.example/a", "https://news.example/b", "https://news.example/c"}
	var candidates []strategies.ID
	for _, url := range urls {
		candidates = append(candidates, strategies.XXHashString(url))
	}
	for range 2 {
		for _, at := range users.Show("ann@example", clock(), candidates, 2, nil) {
			fmt.Println("show", urls[at])
		}
	}
	// Output:
	// show https://news.example/a
	// show https://news.example/b
	// show https://news.example/c
}

// rows are the IDs of articles that are known by numbers.
func rows(numbers ...uint64) (ids []strategies.ID) {
	for _, n := range numbers {
		ids = append(ids, strategies.Number(n))
	}
	return ids
}

// A service starts with the histories of its last snapshot, or as a new one, and saves
// one now and then while it serves.
func Example_restart() {
	memory, err := chain.New(chain.Paper)
	if err != nil {
		log.Fatal(err)
	}
	secret, err := strategies.NewSecret([]byte("known to the service alone"))
	if err != nil {
		log.Fatal(err)
	}
	config := store.Config{Strategy: memory, Secret: secret}
	const about = "IDs are strategies.Number of the row" // what histories depend on beside the configuration
	dir, err := os.MkdirTemp("", "service")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path, ctx := filepath.Join(dir, "histories"), context.Background()

	start := func() *store.Store[uint64] {
		users, snapshot, err := store.Open[uint64](ctx, path, config, about)
		if errors.Is(err, fs.ErrNotExist) {
			users, err = store.New[uint64](config)
		}
		if err != nil {
			log.Fatal(err) // damaged, or of another strategy or secret: the error says which
		}
		fmt.Println("histories:", snapshot.Histories)
		return users
	}
	const ann = 0x5eed
	users := start()
	users.Record(ann, store.At(time.Now()), rows(1, 2, 3))
	if _, err := users.Save(ctx, path, about, store.At(time.Now())); err != nil {
		log.Fatal(err)
	}
	users.Close()

	users = start()
	fmt.Println("show", users.Show(ann, store.At(time.Now()), rows(1, 2, 3, 4), 2, nil))
	// Output:
	// histories: 0
	// histories: 1
	// show [3]
}

// A new secret, another strategy, or both: the old store goes on choosing what is shown, and the new one learns it.
// When no candidate is older than that, the new one chooses, and the old one is closed. Until then users take twice the
// memory, and no rate of false positives changes. A snapshot of each is saved, and tells whose it is.
func Example_rotation() {
	config := func(window int, fpr float64, key string) store.Config {
		sized, err := chain.Sized(window, fpr)
		if err != nil {
			log.Fatal(err)
		}
		memory, err := chain.New(sized)
		if err != nil {
			log.Fatal(err)
		}
		secret, err := strategies.NewSecret([]byte(key))
		if err != nil {
			log.Fatal(err)
		}
		return store.Config{Strategy: memory, Idle: 30 * store.Day, Secret: secret}
	}
	before, err := store.New[string](config(400, 0.02, "known to too many by now"))
	if err != nil {
		log.Fatal(err)
	}
	before.Record("ann", 0, rows(1, 2)) // before the change
	after, err := store.New[string](config(800, 0.01, "known to nobody yet"))
	if err != nil {
		log.Fatal(err)
	}
	show := func(user string, now store.Timestamp, candidates []strategies.ID, limit int) []int {
		page := before.Show(user, now, candidates, limit, nil)
		var shown []strategies.ID
		for _, at := range page {
			shown = append(shown, candidates[at])
		}
		after.Record(user, now, shown)
		return page
	}
	fmt.Println(show("ann", 10, rows(1, 2, 3, 4, 5), 2))
	fmt.Println(show("ann", store.Day, rows(2, 3, 4, 5, 6, 7), 2))

	before.Close() // rows 1 and 2 are too old to be candidates
	fmt.Println(after.Show("ann", 7*store.Day, rows(3, 4, 5, 6, 7, 8), 2, nil))
	// Output:
	// [2 3]
	// [3 4]
	// [4 5]
}

// Histories move to stores in other processes, here by the user's key: any number of stores, of any number of shards,
// as long as secret and strategy are the same.
func Example_export() {
	memory, err := chain.New(chain.Paper)
	if err != nil {
		log.Fatal(err)
	}
	secret, err := strategies.NewSecret([]byte("known to the service alone"))
	if err != nil {
		log.Fatal(err)
	}
	open := func(shards int) *store.Store[string] {
		s, err := store.New[string](store.Config{Strategy: memory, Secret: secret, Shards: shards})
		if err != nil {
			log.Fatal(err)
		}
		return s
	}
	one, parts := open(4), []*store.Store[string]{open(1), open(2)}
	of := func(user string) *store.Store[string] { return parts[secret.DigestString(user)%2] }
	for _, user := range []string{"ann", "bob", "eve"} {
		one.Record(user, 100, rows(1, 2))
	}
	for entry := range one.Export(100) {
		if err := parts[entry.User%2].Import(entry); err != nil { // the digest of a string
			log.Fatal(err)
		}
	}
	for _, user := range []string{"ann", "bob", "eve", "a newcomer"} {
		fmt.Println(user, of(user).Show(user, 110, rows(1, 2, 3), 3, nil))
	}
	// Output:
	// ann [2]
	// bob [2]
	// eve [2]
	// a newcomer [0 1 2]
}

// What a metrics page says of a store, with the times of requests beside it: expvar serves them under /debug/vars.
func Example_metrics() {
	memory, err := chain.New(chain.Paper)
	if err != nil {
		log.Fatal(err)
	}
	users, err := store.New[string](store.Config{Strategy: memory, Idle: store.Day})
	if err != nil {
		log.Fatal(err)
	}
	expvar.Publish("dejavu", expvar.Func(func() any { return users.Stats() }))
	within := expvar.NewMap("dejavu_requests_within_ns") // a power of two
	show := func(user string, now store.Timestamp, candidates []strategies.ID) {
		begin := time.Now()
		users.Show(user, now, candidates, 2, nil)
		within.Add(fmt.Sprint(1<<bits.Len64(uint64(time.Since(begin)))), 1)
	}
	show("ann", 0, rows(1, 2, 3))
	show("ann", 10, rows(1, 2, 3))
	show("bob", 20, rows(1, 2, 3))
	users.Forget(15 + store.Day)

	var page store.Stats
	if err := json.Unmarshal([]byte(expvar.Get("dejavu").String()), &page); err != nil {
		log.Fatal(err)
	}
	fmt.Println(page.Users, "users with", page.Payload, "bytes, and", page.Expired, "expired")
	fmt.Println(page.Hits, "of", page.Asked, "candidates were seen,", page.Recorded, "articles shown")
	requests := int64(0)
	within.Do(func(kv expvar.KeyValue) { requests += kv.Value.(*expvar.Int).Value() })
	fmt.Println(requests, "requests were timed")
	// Output:
	// 1 users with 106 bytes, and 1 expired
	// 2 of 9 candidates were seen, 5 articles shown
	// 3 requests were timed
}

// Without a store: histories are the values of a storage of the service's own, here a
// map. What comes back from it goes through Validate, and is the strategy's afterwards.
func Example_ownStorage() {
	memory, err := chain.New(chain.Paper)
	if err != nil {
		log.Fatal(err)
	}
	storage := map[string][]byte{}
	secret, err := strategies.NewSecret([]byte("known to the service alone"))
	if err != nil {
		log.Fatal(err)
	}
	show := func(user string, candidates []strategies.ID, limit int) ([]int, error) {
		history := storage[user]
		if err := memory.Validate(history); err != nil {
			return nil, fmt.Errorf("history of %s: %w", user, err)
		}
		// As the store does it: a number of the user's own mixes the IDs.
		salted := secret.Salt(uint64(secret.DigestString(user))).Append(nil, candidates)
		seen := make([]bool, len(candidates))
		memory.Seen(history, salted, seen)
		var shown []int
		var record []strategies.ID
		for i, id := range salted {
			if !seen[i] && len(shown) < limit {
				shown, record = append(shown, i), append(record, id)
			}
		}
		storage[user] = memory.Record(history, record)
		return shown, nil
	}
	for range 2 {
		shown, err := show("ann", rows(1, 2, 3), 2)
		fmt.Println(shown, err)
	}
	storage["ann"] = storage["ann"][1:]
	_, err = show("ann", rows(1, 2, 3), 2)
	fmt.Println(err)
	// Output:
	// [0 1] <nil>
	// [2] <nil>
	// history of ann: chain: history of 105 bytes, want 0 or one of [106 207 309 410 512]
}
