package cuckoo_test

import (
	"fmt"

	"dejavu/beyond/cuckoo"
	"dejavu/strategies"
)

// A user's memory begins small, and an article can be taken back.
func Example() {
	memory, err := cuckoo.New(cuckoo.Standard)
	if err != nil {
		fmt.Println(err)
		return
	}
	shown := []strategies.ID{strategies.XXHashString("/news/1"), strategies.XXHashString("/news/2")}
	var history []byte // a newcomer's
	history = memory.Record(history, shown)
	seen := make([]bool, len(shown))
	memory.Seen(history, shown, seen)
	fmt.Println(seen, len(history), "bytes")

	history = memory.Delete(history, shown[:1])
	memory.Seen(history, shown, seen)
	fmt.Println(seen)
	// Output:
	// [true true] 82 bytes
	// [false true]
}

// The memory of a window grows with the digits of the rate: one bit an article for each halving.
func ExampleSized() {
	for _, fpr := range []float64{0.05, 0.02, 0.01} {
		config, err := cuckoo.Sized(400, fpr)
		if err != nil {
			fmt.Println(err)
			return
		}
		memory, _ := cuckoo.New(config)
		full := config.Generations * config.Capacity
		fmt.Printf("%d generations of %d, %d bits: %.2f %% in %d bytes\n",
			config.Generations, config.Capacity, config.Fingerprint, 100*memory.FPR(full), memory.Bytes(full))
	}
	// Output:
	// 8 generations of 57, 7 bits: 4.04 % in 666 bytes
	// 8 generations of 57, 8 bits: 1.99 % in 749 bytes
	// 8 generations of 57, 9 bits: 1.00 % in 815 bytes
}
