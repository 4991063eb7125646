package wire_test

import (
	"fmt"
	"net"

	"dejavu/experiments/ship/wire"
	"dejavu/single"
	"dejavu/store"
	"dejavu/strategies"
)

// A recall server that fetches a user's history and tests its candidates itself, and
// then has them tested where the history lies.
func Example() {
	filter, err := single.New(single.Paper)
	if err != nil {
		fmt.Println(err)
		return
	}
	histories, err := store.New[int](store.Config{Unsalted: true, Strategy: filter, Users: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	histories.Record(0, 0, []strategies.ID{1, 2, 3})
	here, there := net.Pipe()
	go wire.Service{Histories: histories, Users: 1}.Serve(there)

	client, candidates, seen := wire.NewClient(here), []strategies.ID{3, 4}, make([]bool, 2)
	history, err := client.Ship(0, nil)
	if err == nil {
		err = filter.Validate(history)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	filter.Seen(history, candidates, seen)
	fmt.Println("shipped:", seen, wire.ShippedBytes(len(history)), "bytes")

	clear(seen)
	if err := client.Ask(0, candidates, seen); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("asked:", seen, wire.AskedBytes(len(candidates)), "bytes")
	fmt.Println("shipping takes fewer from", wire.BreakEven(len(history)), "candidates on")
	here.Close()
	// Output:
	// shipped: [true false] 520 bytes
	// asked: [true false] 29 bytes
	// shipping takes fewer from 63 candidates on
}
