package replay_test

import (
	"context"
	"fmt"
	"strings"

	"dejavu/chain"
	"dejavu/experiments/replay"
	"dejavu/measure"
	"dejavu/measure/deal"
	"dejavu/store"
	"dejavu/workload/logs"
)

// The paper's chain over a log of four requests.
func ExampleConfig() {
	const behaviors = "1\tU13\t11/15/2019 8:55:22 AM\t\tN1-0 N2-1\n" +
		"2\tU80\t11/15/2019 8:55:23 AM\t\tN1-0 N3-0\n" +
		"3\tU13\t11/15/2019 9:01:02 AM\t\tN2-0 N4-1\n" + // N2 again
		"4\tU13\t11/16/2019 9:01:02 AM\t\tN2-0\n" // and once more, forgotten after 24 hours
	log, err := logs.New(strings.NewReader(behaviors), "behaviors.tsv", logs.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer log.Close()
	c, err := chain.New(chain.Paper)
	if err != nil {
		fmt.Println(err)
		return
	}
	subjects := []measure.Subject{{Name: "chain", Strategy: c, Theory: c}}
	tally, err := replay.Config{Idle: store.Day}.Run(context.Background(), subjects, log, measure.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	got := tally.Strategies[0]
	fmt.Println(tally.Log.Users, "users,", got.Shown, "articles shown")
	fmt.Println(got.Fresh.Hits, "of", got.Fresh.Queries, "false positives")
	fmt.Println("repeats 1 ago:", got.Repeated[deal.AgeBin(1)], "recognised:", got.Recognised[deal.AgeBin(1)])
	fmt.Println("repeats 2 ago:", got.Repeated[deal.AgeBin(2)], "recognised:", got.Recognised[deal.AgeBin(2)])
	// Output:
	// 2 users, 7 articles shown
	// 0 of 5 false positives
	// repeats 1 ago: 1 recognised: 1
	// repeats 2 ago: 1 recognised: 0
}
