package workload

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"dejavu/bloom"
	"dejavu/internal/kernel"
	"dejavu/internal/kernel/kerneltest"
	idmix "dejavu/internal/mix"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"

	"gonum.org/v1/gonum/stat/distuv"
)

// rare is the error rate of a chi-square or Kolmogorov-Smirnov test here: a correct generator fails one with this
// probability, once and for all, since every seed is fixed.
const rare = 1e-4

// chiSquare returns the probability that counts lie at least as far from the expected ones by chance.
func chiSquare(counts []int, expected []float64) float64 {
	sum := 0.
	for i, n := range counts {
		d := float64(n) - expected[i]
		sum += d * d / expected[i]
	}
	return distuv.ChiSquared{K: float64(len(counts) - 1)}.Survival(sum)
}

// even divides n things into equal classes.
func even(n, classes int) []float64 {
	expected := make([]float64, classes)
	for i := range expected {
		expected[i] = float64(n) / float64(classes)
	}
	return expected
}

// inverse returns the number mod 2^64 whose product with an odd x is 1 (Newton's iteration doubles the right bits each
// time).
func inverse(x uint64) uint64 {
	y := x
	for range 6 {
		y *= 2 - x*y
	}
	return y
}

// position undoes Reader.ID: the i that has this ID.
func (r Reader) position(id strategies.ID) int {
	const mask = Catalogue - 1
	x := uint64(id)
	x ^= x>>29 ^ x>>58
	x *= inverse(0x9fb21c651e98df25)
	x ^= x >> 32
	a := x*inverse(0xd6e8feb86659fd93) - r.salt
	a = a * inverse(r.twist) & mask
	a ^= a >> (catalogueBits / 2)
	return int((a - r.offset) * inverse(r.stride) & mask)
}

// A map that can be undone is one-to-one: every step of ID is undone here, for users of several seeds, at
// both ends of the order, around its middle, and at places all over it.
func TestOrderIsAPermutation(t *testing.T) {
	for _, seed := range []uint64{0, 1, 1 << 63} {
		for _, user := range []int{0, 1, 77, MaxUsers - 1} {
			r := reader(seed, user)
			check := func(i int) {
				if back := r.position(r.ID(i)); back != i {
					t.Fatalf("seed %d, user %d: article %d comes back as %d", seed, user, i, back)
				}
			}
			for j := range 4096 {
				check(j)
				check(Fresh - 2048 + j)
				check(Catalogue - 1 - j)
				check(int(mix(uint64(j)) % Catalogue))
			}
		}
	}
}

// One seed means one catalogue: two users meet the same IDs, in other orders.
func TestReadersShareTheCatalogue(t *testing.T) {
	a, b, other := reader(3, 1), reader(3, 2), reader(4, 1)
	same := 0
	for i := range 1000 {
		id := a.ID(i)
		if b.ID(b.position(id)) != id {
			t.Fatalf("ID %#x of one reader is not in the other's order", id)
		}
		if other.ID(other.position(id)) == id {
			t.Fatalf("ID %#x is in the catalogue of another seed", id)
		}
		if b.ID(i) == id {
			same++
		}
	}
	strategytest.AtMost(t, same, 2, "places of 1000 at which two orders agree")
}

// All kernels return the IDs that ID does, any number from any article of any order on, and write nothing behind them.
func TestDrawn(t *testing.T) {
	memory := strategytest.Guarded(t, 1<<20)
	kerneltest.Draw(t, 1000, "53b18acb2ab85f99", func(_ int, r *rand.Rand) (about string, returned []byte) {
		n, behind, seed, user := kerneltest.Length(r), r.IntN(2)*r.IntN(10), r.Uint64(), r.IntN(1<<20)
		first := kerneltest.Log(r, 0, Catalogue-n)
		order := Full{population: population{seed, MaxUsers}}.Reader(user)
		ids := kerneltest.Place[strategies.ID](memory, n+behind, r)
		clear(ids)
		order.IDs(ids[:n], first)
		want := make([]strategies.ID, n+behind)
		for i := range n {
			want[i] = order.ID(first + i)
		}
		if !slices.Equal(ids, want) {
			t.Fatalf("kernels: %v, user %d of seed %d: %d IDs from %d on, or %d behind them, are wrong", kernel.Now(), user,
				seed, n, first, behind)
		}
		return fmt.Sprintf("%d IDs", n), strategytest.Value(binary.Append(nil, binary.LittleEndian, ids))
	})
}

