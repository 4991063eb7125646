package apbf_test

import (
	"fmt"

	"dejavu/beyond/apbf"
	"dejavu/strategies"
)

// A filter for the newest 400 at 2 %: it forgets ten articles at a time.
func Example() {
	config, _ := apbf.Sized(400, 0.02)
	memory, _ := apbf.New(config)
	shown := []strategies.ID{strategies.XXHashString("/news/1"), strategies.XXHashString("/news/2")}
	history := memory.Record(nil, shown) // nil is a newcomer's

	candidates := append(shown, strategies.XXHashString("/news/3"))
	seen := make([]bool, len(candidates))
	memory.Seen(history, candidates, seen)
	fmt.Println(seen, len(history), "bytes")
	fmt.Println("later", memory.Bytes(1000), "bytes for", memory.Window(1001), "to", memory.Window(1010), "articles")
	// Output:
	// [true true false] 181 bytes
	// later 891 bytes for 401 to 410 articles
}

// A pair (k, l) published for 0.01 meets it when a generation begins, and exceeds it a little at its end.
func ExampleConfig() {
	memory, _ := apbf.New(apbf.Config{Hashes: 8, Shifts: 8, Generation: 50, Bits: 578})
	fmt.Printf("%d bits a slice\n", memory.Config.Bits)
	fmt.Printf("%.2f %% to %.2f %%\n", 100*memory.FPR(2001), 100*memory.FPR(2050))
	// Output:
	// 578 bits a slice
	// 0.91 % to 1.10 %
}

// The window ends slowly: many articles just outside are still recognised.
func ExampleFilter_Remembered() {
	config, _ := apbf.Sized(400, 0.02)
	memory, _ := apbf.New(config)
	for _, age := range []int{401, 405, 415, 430, 500} {
		fmt.Printf("age %d: %5.1f %%\n", age, 100*memory.Remembered(age))
	}
	// Output:
	// age 401: 100.0 %
	// age 405:  80.5 %
	// age 415:  41.5 %
	// age 430:  15.6 %
	// age 500:   2.0 %
}
