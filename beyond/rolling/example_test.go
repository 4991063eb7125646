package rolling_test

import (
	"fmt"

	"dejavu/beyond/rolling"
	"dejavu/strategies"
)

// One user's memory: one bit a position until the second generation begins.
func Example() {
	config, err := rolling.Sized(400, 0.02)
	if err != nil {
		fmt.Println(err)
		return
	}
	memory, err := rolling.New(config)
	if err != nil {
		fmt.Println(err)
		return
	}
	shown := []strategies.ID{strategies.XXHashString("/news/1"), strategies.XXHashString("/news/2")}
	var history []byte // a newcomer's
	history = memory.Record(history, shown)

	candidates := append(shown, strategies.XXHashString("/news/3"))
	seen := make([]bool, len(candidates))
	memory.Seen(history, candidates, seen)
	fmt.Println(seen, len(history), "bytes")
	// Output: [true true false] 615 bytes
}

// The window is shortest just after a generation was wiped, and the rate highest just before.
func ExampleFilter_Window() {
	config, _ := rolling.Sized(400, 0.02)
	memory, _ := rolling.New(config)
	for _, read := range []int{200, 201, 600, 601, 800, 801} {
		fmt.Printf("after %d articles: the newest %d in %4d bytes, %.2f %% of unseen ones reported as seen\n",
			read, memory.Window(read), memory.Bytes(read), 100*memory.FPR(read))
	}
	// Output:
	// after 200 articles: the newest 200 in  615 bytes, 0.01 % of unseen ones reported as seen
	// after 201 articles: the newest 201 in 1227 bytes, 0.01 % of unseen ones reported as seen
	// after 600 articles: the newest 600 in 1227 bytes, 2.00 % of unseen ones reported as seen
	// after 601 articles: the newest 401 in 1227 bytes, 0.34 % of unseen ones reported as seen
	// after 800 articles: the newest 600 in 1227 bytes, 2.00 % of unseen ones reported as seen
	// after 801 articles: the newest 401 in 1227 bytes, 0.34 % of unseen ones reported as seen
}