// A filter sees no difference between a user's articles and random IDs: its false positive rate is the exact
// one (Bose et al. 2008) within four standard errors, 0.9 % of the rate, with users as the observations.
// Right IDs fail with a probability of 6e-5. Article numbers that were not digested are found.
func TestIDsAreGoodEnoughForFilters(t *testing.T) {
	one := strategytest.Value(bloom.NewLanes(bloom.Geometry{Bits: 812, Hashes: 6}, 1))
	const readers, queries = 3000, 200
	z := func(draw func(dst []strategies.ID, user, i int)) float64 {
		fill := func(dst []strategies.ID, user, i int) {
			draw(dst, user, i)
			for j, id := range dst { // the filter must not mix what is to be good enough without
				dst[j] = strategies.ID(idmix.Unmix(uint64(id)))
			}
		}
		var hits, squared float64
		ids, seen := make([]strategies.ID, 200), make([]bool, queries)
		for user := range readers {
			array := make([]byte, one.Bytes())
			fill(ids[:100], user, 0)
			bloom.Insert(one, array, 1, ids[:100])
			fill(ids, user, Fresh)
			bloom.Query(one, array, 1, ids, seen)
			n := 0.
			for _, s := range seen {
				if s {
					n++
				}
			}
			hits, squared = hits+n, squared+n*n
		}
		mean := hits / readers
		return (mean - queries*bloom.Exact(100, one.Geometry())) / math.Sqrt((squared/readers-mean*mean)/readers)
	}
	if off := z(func(dst []strategies.ID, user, i int) { reader(1, user).IDs(dst, i) }); math.Abs(off) > 4 {
		t.Errorf("the rate is %.1f standard errors off", off)
	}
	numbers := func(dst []strategies.ID, user, i int) {
		for j := range dst {
			dst[j] = strategies.ID(uint64(user)<<32 + uint64(i+j))
		}
	}
	strategytest.AtLeast(t, math.Abs(z(numbers)), 4, "article numbers pass for IDs: standard errors")
}

// Draws below n are even; chi-square.
func TestBelow(t *testing.T) {
	for _, n := range []int{2, 3, 10, 300, 1024} {
		counts := make([]int, n)
		d := newDraws(1, n, forVisits)
		for range 1000 * n {
			counts[d.below(n)]++
		}
		strategytest.AtLeast(t, chiSquare(counts, even(1000*n, n)), rare, "draws below %d are uneven: p", n)
	}
}

// Determinism across machines and versions: the first draws of everything, digested. Committed results depend
// on them, so that a change has to be meant.
func TestGoldenDraws(t *testing.T) {
	h := sha256.New()
	put := func(x uint64) { h.Write(binary.LittleEndian.AppendUint64(nil, x)) }
	for _, seed := range []uint64{0, 1, 2016} {
		full, daily := Full{population: population{seed, 10}}, Daily{population: population{seed, 10}, habits: defaultHabits}
		for user := range 10 {
			put(uint64(full.Shown(user)))
			for i := range 50 {
				put(uint64(full.Picks(user).At(i, 1000)))
				put(uint64(full.Reader(user).ID(i)))
			}
			for _, visit := range live(daily.Visitor(user)) {
				put(uint64(visit.at))
				for i := range visit.articles {
					put(uint64(visit.articles[i]))
					put(uint64(visit.ages[i]))
					put(uint64(visit.ids[i]))
				}
			}
		}
	}
	strategytest.Equal(t, fmt.Sprintf("%x", h.Sum(nil)[:8]), "a3ce6a570007d610", "digest of the first draws")
}

func TestUsersOutOfRange(t *testing.T) {
	most := MaxUsers // plus one is negative where an int has 32 bits
	for _, users := range []int{-1, 0, most + 1} {
		_, full := NewFull(1, users)
		_, daily := NewDaily(1, users)
		for _, err := range []error{full, daily} {
			strategytest.ErrorSays(t, "users out of range", err, fmt.Sprintf("users is %d, want 1 to 2147483647", users))
		}
	}
	for _, users := range []int{1, MaxUsers} {
		full, err := NewFull(1, users)
		daily, err2 := NewDaily(1, users)
		if err != nil || err2 != nil || full.Users() != users || daily.Users() != users {
			t.Errorf("%d users: errors %v and %v, Users() %d and %d", users, err, err2, full.Users(), daily.Users())
		}
	}
}

// The golden values of second/spec/workload.md, from which another program can be written, match this code.
func TestPage(t *testing.T) {
	page := strategytest.Value(os.ReadFile("../second/spec/workload.md"))
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

// golds returns the lines of the page, as the code computes them.
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
