package layered_test

import (
	"fmt"

	"dejavu/beyond/layered"
	"dejavu/bloom"
	"dejavu/strategies"
)

// What was shown on a Monday is in the layer of the day, of the week from
// Tuesday on, and then of all time.
func Example() {
	layers, err := layered.New(layered.Month)
	if err != nil {
		fmt.Println(err)
		return
	}
	candidates := []strategies.ID{strategies.XXHashString("/news/1"), strategies.XXHashString("/news/2")}
	var history []byte // a newcomer's
	history = layers.On(0).Record(history, candidates[:1])

	seen, layer := make([]bool, 2), make([]int, 2)
	for _, day := range []int{0, 1, 7} {
		layers.On(day).Seen(history, candidates, seen)
		layers.First(history, day, candidates, layer)
		fmt.Println(day, seen, layer)
	}
	// Output:
	// 0 [true false] [0 3]
	// 1 [true false] [1 3]
	// 7 [true false] [2 3]
}

// A candidate is new if no layer says otherwise. So three times 1 % are 2.97 %,
// and one filter of as many bytes does better by a factor of ten.
func ExampleFilter_One() {
	layers, _ := layered.New(layered.Month)
	full := layered.Held{Day: 150, Week: 1050, All: 4500}
	fmt.Printf("layers of %.4f\n", layers.Shares(full))
	fmt.Printf("together: %.2f %%\n", 100*layers.FPRHeld(full))
	fmt.Printf("one filter: %.2f %%\n", 100*bloom.Exact(full.All, layers.One(full.All)))
	// Output:
	// layers of [0.0100 0.0100 0.0100]
	// together: 2.97 %
	// one filter: 0.29 %
}
