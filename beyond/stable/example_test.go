package stable_test

import (
	"fmt"

	"dejavu/beyond/stable"
	"dejavu/strategies"
)

// One user's memory is 508 bytes, from the first article on.
func Example() {
	memory, err := stable.New(stable.TwoBits)
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
	// Output: [true true false] 508 bytes
}

// A filter that forgets at random has no window, but a chance by age.
func ExampleFilter_Remembered() {
	one, _ := stable.New(stable.OneBit)
	two, _ := stable.New(stable.TwoBits)
	for _, age := range []int{1, 3, 50, 200, 500} {
		fmt.Printf("age %3d: %5.1f %% by cells of one bit, %5.1f %% of two\n", age, 100*one.Remembered(age),
			100*two.Remembered(age))
	}
	// Output:
	// age   1: 100.0 % by cells of one bit, 100.0 % of two
	// age   3:  98.8 % by cells of one bit, 100.0 % of two
	// age  50:  75.3 % by cells of one bit,  92.7 % of two
	// age 200:  33.9 % by cells of one bit,  20.8 % of two
	// age 500:   9.8 % by cells of one bit,   2.3 % of two
}
