package chain_test

import (
	"fmt"

	"dejavu/chain"
	"dejavu/strategies"
)

// A user's memory grows link by link, to 512 bytes for the last 400 to 500.
func Example() {
	memory, err := chain.New(chain.Paper)
	if err != nil {
		fmt.Println(err)
		return
	}
	shown := []strategies.ID{strategies.XXHashString("/news/1"), strategies.XXHashString("/news/2")}
	history := memory.Record(nil, shown) // nil is a newcomer's

	candidates := append(shown, strategies.XXHashString("/news/3"))
	seen := make([]bool, len(candidates))
	memory.Seen(history, candidates, seen)
	fmt.Println(seen, len(history), "bytes")
	// Output: [true true false] 106 bytes
}

// The paper's five links add up their rates. Sized gives each link its share.
func ExampleSized() {
	sized, err := chain.Sized(400, 0.02)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, config := range []chain.Config{chain.Paper, sized} {
		memory, _ := chain.New(config)
		fmt.Printf("%d links of %v: %.2f %% in %d bytes\n", config.Links, config.Geometry, 100*memory.FPR(500),
			memory.Bytes(500))
	}
	// Output:
	// 5 links of 812/6: 9.82 % in 512 bytes
	// 5 links of 1150/8: 2.00 % in 723 bytes
}

// A chain with more links continues a history: the last 1000 instead of the last 500, without a migration.
func ExampleConfig() {
	five, _ := chain.New(chain.Paper)
	longer := chain.Paper
	longer.Links = 10
	ten, _ := chain.New(longer)

	ids := make([]strategies.ID, 1000)
	for i := range ids {
		ids[i] = strategies.XXHashString(fmt.Sprint("/news/", i))
	}
	history := five.Record(nil, ids[:500])
	history = ten.Record(history, ids[500:])

	seen := make([]bool, len(ids))
	ten.Seen(history, ids, seen)
	forgotten := 0
	for _, s := range seen {
		if !s {
			forgotten++
		}
	}
	fmt.Println(forgotten, "forgotten,", len(history), "bytes")
	// Output: 0 forgotten, 1019 bytes
}
