package confirmed_test

import (
	"fmt"

	"dejavu/beyond/confirmed"
	"dejavu/single"
)

// A list of a hundred before a filter for 500 articles gives it, at 550, the rate of 450.
func Example() {
	filter, _ := single.New(single.Paper)
	s, err := confirmed.New(confirmed.Config{Inner: filter, Last: 100})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("alone:     window %d, %.2f %% in %d bytes\n", filter.Window(550), 100*filter.FPR(550), filter.Bytes(550))
	fmt.Printf("confirmed: window %d, %.2f %% in %d bytes\n", s.Window(550), 100*s.FPR(550), s.Bytes(550))
	// Output:
	// alone:     window 550, 2.96 % in 508 bytes
	// confirmed: window 550, 1.31 % in 1312 bytes
}
