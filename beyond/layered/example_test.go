package layered_test

import (
	"fmt"

	"dejavu/beyond/layered"
	"dejavu/bloom"
	"dejavu/strategies"
)

// What was shown on a Monday is recognised in every week to come.
func Example() {
	layers, _ := layered.New(layered.Month)
	candidates := []strategies.ID{strategies.XXHashString("/news/1"), strategies.XXHashString("/news/2")}
	history := layers.On(0).Record(nil, candidates[:1]) // nil is a newcomer's

	seen := make([]bool, 2)
	for _, day := range []int{0, 1, 7} {
		layers.On(day).Seen(history, candidates, seen)
		fmt.Println(day, seen)
	}
	// Output:
	// 0 [true false]
	// 1 [true false]
	// 7 [true false]
}

// A candidate is new if no layer says otherwise. So three times 1 % are 2.97 %, and one filter of the same size is ten
// times better.
func ExampleFilter_One() {
	layers, _ := layered.New(layered.Month)
	full := layered.Held{Day: 150, Week: 1050, All: 4500}
	fmt.Printf("together: %.2f %%\n", 100*layers.FPRHeld(full))
	fmt.Printf("one filter: %.2f %%\n", 100*bloom.Exact(full.All, layers.One(full.All)))
	// Output:
	// together: 2.97 %
	// one filter: 0.29 %
}
