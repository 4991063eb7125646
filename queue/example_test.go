package queue_test

import (
	"fmt"

	"dejavu/queue"
	"dejavu/strategies"
)

// One user's memory is plain bytes, extended the way append does.
func Example() {
	memory, _ := queue.New(queue.Paper)
	shown := []strategies.ID{strategies.XXHashString("/news/1"), strategies.XXHashString("/news/2")}
	history := memory.Record(nil, shown) // nil is a newcomer's

	candidates := append(shown, strategies.XXHashString("/news/3"))
	seen := make([]bool, len(candidates))
	memory.Seen(history, candidates, seen)
	fmt.Println(seen, len(history), "bytes")
	// Output: [true true false] 404 bytes
}

// A longer queue takes over the histories of a shorter one: nothing is lost, and there is nothing to migrate.
func ExampleConfig() {
	short, _ := queue.New(queue.Config{Window: 500})
	long, _ := queue.New(queue.Config{Window: 1000})

	ids := make([]strategies.ID, 800)
	for i := range ids {
		ids[i] = strategies.XXHashString(fmt.Sprint("/news/", i))
	}
	history := short.Record(nil, ids[:600]) // holds 100 to 599
	history = long.Record(history, ids[600:])

	seen := make([]bool, len(ids))
	long.Seen(history, ids, seen)
	fmt.Println(seen[99], seen[100], seen[799])
	fmt.Println(len(history), "bytes")
	// Output:
	// false true true
	// 5604 bytes
}

// An impossible parameter is an error that names it.
func ExampleNew_error() {
	_, err := queue.New(queue.Config{})
	fmt.Println(err)
	// Output: queue: Window is 0, want 1 to 16777216
}
