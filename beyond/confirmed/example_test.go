package confirmed_test

import (
	"fmt"

	"dejavu/beyond/confirmed"
	"dejavu/chain"
	"dejavu/single"
	"dejavu/strategies"
)

// The paper's chain by literal reading does not ask its newest link. A list of the last hundred does.
func Example() {
	letter, _ := chain.New(chain.Literal)
	memory, err := confirmed.New(confirmed.Config{Inner: letter, Last: 100, Rule: confirmed.Beside})
	if err != nil {
		fmt.Println(err)
		return
	}
	shown := []strategies.ID{strategies.XXHashString("/news/1"), strategies.XXHashString("/news/2")}
	candidates := append(shown, strategies.XXHashString("/news/3"))
	seen := make([]bool, len(candidates))

	letter.Seen(letter.Record(nil, shown), candidates, seen)
	fmt.Println(seen)
	memory.Seen(memory.Record(nil, shown), candidates, seen)
	fmt.Println(seen)
	// Output:
	// [false false false]
	// [true true false]
}

// What a second check makes of a filter for 500 articles, at 550: all errors gone and all but the newest
// articles with them, or nothing gained, or the rate of 450 articles.
func ExampleRule() {
	filter, _ := single.New(single.Paper)
	fmt.Printf("alone:  window %3d, %.2f %% in %d bytes\n", filter.Window(550), 100*filter.FPR(550), filter.Bytes(550))
	for _, rule := range []confirmed.Rule{confirmed.Both, confirmed.Beside, confirmed.Ahead} {
		s, _ := confirmed.New(confirmed.Config{Inner: filter, Last: 100, Rule: rule})
		fmt.Printf("%-7s window %3d, %.2f %% in %d bytes\n", rule.String()+":", s.Window(550), 100*s.FPR(550), s.Bytes(550))
	}
	// Output:
	// alone:  window 550, 2.96 % in 508 bytes
	// Both:   window 100, 0.00 % in 1312 bytes
	// Beside: window 550, 2.96 % in 1312 bytes
	// Ahead:  window 550, 1.31 % in 1312 bytes
}
