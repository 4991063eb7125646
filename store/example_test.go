package store_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"dejavu/store"
	"dejavu/strategies"
)

// The strategy would come from the packages queue, single, dual or chain; here
// it is a toy that remembers up to sixteen articles exactly.
var remember strategies.Strategy = ladder{stride: 8}

// A recommender serves a request: of the candidates that recall proposes it
// shows the first two the user has not seen, and records what it showed.
func Example() {
	memory, err := store.New[int](store.Config{Unsalted: true, Strategy: remember, Users: 1_000_000, Idle: store.Day})
	if err != nil {
		fmt.Println(err)
		return
	}
	serve := func(user int, now store.Timestamp, candidates []strategies.ID) []strategies.ID {
		seen := make([]bool, len(candidates))
		memory.Seen(user, now, candidates, seen)
		var show []strategies.ID
		for i, id := range candidates {
			if !seen[i] && len(show) < 2 {
				show = append(show, id)
			}
		}
		memory.Record(user, now, show)
		return show
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

// A service starts with the histories of the last snapshot, and saves one now and
// then. The description says everything that histories depend on.
func Example_restart() {
	const about = "ladder, stride 8; IDs are the catalogue's numbers"
	config := store.Config{Unsalted: true, Strategy: remember, Users: 1000, Idle: store.Day}
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "histories")

	start := func() *store.Store[int] {
		memory, snapshot, err := store.Open[int](context.Background(), path, config, about)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			fmt.Println("the first start")
			memory, err = store.New[int](config)
		case err == nil:
			fmt.Println("as of", snapshot.Now, "histories:", snapshot.Histories)
		}
		if err != nil {
			fmt.Println(err)
		}
		return memory
	}
	memory := start()
	memory.Record(42, 100, []strategies.ID{11})
	if _, err := memory.Save(context.Background(), path, about, 110); err != nil {
		fmt.Println(err)
	}
	memory.Record(42, 120, []strategies.ID{12}) // and the process dies

	memory = start()
	seen := make([]bool, 2)
	memory.Seen(42, 130, []strategies.ID{11, 12}, seen)
	fmt.Println(seen)

	_, _, err = store.Open[int](context.Background(), path, config, "ladder, stride 8; IDs are xxHash of the URL")
	fmt.Println(errors.Is(err, store.ErrMismatch))
	// Output:
	// the first start
	// as of 110 histories: 1
	// [true false]
	// true
}

// One user's history comes from elsewhere, with the time it counts from; Put
// checks it on the way in.
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
	seen := make([]bool, 2)
	after.Seen(1, 600, []strategies.ID{7, 8}, seen)
	fmt.Println(seen)
	fmt.Println(after.Put(2, 600, []byte("from a damaged disk")))
	// Output:
	// [true false]
	// store: history of user 2: ladder: 1836020326 articles in 19 bytes
}
