package counting_test

import (
	"fmt"

	"dejavu/beyond/counting"
	"dejavu/strategies"
)

// A user's article is deleted, and shown again.
func Example() {
	memory, _ := counting.New(counting.Paper)
	shown := []strategies.ID{strategies.XXHashString("/news/1"), strategies.XXHashString("/news/2")}
	history := memory.Record(nil, shown) // nil is a newcomer's
	seen := make([]bool, len(shown))
	memory.Seen(history, shown, seen)
	fmt.Println(seen, len(history), "bytes")

	history = memory.Delete(history, shown[:1])
	memory.Seen(history, shown, seen)
	fmt.Println(seen)
	// Output:
	// [true true] 2032 bytes
	// [false true]
}

// Deleting an article that the filter recognises by mistake makes it forget others.
func ExampleFilter_LostByOne() {
	memory, _ := counting.New(counting.Paper)
	fmt.Printf("one false positive taken back: %.2f of 500 articles forgotten\n", memory.LostByOne(500))
	// Output:
	// one false positive taken back: 4.04 of 500 articles forgotten
}
