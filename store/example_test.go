package store_test

import (
	"fmt"
	"path"
	"time"

	"dejavu/store"
	"dejavu/strategies"
)

// The strategy would come from the packages queue, single, dual or chain; here it is a toy that remembers up
// to sixteen articles exactly.
var remember strategies.Strategy = ladder{stride: 8}

// A recommender serves a request: of the candidates from recall it shows the first two the user has not seen, and
// records them.
func Example() {
	memory, err := store.New[int](store.Config{Unsalted: true, Strategy: remember, Users: 1_000_000, Idle: store.Day})
	if err != nil {
		fmt.Println(err)
		return
	}
	urls := []string{"https://news.example/a", "https://news.example/b", "https://news.example/c", "https://a.example/d"}
	var candidates []strategies.ID
	for _, url := range urls {
		candidates = append(candidates, strategies.XXHashString(url))
	}
	serve := func(user int, now store.Timestamp) (page []string) {
		for _, at := range memory.Show(user, now, candidates, 2, nil) {
			page = append(page, path.Base(urls[at]))
		}
		return page
	}
	now := store.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)) // time.Now() in a service
	fmt.Println("first:     ", serve(42, now))
	fmt.Println("refresh:   ", serve(42, now+10))
	fmt.Println("another:   ", serve(43, now+20))
	fmt.Println("nothing new", serve(42, now+30))
	fmt.Println("a day later", serve(42, now+10+store.Day))

	fmt.Println("forgotten: ", memory.Forget(now+20+store.Day))
	fmt.Println("remembered:", memory.Stats().Users)
	// Output:
	// first:      [a b]
	// refresh:    [c d]
	// another:    [a b]
	// nothing new []
	// a day later [a b]
	// forgotten:  1
	// remembered: 1
}

// One user's history comes from elsewhere, with the time it counts from; Put checks it on the way in.
func ExampleStore_Put() {
	config := store.Config{Unsalted: true, Strategy: remember, Users: 3, Idle: store.Day}
	before, _ := store.New[int](config)
	before.Record(1, 500, []strategies.ID{7})

	after, _ := store.New[int](config)
	for user := range config.Users {
		if at, ok := before.Last(user); ok {
			if err := after.Put(user, at, before.History(user, at, nil)); err != nil {
				fmt.Println(err)
			}
		}
	}
	fmt.Println(after.Seen(1, 600, []strategies.ID{7, 8}, nil))
	fmt.Println(after.Put(2, 600, []byte("from a damaged disk")))
	// Output:
	// [true false]
	// store: history of user 2: ladder: 1836020326 articles in 19 bytes
}
