package logs_test

import (
	"fmt"
	"strings"

	"dejavu/workload/logs"
)

// A log of MIND, request by request, with what a replay keeps for each user in an array.
func Example() {
	const behaviors = "1\tU13\t11/15/2019 8:55:22 AM\tN7\tN1-0 N2-1\n" +
		"2\tU80\t11/15/2019 8:55:23 AM\t\tN1-0 N3-0\n" +
		"yesterday\n" +
		"3\tU13\t11/15/2019 9:01:02 AM\tN7\tN2-0 N4-1\n"
	log, err := logs.New(strings.NewReader(behaviors), "behaviors.tsv", logs.Options{
		MaxShare: 0.5, OnFault: func(f logs.Fault) { fmt.Println(f) },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer log.Close()
	users, err := logs.NewUsers(1000)
	if err != nil {
		fmt.Println(err)
		return
	}
	var shown []int
	for request := range log.Requests() {
		user, ok := users.Number(request[0].User)
		if !ok {
			fmt.Println("more than 1000 users")
			return
		}
		if int(user) == len(shown) {
			shown = append(shown, 0)
		}
		shown[user] += len(request)
	}
	if err := log.Err(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(log.Decided().Format, "shown to each user:", shown)
	fmt.Printf("%+v\n", log.Counts())
	// Output:
	// behaviors.tsv:3: fewer than 5 fields between tabs: impression, user, time, history, impressions
	// mind shown to each user: [4 2]
	// {Lines:4 Faults:1 Passed:0 Blank:0 Events:6 Requests:3 OutOfOrder:0}
}
