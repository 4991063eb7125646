package daily_test

import (
	"fmt"
	"slices"

	"dejavu/beyond/daily"
	"dejavu/strategies"
)

// What was shown on the first of the month is forgotten on the 31st day, and
// what was shown on the second is not.
func Example() {
	month, _ := daily.New(daily.Month)
	first, second := strategies.XXHashString("/notes/1"), strategies.XXHashString("/notes/2")
	history := month.On(1).Record(nil, []strategies.ID{first}) // nil is a newcomer's
	history = month.On(2).Record(history, []strategies.ID{second})

	seen := make([]bool, 2)
	for _, day := range []int{2, 30, 31, 32} {
		month.On(day).Seen(history, []strategies.ID{first, second}, seen)
		fmt.Println(day, seen)
	}
	fmt.Println(len(history), "bytes for two days,", month.BytesDays(30), "for thirty")
	// Output:
	// 2 [true true]
	// 30 [true true]
	// 31 [false true]
	// 32 [false false]
	// 634 bytes for two days, 9395 for thirty
}

// A heavy day raises the rate as long as it lasts.
func ExampleFilter_FPRDays() {
	month, _ := daily.New(daily.Month)
	days := slices.Repeat([]int{150}, 30)
	fmt.Printf("%.2f %%\n", 100*month.FPRDays(days))
	days[3] = 600
	fmt.Printf("%.2f %% with four times as many on one day\n", 100*month.FPRDays(days))
	// Output:
	// 1.00 %
	// 44.79 % with four times as many on one day
}
