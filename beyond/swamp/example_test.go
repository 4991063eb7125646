package swamp_test

import (
	"fmt"

	"dejavu/beyond/swamp"
	"dejavu/strategies"
)

// Every article twice: what expires next, and what answers.
func Example() {
	config, err := swamp.Sized(400, 0.02)
	if err != nil {
		fmt.Println(err)
		return
	}
	memory, _ := swamp.New(config)
	shown := []strategies.ID{strategies.XXHashString("/news/1"), strategies.XXHashString("/news/2")}
	history := memory.Record(nil, shown)

	candidates := append(shown, strategies.XXHashString("/news/3"))
	seen := make([]bool, len(candidates))
	memory.Seen(history, candidates, seen)
	fmt.Println(seen, len(history), "bytes")
	fmt.Printf("later %d bytes, %.2f %%\n", memory.Bytes(400), 100*memory.FPR(400))
	// Output:
	// [true true false] 177 bytes
	// later 1167 bytes, 1.21 %
}
