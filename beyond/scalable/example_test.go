package scalable_test

import (
	"fmt"

	"dejavu/beyond/scalable"
	"dejavu/bloom"
	"dejavu/single"
	"dejavu/strategies"
)

// A reader's memory begins with 37 bytes and grows as the reader reads.
func Example() {
	memory, err := scalable.New(scalable.Doubling)
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
	// Output: [true true false] 37 bytes
}

// Where a single filter made for 500 articles fills up, the stages keep to 2 %.
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

// A full filter that is moved into a larger one, and again, without the keys:
// beside filters that had the larger size from the start, and the stages.
func ExampleStretched() {
	moved, _ := scalable.NewStretched(scalable.StretchedConfig{Capacity: 500, Geometry: single.Paper.Geometry, Doublings: 2})
	stages, _ := scalable.New(scalable.Doubling)
	for _, read := range []int{500, 501, 1000, 1001, 2000} {
		made := single.Paper.Geometry
		made.Bits *= (moved.Bytes(read) - moved.HeaderBytes()) / 508
		fmt.Printf("%4d articles: %5.2f %% in %d bytes, made for them %.2f %%; in stages %.2f %% in %d\n", read,
			100*moved.FPR(read), moved.Bytes(read), 100*bloom.Exact(read, made), 100*stages.FPR(read), stages.Bytes(read))
	}
	// Output:
	//  500 articles:  2.03 % in 511 bytes, made for them 2.03 %; in stages 1.50 % in 1267
	//  501 articles:  2.04 % in 1019 bytes, made for them 0.09 %; in stages 1.50 % in 1267
	// 1000 articles:  9.02 % in 1019 bytes, made for them 2.03 %; in stages 1.64 % in 2704
	// 1001 articles:  9.03 % in 2035 bytes, made for them 0.09 %; in stages 1.64 % in 2704
	// 2000 articles: 21.10 % in 2035 bytes, made for them 2.02 %; in stages 1.74 % in 5727
}
