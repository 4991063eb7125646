package scalable_test

import (
	"fmt"

	"dejavu/beyond/scalable"
	"dejavu/single"
	"dejavu/strategies"
)

// A user's memory begins with 37 bytes and grows as the user reads.
func Example() {
	memory, _ := scalable.New(scalable.Doubling)
	shown := []strategies.ID{strategies.XXHashString("/news/1"), strategies.XXHashString("/news/2")}
	history := memory.Record(nil, shown) // nil is a newcomer's

	candidates := append(shown, strategies.XXHashString("/news/3"))
	seen := make([]bool, len(candidates))
	memory.Seen(history, candidates, seen)
	fmt.Println(seen, len(history), "bytes")
	// Output: [true true false] 37 bytes
}

// A single filter made for 500 articles fills up; the stages stay below 2 %.
func ExampleFilter_FPR() {
	one, _ := single.New(single.Paper)
	stages, _ := scalable.New(scalable.Doubling)
	for _, read := range []int{25, 500, 1000, 3000, 25000} {
		fmt.Printf("%5d articles: %6.2f %% in %d bytes, %4.2f %% in %d\n", read,
			100*one.FPR(read), one.Bytes(read), 100*stages.FPR(read), stages.Bytes(read))
	}
	// Output:
	//    25 articles:   0.00 % in 508 bytes, 0.59 % in 37
	//   500 articles:   2.03 % in 508 bytes, 1.50 % in 1267
	//  1000 articles:  21.11 % in 508 bytes, 1.64 % in 2704
	//  3000 articles:  93.06 % in 508 bytes, 1.77 % in 5727
	// 25000 articles: 100.00 % in 508 bytes, 1.91 % in 53072
}
