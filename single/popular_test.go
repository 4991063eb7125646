package single_test

import (
	"strings"
	"testing"

	"dejavu/single"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// Where articles differ in popularity and all users' filters probe the same positions,
// the mean rate is right and some articles are hidden from a large part of all users.
// With a salt of each user's own, no article is: the rates differ as chance has it.
//
// Of an article unseen by n users the salted rate has a standard error of
// sqrt(0.02*0.98/n): 0.3 % for the most, whose 99th percentile is 2.8 %. It is above
// 3.2 % with a probability below 1 in 10^6, for a fixed seed always or never.
func TestPopularArticles(t *testing.T) {
	filter, err := single.New(single.Paper)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := strategies.NewSecret([]byte(strings.Repeat("popular", 3)))
	if err != nil {
		t.Fatal(err)
	}
	p := strategytest.Popularity{Articles: 5000, Shown: 500, Users: 2000, Exponent: 1}
	salt := func(user int) strategies.Salt { return secret.Salt(uint64(user)) }
	for _, c := range []struct {
		name                string
		salt                func(int) strategies.Salt
		least, most, hidden float64 // bounds of the 99th percentile; of the worst
	}{
		{"one for all", nil, 0.12, 0.18, 0.4},
		{"salted", salt, 0.022, 0.032, 0},
	} {
		rates := p.FPR(filter, c.salt, 500)
		mean := 0.
		for _, r := range rates {
			mean += r / float64(len(rates))
		}
		p99, worst := rates[len(rates)*99/100], rates[len(rates)-1]
		t.Logf("%s: mean %.4f, 99th percentile %.4f, worst %.4f of %d articles", c.name, mean, p99, worst, len(rates))
		if mean < 0.0185 || mean > 0.0225 || p99 < c.least || p99 > c.most || worst < c.hidden || c.hidden == 0 && worst > 0.05 {
			t.Errorf("%s: mean %.4f, 99th percentile %.4f, want %.3f to %.3f, worst %.4f", c.name, mean, p99, c.least, c.most, worst)
		}
	}
}
