package replayer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dejavu/experiments/catalogue/cataloguetest"
	"dejavu/experiments/row"
	"dejavu/measure"
	"dejavu/workload"
)

// In a log whose users share popular articles, the interval of the false positive rate is
// clustered by user and by article: the queries are those by user, each under its article,
// and the standard error is half as large again as that by user alone, by either rule of
// recording.
func TestSharedArticles(t *testing.T) {
	const users, shown = 600, 560
	p, err := workload.NewPopular(workload.PopularConfig{Articles: 5000, Exponent: 1}, 1, users)
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	log.WriteString("user,article,time,request\n")
	want := measure.NewArticles()
	orders, order := p.Orders(), make([]int32, shown)
	for user := range users {
		orders.First(order, user)
		for i, article := range order {
			want.Add(p.ID(int(article)), false)
			fmt.Fprintf(&log, "%d,%d,%d,%d\n", user, p.ID(int(article)), logStart+i/4, i/4)
		}
	}
	subjects := cataloguetest.Paper(t)[1:2]
	for _, passed := range []bool{false, true} {
		counts, _ := replayed(t, []byte(log.String()), Config{Passed: passed}, 2, subjects...)
		c := counts[0]
		if hits := row.Sum(c.Articles.Hits); c.Fresh.Queries != users*shown || hits != c.Fresh.Hits || hits < 300 {
			t.Errorf("passed %t: %d hits by article, %d of %d by user", passed, hits, c.Fresh.Hits, c.Fresh.Queries)
		}
		if !slices.Equal(c.Articles.Queries, want.Queries) {
			t.Errorf("passed %t: queries by article are not the log's", passed)
		}
		byUser, both := c.Fresh.StdErr(), c.Articles.StdErr(c.Fresh)
		if both < 1.5*byUser {
			t.Errorf("passed %t: standard error %.2g by user, %.2g by both: the test shows nothing", passed, byUser, both)
		}
	}
}
