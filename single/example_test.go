package single_test

import (
	"fmt"

	"dejavu/single"
	"dejavu/strategies"
)

// One user's memory is 508 bytes, from the first article on.
func Example() {
	memory, _ := single.New(single.Paper)
	shown := []strategies.ID{strategies.XXHashString("/news/1"), strategies.XXHashString("/news/2")}
	history := memory.Record(nil, shown) // nil is a newcomer's

	candidates := append(shown, strategies.XXHashString("/news/3"))
	seen := make([]bool, len(candidates))
	memory.Seen(history, candidates, seen)
	fmt.Println(seen, len(history), "bytes")
	// Output: [true true false] 508 bytes
}

// The price of reading on: the filter is never cleared.
func ExampleFilter_FPR() {
	memory, _ := single.New(single.Paper)
	for _, read := range []int{100, 500, 1000, 3000} {
		fmt.Printf("%4d articles: %5.2f %% of unseen ones are reported as seen\n", read, 100*memory.FPR(read))
	}
	// Output:
	//  100 articles:  0.00 % of unseen ones are reported as seen
	//  500 articles:  2.03 % of unseen ones are reported as seen
	// 1000 articles: 21.11 % of unseen ones are reported as seen
	// 3000 articles: 93.06 % of unseen ones are reported as seen
}

// The paper's 4064 bits narrowly miss its target of 2 %. Sized meets it.
func ExampleSized() {
	config, _ := single.Sized(500, 0.02)
	memory, _ := single.New(config)
	fmt.Printf("%v: %.5f in %d bytes\n", config.Geometry, memory.FPR(500), memory.Bytes(500))
	// Output: 4078/6: 0.01999 in 510 bytes
}
