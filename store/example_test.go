package store_test

import (
	"fmt"

	"dejavu/store"
	"dejavu/strategies"
)

// The strategy would come from the packages queue, single, dual or chain; here it is a toy that remembers up
// to sixteen articles exactly.
var remember strategies.Strategy = ladder{stride: 8}

// A recommender serves a request: of the candidates that recall proposes it shows the first two the user has
// not seen, and records what it showed.
func Example() {
	memory, err := store.New[int](store.Config{Unsalted: true, Strategy: remember, Users: 1_000_000, Idle: store.Day})
	if err != nil {
		fmt.Println(err)
		return
	}
	serve := func(user int, now store.Timestamp, candidates []strategies.ID) (page []strategies.ID) {
		for _, at := range memory.Show(user, now, candidates, 2, nil) {
			page = append(page, candidates[at])
		}
		return page
	}
	candidates := []strategies.ID{11, 12, 13, 14}
	fmt.Println("first:     ", serve(42, 0, candidates))
	fmt.Println("refresh:   ", serve(42, 10, candidates))
	fmt.Println("another:   ", serve(43, 20, candidates))
	fmt.Println("nothing new", serve(42, 30, candidates))
	fmt.Println("a day later", serve(42, 10+store.Day, candidates))

	fmt.Println("forgotten: ", memory.Forget(20+store.Day))
	fmt.Println("remembered:", memory.Stats().Users)
	// Output:
	// first:      [11 12]
	// refresh:    [13 14]
	// another:    [11 12]
	// nothing new []
	// a day later [11 12]
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
