package blocked_test

import (
	"fmt"

	"dejavu/beyond/blocked"
	"dejavu/strategies"
)

// One user's memory is 8 cache lines, from the first article on.
func Example() {
	memory, _ := blocked.New(blocked.Default)
	shown := []strategies.ID{strategies.XXHashString("/news/1"), strategies.XXHashString("/news/2")}
	history := memory.Record(nil, shown) // nil is a newcomer's

	candidates := append(shown, strategies.XXHashString("/news/3"))
	seen := make([]bool, len(candidates))
	memory.Seen(history, candidates, seen)
	fmt.Println(seen, len(history), "bytes")
	// Output: [true true false] 512 bytes
}

// A filter is whole lines, so that more than is asked for may come of it.
func ExampleSized() {
	config, _ := blocked.Sized(400, 0.02)
	memory, _ := blocked.New(config)
	fmt.Printf("%d bytes, %d hashes: %.4f at 400 articles, %.4f at 800\n",
		memory.Bytes(400), config.Hashes, memory.FPR(400), memory.FPR(800))
	// Output: 448 bytes, 4 hashes: 0.0177 at 400 articles, 0.1234 at 800
}
