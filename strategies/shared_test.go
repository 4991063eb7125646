package strategies_test

import (
	"bytes"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dejavu/beyond/ring"
	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/internal/mix"
	"dejavu/single"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// A layout's lengths are its arrays with the header. An empty history has a valid length, and an error for another
// length names the valid ones.
func TestLayout(t *testing.T) {
	l := strategies.NewLayout("toy", struct{}{}, 4, 10, 20, 30)
	if got := l.Sizes(); !slices.Equal(got, []int{14, 24, 34}) || l.HeaderBytes() != 4 {
		t.Errorf("sizes %d, a header of %d bytes", got, l.HeaderBytes())
	}
	for length, want := range map[int]int{0: 0, 1: 0, 13: 0, 14: 0, 15: 0, 23: 0, 24: 1, 33: 1, 34: 2, 99: 2} {
		err := l.CheckLength(make([]byte, length))
		if ok := length == 0 || slices.Contains(l.Sizes(), length); ok != (err == nil) {
			t.Errorf("a history of %d bytes: %v", length, err)
		} else if err != nil && (!strings.HasPrefix(err.Error(), "toy: ") || !strings.Contains(err.Error(), "[14 24 34]")) {
			t.Errorf("a history of %d bytes is refused with %q", length, err)
		}
		strategytest.Equal(t, l.Index(make([]byte, length)), want,
			"a history of %d bytes is the th of the lengths", length)
	}
	f := strategies.NewFixed("toy", nil, 7)
	if f.Bytes(0) != 0 || f.Bytes(1) != 7 || f.Bytes(1<<20) != 7 || f.HeaderBytes() != 0 {
		t.Errorf("a fixed layout takes %d, %d and %d bytes, %d of them header", f.Bytes(0), f.Bytes(1), f.Bytes(1<<20),
			f.HeaderBytes())
	}
}

// Grow appends blank bytes, in place if there is room, and shortens nothing.
func TestGrow(t *testing.T) {
	dirty := bytes.Repeat([]byte{7}, 10)
	grows := func(given []byte, size int, want []byte, moves bool) {
		t.Helper()
		got := strategies.Grow(given, size)
		strategytest.EqualSlices(t, got, want, "%d bytes grown to %d are", len(given), size)
		strategytest.Equal(t, len(given) == 0 || &got[0] != &given[0], moves,
			"%d bytes with room for %d move to grow to %d", len(given), cap(given), size)
	}
	grows(dirty[:2:10], 2, []byte{7, 7}, false)
	grows(dirty[:2:10], 1, []byte{7, 7}, false)
	grows(slices.Clone(dirty)[:2:10], 5, []byte{7, 7, 0, 0, 0}, false)
	grows(slices.Clone(dirty)[:2:4], 5, []byte{7, 7, 0, 0, 0}, true)
	grows(nil, 3, []byte{0, 0, 0}, true)
}

// Sizing targets and fields may lie at the ends of their ranges.
func TestRanges(t *testing.T) {
	says := func(window int, fpr float64, want string) {
		t.Helper()
		strategytest.Equal(t, fmt.Sprint(strategies.ValidTarget("x", window, 9, fpr)), want,
			"a window of %d at %v", window, fpr)
	}
	says(1, 0.5, "<nil>")
	says(9, 0.5, "<nil>")
	says(0, 0.5, "x: window is 0, want 1 to 9")
	says(10, 0.5, "x: window is 10, want 1 to 9")
	says(1, 0, "x: fpr is 0, want it between 0 and 1, both excluded")
	says(1, 1, "x: fpr is 1, want it between 0 and 1, both excluded")
	says(1, math.NaN(), "x: fpr is NaN, want it between 0 and 1, both excluded")
	strategytest.Equal(t, fmt.Sprint(strategies.Unmet("x", 7, 0.02, 0.04)),
		"x: fpr is 0.02, want at least 0.042 for 7 articles", "what no configuration reaches")
	for value, want := range map[int]string{-1: "x is -1, want at least 0", 0: "<nil>", math.MaxInt: "<nil>"} {
		strategytest.Equal(t, fmt.Sprint(strategies.Within("x", value, 0, math.MaxInt)), want, "%d", value)
	}
}

func secretOf(t testing.TB, key string) strategies.Secret {
	t.Helper()
	return strategytest.Value(strategies.NewSecret([]byte(strings.Repeat(key, strategies.SecretBytes))))
}

func TestSecret(t *testing.T) {
	a, b := secretOf(t, "a"), secretOf(t, "b")
	if a != secretOf(t, "a") || a == b || a.Fingerprint() == b.Fingerprint() || a.IsZero() ||
		!(strategies.Secret{}).IsZero() {
		t.Error("secrets are not told apart by their keys")
	}
	if x, y := strategies.RandomSecret(), strategies.RandomSecret(); x == y || x.IsZero() {
		t.Error("random secrets are the same")
	}
	strategytest.ErrorSays(t, "a short key", strategytest.ErrorOf(strategies.NewSecret(make([]byte, 15))),
		"15 bytes, want 16 or more")
	if a.Digest([]byte("key")) != a.DigestString("key") || a.DigestString("key") == b.DigestString("key") ||
		a.DigestString("") == a.DigestString("k") {
		t.Error("digests do not depend on the secret and the key alone")
	}
	strategytest.Equal(t, testing.AllocsPerRun(10,
		func() { _, _ = a.DigestString("a key of some length, as URLs have"), a.Salt(7) }), 0, "digests allocate times")
	if a.Digest(nil) == b.Digest(nil) {
		t.Error("digests of nothing are the same under two secrets")
	}
}

// A salt is a permutation: no two IDs become one. Every bit of the salted ID depends on each bit of the ID, and of the
// user's number: IDs that differ in one bit differ in each bit for about half of all salts, and so do two users'.
func TestSalt(t *testing.T) {
	secret, random := secretOf(t, "salt"), rand.New(rand.NewPCG(14, 14))
	const salts = 4000
	var flipped [2][64][64]int
	for user := range uint64(salts) {
		salt, id := secret.Salt(user), strategies.ID(random.Uint64())
		if got := salt.Append([]strategies.ID{1}, []strategies.ID{id, id}); got[0] != 1 || got[1] != salt.ID(id) ||
			got[2] != got[1] || len(got) != 3 {
			t.Fatalf("Append gives %v", got)
		}
		for in := range 64 {
			change := uint64(salt.ID(id) ^ salt.ID(id^1<<in))
			if change == 0 {
				t.Fatalf("user %d: two IDs become one", user)
			}
			other := uint64(salt.ID(id) ^ secret.Salt(user^1<<in).ID(id))
			for out := range 64 {
				flipped[0][in][out] += int(change >> out & 1)
				flipped[1][in][out] += int(other >> out & 1)
			}
		}
	}
	// Each is a binomial of 4000 at one half: one of the 8192 is six standard deviations off with a chance of 2e-5.
	for what, name := range []string{"ID", "user"} {
		for in := range 64 {
			for out := range 64 {
				strategytest.Between(t, flipped[what][in][out], salts/2-190, salts/2+190,
					"bit %d of the %s changes bit %d: users of %d", in, name, out, salts)
			}
		}
	}
	if secret.Salt(1) == secret.Salt(2) || secret.Salt(1) == secretOf(t, "b").Salt(1) {
		t.Error("salts are not told apart")
	}
}

// 500 URLs, chosen so that each sets bits that were not set yet, take the false positive rate of a single filter from
// 2 to 16 %, and of five links from 10 to 58 %. Salted, or digested under a secret, they are like any others.
//
// The rates are of 40,000 fresh articles: the standard errors are below 0.25 %.
func TestChosenKeys(t *testing.T) {
	filter := strategytest.Value(single.New(single.Paper))
	links := strategytest.Value(chain.New(chain.Paper))
	secret, random := secretOf(t, "chosen"), rand.New(rand.NewPCG(14, 16))
	fresh, seen := make([]strategies.ID, 40_000), make([]bool, 40_000)
	for i := range fresh {
		fresh[i] = strategies.ID(random.Uint64())
	}
	for _, c := range []struct {
		strategy      strategies.Strategy
		header        int // bytes behind the bits of the filters
		chosen, usual float64
	}{{filter, 0, 0.16, 0.0204}, {links, 4, 0.58, 0.10}} {
		ones := func(history []byte) (n int) {
			for _, b := range history[:max(len(history)-c.header, 0)] {
				n += bits.OnesCount8(b)
			}
			return n
		}
		var history []byte
		var urls []string
		var ids []strategies.ID
		for n := 0; len(urls) < 500; n++ {
			url := fmt.Sprint("https://news.example/", n)
			id := strategies.XXHashString(url)
			if len(urls)%100 > 0 { // a link begins with any
				if more := c.strategy.Record(append([]byte(nil), history...), []strategies.ID{id}); ones(more) < ones(history)+6 {
					continue
				}
			}
			urls, ids = append(urls, url), append(ids, id)
			history = c.strategy.Record(history, ids[len(ids)-1:])
		}
		rate := func(history []byte) (rate float64) {
			c.strategy.Seen(history, fresh, seen)
			for _, s := range seen {
				if s {
					rate += 1. / float64(len(seen))
				}
			}
			return rate
		}
		digests := make([]strategies.ID, 500)
		for i, url := range urls {
			digests[i] = secret.DigestString(url)
		}
		chosen := rate(history)
		salted := rate(c.strategy.Record(nil, secret.Salt(7).Append(nil, ids)))
		digested := rate(c.strategy.Record(nil, digests))
		t.Logf("%T: chosen %.4f, salted %.4f, digested %.4f", c.strategy, chosen, salted, digested)
		strategytest.Between(t, chosen, c.chosen-0.015, c.chosen+0.015, "%T: chosen keys lead to a rate of", c.strategy)
		for _, usual := range []float64{salted, digested} {
			strategytest.Between(t, usual, 0.85*c.usual, 1.15*c.usual, "%T: with a secret the rate is", c.strategy)
		}
	}
}

// What strategies make of IDs is known, and who knows it can choose IDs that lie side by side for them: of 400 such
// articles and 400 others, a list of fingerprints takes all the others for seen. Salted they are as any others to each
// of 500 users: the mean is usual within four standard errors, and the worst, of binomials of 400, above 0.06 with a
// chance of 1e-4.
func TestChosenProgression(t *testing.T) {
	c := strategytest.Value(ring.Sized(400, 0.02))
	f := strategytest.Value(ring.New(c))
	inverse := uint64(bloom.Multiplier)
	for range 5 { // each doubles the bits that are right
		inverse *= 2 - bloom.Multiplier*inverse
	}
	ids, secret := make([]strategies.ID, 800), secretOf(t, "chosen")
	for i := range ids {
		ids[i] = strategies.ID(mix.Unmix((1<<60 + uint64(i)<<30) * inverse))
	}
	rate := func(ids []strategies.ID) float64 {
		return float64(strategytest.Count(strategytest.Ask(f, f.Record(nil, ids[:400]), ids[400:]))) / 400
	}
	const users = 500
	var sum, squares, worst float64
	for user := range uint64(users) {
		r := rate(secret.Salt(user).Append(nil, ids))
		sum, squares, worst = sum+r, squares+r*r, max(worst, r)
	}
	mean := sum / users
	off := (mean - f.FPR(400)) / math.Sqrt((squares/users-mean*mean)/users)
	t.Logf("chosen %.3f, salted %.4f (%.1f standard errors off), at worst %.4f", rate(ids), mean, off, worst)
	if rate(ids) < 0.99 || math.Abs(off) > 4 || worst > 0.06 {
		t.Errorf("chosen %.3f, want 1; salted %.4f, %.1f standard errors off, at worst %.4f", rate(ids), mean, off, worst)
	}
}

// Salted IDs, and digests, are in the histories that others have on disk: these are from
// the program itself, and are not to change.
func TestSecretIsPinned(t *testing.T) {
	secret := secretOf(t, "pinned")
	got := fmt.Sprintf("%016x %016x", secret.Fingerprint(), secret.DigestString("key"))
	for _, user := range []uint64{0, 1, 1 << 40} {
		got += fmt.Sprintf(" %016x", secret.Salt(user).ID(7))
	}
	const want = "f3d2dfbb0f9f3f1c ff820f7e3cae631a 6a2f25e2993c879e 6061c26ae262acc5 c8044eaa9787ab91"
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// days is a strategy that notes the days it was asked on and recorded on.
type days struct {
	strategies.Strategy
	asked, recorded *[]int
}

func (d days) SeenOn(_ []byte, day int, _ []strategies.ID, _ []bool) {
	*d.asked = append(*d.asked, day)
}

func (d days) RecordOn(history []byte, day int, _ []strategies.ID) []byte {
	*d.recorded = append(*d.recorded, day)
	return append(history, byte(day))
}

// A strategy on a day asks and records on it, whichever it is; there are no others.
func TestOnDay(t *testing.T) {
	var asked, recorded []int
	for _, day := range []int{0, 1, strategies.MaxDay} {
		on := strategies.OnDay(days{asked: &asked, recorded: &recorded}, day)
		on.Seen(nil, nil, nil)
		if h := on.Record([]byte{7}, nil); len(h) != 2 || h[1] != byte(day) {
			t.Errorf("on day %d the history is %v", day, h)
		}
	}
	if want := fmt.Sprint([]int{0, 1, strategies.MaxDay}); fmt.Sprint(asked) != want || fmt.Sprint(recorded) != want {
		t.Errorf("asked on %v, recorded on %v, want %s", asked, recorded, want)
	}
	for _, day := range []int{-1, strategies.MaxDay + 1} {
		func() {
			defer func() {
				strategytest.Equal(t, fmt.Sprint(recover()), fmt.Sprintf("strategies: day %d, want 0 to 65535", day),
					"on day %d", day)
			}()
			strategies.OnDay(days{}, day)
		}()
	}
}
