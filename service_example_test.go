package dejavu_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
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
	users, err := store.New[string](store.Config{Strategy: memory, Idle: store.Day, Secret: secret})
	if err != nil {
		log.Fatal(err)
	}
	defer users.Close()

	// Users who have been away for a day are forgotten; who asks for them is a newcomer.
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	begin := time.Now()
	clock := func() store.Timestamp { return store.Timestamp(time.Since(begin) / time.Second) }
	go users.Sweep(ctx, time.Minute, clock)

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
	config := store.Config{Strategy: memory, Idle: store.Day, Secret: secret}
	const about = "chain.Paper; IDs are strategies.XXHash of the URL" // what histories depend on
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
	users.Record(ann, 100, []strategies.ID{1, 2, 3})
	if _, err := users.Save(ctx, path, about, 110); err != nil {
		log.Fatal(err)
	}
	users.Close()

	users = start()
	fmt.Println("show", users.Show(ann, 120, []strategies.ID{1, 2, 3, 4}, 2, nil))
	// Output:
	// histories: 0
	// histories: 1
	// show [3]
}

// What a metrics page says of a store; no request waits for it.
func Example_metrics() {
	memory, err := chain.New(chain.Paper)
	if err != nil {
		log.Fatal(err)
	}
	users, err := store.New[string](store.Config{Strategy: memory, Idle: store.Day})
	if err != nil {
		log.Fatal(err)
	}
	users.Show("ann", 0, []strategies.ID{1, 2, 3}, 2, nil)
	users.Show("ann", 10, []strategies.ID{1, 2, 3}, 2, nil)
	users.Show("bob", 20, []strategies.ID{1, 2, 3}, 2, nil)
	users.Forget(15 + store.Day)

	stats := users.Stats()
	fmt.Println("dejavu_users", stats.Users)
	fmt.Println("dejavu_history_bytes", stats.Payload)
	fmt.Println("dejavu_candidates_total", stats.Asked)
	fmt.Println("dejavu_candidates_seen_total", stats.Hits)
	fmt.Println("dejavu_articles_recorded_total", stats.Recorded)
	fmt.Println("dejavu_users_expired_total", stats.Expired)
	// Output:
	// dejavu_users 1
	// dejavu_history_bytes 106
	// dejavu_candidates_total 9
	// dejavu_candidates_seen_total 2
	// dejavu_articles_recorded_total 5
	// dejavu_users_expired_total 1
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
	show := func(user string, candidates []strategies.ID, limit int) ([]strategies.ID, error) {
		history := storage[user]
		if err := memory.Validate(history); err != nil {
			return nil, fmt.Errorf("history of %s: %w", user, err)
		}
		// As the store does it: a number of the user's own mixes the IDs.
		salted := secret.Salt(uint64(secret.DigestString(user))).Append(nil, candidates)
		seen := make([]bool, len(candidates))
		memory.Seen(history, salted, seen)
		var shown, record []strategies.ID
		for i, id := range candidates {
			if !seen[i] && len(shown) < limit {
				shown, record = append(shown, id), append(record, salted[i])
			}
		}
		storage[user] = memory.Record(history, record)
		return shown, nil
	}
	for range 2 {
		shown, err := show("ann", []strategies.ID{1, 2, 3}, 2)
		fmt.Println(shown, err)
	}
	storage["ann"] = storage["ann"][1:]
	_, err = show("ann", []strategies.ID{1, 2, 3}, 2)
	fmt.Println(err)
	// Output:
	// [1 2] <nil>
	// [3] <nil>
	// history of ann: chain: history of 105 bytes, want 0 or one of [106 207 309 410 512]
}
