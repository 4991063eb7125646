// Package logtest makes logs for tests: requests as text in each format, and the requests of a simulated population.
package logtest

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"dejavu/strategies"
	"dejavu/workload"
	"dejavu/workload/logs"
)

// lines has an event's line in each format but MIND: user, article, time in words and in seconds, and request.
var lines = map[logs.Format]string{
	logs.Access: `%[1]d - - [%[3]s] "GET %[2]d HTTP/1.1" 200 5 "-" "a \"b\" c"`,
	logs.CSV:    "%[1]d,%[2]d,%[4]d,%[5]d",
	logs.JSON:   `{"user":%[1]d,"article":%[2]d,"time":%[4]d,"request":%[5]d}`,
}

// Text returns requests as a log that Options.Numbered reads back. The events of a request are a line each, except in
// MIND. A CSV and JSON have a column of requests.
func Text(in logs.Format, requests ...[]logs.Event) []byte {
	var b bytes.Buffer
	if in == logs.CSV {
		b.WriteString("user,article,time,request\n")
	}
	for i, events := range requests {
		at := time.Unix(events[0].Time, 0).UTC()
		if in == logs.MIND {
			fmt.Fprintf(&b, "%d\tU%d\t%s\t\t", i+1, events[0].User, at.Format("1/2/2006 3:04:05 PM"))
		}
		for j, e := range events {
			if in == logs.MIND {
				fmt.Fprintf(&b, "%.*sN%d-%d", min(j, 1), " ", e.Article, j%2)
				continue
			}
			fmt.Fprintf(&b, lines[in]+"\n", e.User, e.Article, at.Format("02/Jan/2006:15:04:05 -0700"), e.Time, i)
		}
		if in == logs.MIND {
			b.WriteString("\n")
		}
	}
	return b.Bytes()
}

// Daily returns the two days of a population, as requests in the order of their times, from start on, in seconds since
// 1970. Nothing is remembered: all recalled articles can be shown.
func Daily(population workload.Daily, start int64) (requests [][]logs.Event) {
	n := population.Config().Recalled
	articles, ages, ids := make([]int32, n), make([]int, n), make([]strategies.ID, n)
	most := min(population.Config().PerRefresh, n)
	for user := range population.Users() {
		v, shown := population.Visitor(user), []int32(nil)
		for at, ok := v.Next(); ok; at, ok = v.Next() {
			v.Recall(shown, articles, ages, ids)
			shown = append(shown, articles[:most]...)
			var request []logs.Event
			for _, id := range ids[:most] {
				request = append(request, logs.Event{User: uint64(user), Article: id, Time: start + int64(at)})
			}
			requests = append(requests, request)
		}
	}
	slices.SortStableFunc(requests, func(a, b []logs.Event) int { return int(a[0].Time - b[0].Time) })
	return requests
}
