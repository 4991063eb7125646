package workload

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"dejavu/bloom"
	idmix "dejavu/internal/mix"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// The golden values of docs/workload.md, which another program can be written from, are those of this code.
func TestPage(t *testing.T) {
	page := strategytest.Value(os.ReadFile("../docs/workload.md"))
	_, after, _ := strings.Cut(string(page), "\n```golden\n")
	block, _, _ := strings.Cut(after, "```")
	want := strings.Split(strings.TrimSpace(block), "\n")
	got := golds(t)
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(want):
			t.Errorf("the page lacks %q", got[i])
		case i >= len(got):
			t.Errorf("the page says %q too", want[i])
		case want[i] != got[i]:
			t.Errorf("the page says\n%s, want\n%s", want[i], got[i])
		}
	}
}

// golds are the lines of the page, as the code computes them.
func golds(t *testing.T) (lines []string) {
	t.Helper()
	const seed = 2016
	say := func(what string, values ...any) {
		lines = append(lines, what+" ="+fmt.Sprintf(strings.Repeat(" %v", len(values)), values...))
	}
	hex := func(x uint64) string { return fmt.Sprintf("0x%016x", x) }
	numbers := func(all []int) (values []any) {
		for _, n := range all {
			values = append(values, n)
		}
		return values
	}
	say("draw(1)", hex(mix(1)))
	for _, c := range []struct {
		user    int
		purpose uint64
	}{{0, forOrder}, {1, forOrder}, {0, forLife}, {0, forRequest}, {0, forVisits}} {
		say(fmt.Sprintf("key(%d, %d)", c.user, c.purpose), hex(newDraws(seed, c.user, c.purpose).key))
	}
	stream := newDraws(seed, 0, forOrder)
	say("stream(key(0, 1))", hex(stream.next()), hex(stream.next()), hex(stream.next()))
	full := Full{population: population{seed, 20}}
	for user := range 2 {
		r := full.Reader(user)
		say(fmt.Sprintf("ID(%d, 0..2)", user), hex(uint64(r.ID(0))), hex(uint64(r.ID(1))), hex(uint64(r.ID(2))))
		say(fmt.Sprintf("ID(%d, FRESH)", user), hex(uint64(r.ID(Fresh))))
	}
	p := full.Picks(0)
	say("pick(0, -1, 20), pick(0, -2, 8), pick(0, -3, 4), pick(0, 0, 42), pick(0, 8, 500)",
		p.At(-1, 20), p.At(-2, 8), p.At(-3, 4), p.At(0, 42), p.At(8, 500))
	var lives []int
	for user := range full.Users() {
		lives = append(lives, full.Shown(user))
	}
	say("life of users 0..19", numbers(lives)...)
	id := uint64(full.Reader(0).ID(0))
	say("mix(0)", hex(idmix.Mix(0)))
	say("mix(1)", hex(idmix.Mix(1)))
	say("mix(ID(0, 0))", hex(idmix.Mix(id)))
	for _, g := range []bloom.Geometry{{Bits: 4064, Hashes: 6}, {Bits: 812, Hashes: 6}, {Bits: 814, Hashes: 7}} {
		say(fmt.Sprintf("positions(ID(0, 0), %v)", g), numbers(g.Positions(nil, id))...)
	}
	visitor := Daily{population{seed, 20}, newHabits(DefaultDaily())}.Visitor(0)
	say("gap of user 0", visitor.gap)
	at, _ := visitor.Next()
	say("at of user 0", at)
	say("E[1], E[512], E[1023]", exponential[1], exponential[512], exponential[1023])
	market := strategytest.Value(NewPopular(PopularConfig{Articles: 5000, Exponent: 1}, seed, 20))
	say("T of market 5000, 1", market.sums[5000])
	say("ID of its article 0", hex(uint64(market.ID(0))))
	var order [6]int32
	market.Orders().First(order[:], 0)
	say("order of its user 0", order[0], order[1], order[2], order[3], order[4], order[5])
	secret := strategytest.Value(strategies.NewSecret([]byte("the salts of seed 2016")))
	say("salted(0) of user 0", hex(uint64(secret.Salt(0).ID(0))))
	return lines
}
