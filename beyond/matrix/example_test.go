package matrix_test

import (
	"fmt"

	"dejavu/beyond/matrix"
	"dejavu/strategies"
)

// The smallest memory of the last 400 articles at 2 %.
func Example() {
	config, _ := matrix.Sized(400, 0.02)
	memory, _ := matrix.New(config)
	shown := []strategies.ID{strategies.XXHashString("/news/1"), strategies.XXHashString("/news/2")}
	history := memory.Record(nil, shown) // nil is a newcomer's

	candidates := append(shown, strategies.XXHashString("/news/3"))
	seen := make([]bool, len(candidates))
	memory.Seen(history, candidates, seen)
	fmt.Println(seen, len(history), "bytes")
	fmt.Printf("later %d to %d bytes for %d to %d articles, %.2f %% at worst\n",
		memory.Bytes(400), memory.Bytes(449), memory.Window(400), memory.Window(449), 100*memory.FPR(449))
	// Output:
	// [true true false] 22 bytes
	// later 469 to 544 bytes for 400 to 449 articles, 1.89 % at worst
}
