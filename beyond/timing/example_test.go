package timing_test

import (
	"fmt"

	"dejavu/beyond/timing"
	"dejavu/strategies"
)

// A time in each cell: the window is exact, and nine times as long as the filter.
func Example() {
	config, err := timing.Sized(400, 0.02)
	if err != nil {
		fmt.Println(err)
		return
	}
	memory, _ := timing.New(config)
	shown := []strategies.ID{strategies.XXHashString("/news/1"), strategies.XXHashString("/news/2")}
	history := memory.Record(nil, shown)

	candidates := append(shown, strategies.XXHashString("/news/3"))
	seen := make([]bool, len(candidates))
	memory.Seen(history, candidates, seen)
	fmt.Println(seen, len(history), "bytes")
	fmt.Printf("later %.2f %%\n", 100*memory.FPR(400))
	// Output:
	// [true true false] 3677 bytes
	// later 2.00 %
}
