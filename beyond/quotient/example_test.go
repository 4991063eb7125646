package quotient_test

import (
	"fmt"

	"dejavu/beyond/quotient"
	"dejavu/strategies"
)

// The smallest memory of the last 400 articles at 2 %.
func Example() {
	config, _ := quotient.Sized(400, 0.02)
	memory, _ := quotient.New(config)
	shown := []strategies.ID{strategies.XXHashString("/news/1"), strategies.XXHashString("/news/2")}
	history := memory.Record(nil, shown) // nil is a newcomer's

	candidates := append(shown, strategies.XXHashString("/news/3"))
	seen := make([]bool, len(candidates))
	memory.Seen(history, candidates, seen)
	fmt.Println(seen, len(history), "bytes")
	fmt.Printf("later %d bytes for %d to %d articles, %.2f %% at worst\n",
		memory.Bytes(1000), memory.Window(457), memory.Window(456), 100*memory.FPR(456))
	// Output:
	// [true true false] 156 bytes
	// later 605 bytes for 400 to 456 articles, 2.00 % at worst
}
