package logs_test

import (
	"fmt"
	"strings"

	"dejavu/strategies"
	"dejavu/workload/logs"
)

// A log of MIND, request by request, with what is known of each user in a map.
func Example() {
	user := func(key string) uint64 { return uint64(strategies.XXHash([]byte(key))) }
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
	shown := map[uint64]int{}
	for request := range log.Requests() {
		shown[request[0].User] += len(request)
	}
	if err := log.Err(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(log.Decided().Format, "shown to one user and the other:", shown[user("U13")], shown[user("U80")])
	fmt.Printf("%+v\n", log.Counts())
	// Output:
	// behaviors.tsv:3: 1 field between tabs, want 5: impression, user, time, history, impressions
	// mind shown to one user and the other: 4 2
	// {Lines:4 Faults:1 Empty:0 Passed:0 LeftOut:0 Blank:0 Events:6 Requests:3 OtherMethods:0 OutOfOrder:0}
}
