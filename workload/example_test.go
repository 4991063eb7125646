package workload_test

import (
	"fmt"

	"dejavu/strategies"
	"dejavu/workload"
)

// Fresh articles and repeats are known by construction: a user's articles are numbered in the order in which they are
// shown, and articles from Fresh on never are.
func Example() {
	population, err := workload.NewFull(2016, 10_000_000)
	if err != nil {
		fmt.Println(err)
		return
	}
	const user = 1234567
	reader := population.Reader(user)
	shown := make([]strategies.ID, population.Shown(user))
	reader.IDs(shown, 0)

	newest := reader.ID(len(shown) - 1)
	fresh := reader.ID(workload.Fresh)
	fmt.Println(newest == shown[len(shown)-1], newest == fresh)
	// Output: true false
}

// Two days of one user, refresh by refresh. The memory here is perfect: it passes exactly what Recall knows to be
// fresh.
func ExampleDaily() {
	population, err := workload.NewDaily(2016, 10_000_000)
	if err != nil {
		fmt.Println(err)
		return
	}
	visitor := population.Visitor(7)
	articles, ages, ids := make([]int32, workload.Recalled), make([]int, workload.Recalled), make([]strategies.ID,
		workload.Recalled)
	var shown []int32
	for {
		at, ok := visitor.Next()
		if !ok {
			break
		}
		visitor.Recall(shown, articles, ages, ids)
		before := len(shown)
		for i, article := range articles {
			if ages[i] == 0 && len(shown)-before < workload.PerRefresh {
				shown = append(shown, article)
			}
		}
		fmt.Printf("hour %2d: %d shown\n", at/3600, len(shown))
	}
	// Output:
	// hour 26: 10 shown
	// hour 26: 20 shown
	// hour 26: 30 shown
	// hour 26: 40 shown
	// hour 26: 50 shown
	// hour 26: 60 shown
	// hour 26: 70 shown
	// hour 26: 80 shown
	// hour 26: 90 shown
	// hour 26: 100 shown
}
