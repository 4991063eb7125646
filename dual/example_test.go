package dual_test

import (
	"fmt"

	"dejavu/bloom"
	"dejavu/dual"
	"dejavu/strategies"
)

// A user's memory is one filter of 508 bytes and a header of 4.
func Example() {
	memory, _ := dual.New(dual.Paper)
	shown := []strategies.ID{strategies.XXHashString("/news/1"), strategies.XXHashString("/news/2")}
	history := memory.Record(nil, shown) // nil is a newcomer's

	candidates := append(shown, strategies.XXHashString("/news/3"))
	seen := make([]bool, len(candidates))
	memory.Seen(history, candidates, seen)
	fmt.Println(seen, len(history), "bytes")
	// Output: [true true false] 512 bytes
}

// The slave exists from 300 articles on, and takes over at 500.
func ExampleFilter_Window() {
	memory, _ := dual.New(dual.Paper)
	for _, read := range []int{299, 300, 499, 500, 501} {
		fmt.Printf("after %d articles: the newest %d in %4d bytes\n", read, memory.Window(read), memory.Bytes(read))
	}
	// Output:
	// after 299 articles: the newest 299 in  512 bytes
	// after 300 articles: the newest 300 in 1020 bytes
	// after 499 articles: the newest 499 in 1020 bytes
	// after 500 articles: the newest 200 in  512 bytes
	// after 501 articles: the newest 201 in  512 bytes
}

// A window of at least 400 needs a filter of 800 that switches halfway, and the geometry for 800.
func ExampleConfig() {
	geometry, _ := bloom.BestGeometry(799, 0.02)
	memory, _ := dual.New(dual.Config{Capacity: 800, Threshold: 400, Geometry: geometry})
	fmt.Printf("the newest %d or more, in up to %d bytes\n", memory.Window(800), memory.Bytes(799))
	// Output: the newest 400 or more, in up to 1633 bytes
}
