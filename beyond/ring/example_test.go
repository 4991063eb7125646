package ring_test

import (
	"fmt"

	"dejavu/beyond/ring"
	"dejavu/strategies"
)

// Less than two bytes an article instead of the queue's eight.
func Example() {
	config, _ := ring.Sized(400, 0.02)
	memory, _ := ring.New(config)
	shown := []strategies.ID{strategies.XXHashString("/news/1"), strategies.XXHashString("/news/2")}
	history := memory.Record(nil, shown) // nil is a newcomer's

	candidates := append(shown, strategies.XXHashString("/news/3"))
	seen := make([]bool, len(candidates))
	memory.Seen(history, candidates, seen)
	fmt.Println(seen, len(history), "bytes")
	fmt.Printf("later %d bytes, %.2f %%\n", memory.Bytes(400), 100*memory.FPR(400))
	// Output:
	// [true true false] 89 bytes
	// later 720 bytes, 2.00 %
}

// An article can be deleted: the user wants to see it again.
func ExampleRing_Delete() {
	memory, _ := ring.New(ring.Paper)
	shown := []strategies.ID{strategies.XXHashString("/news/1"), strategies.XXHashString("/news/2")}
	history := memory.Record(nil, shown)
	history = memory.Delete(history, shown[:1])

	seen := make([]bool, len(shown))
	memory.Seen(history, shown, seen)
	fmt.Println(seen)
	// Output: [false true]
}
