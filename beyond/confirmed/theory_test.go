package confirmed_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"dejavu/beyond/confirmed"
	"dejavu/chain"
	"dejavu/single"
	"dejavu/strategies/strategytest"
)

// By hand, over a single filter for 500 with its golden rates (Bose et al., 2008): Beside leaves them as they
// are, Ahead has those of a hundred articles fewer, and Both has no more than a hundred IDs in 2^64.
func TestFPR(t *testing.T) {
	inner := inSingle(t)
	both, beside, ahead := build(t, inner, 100, confirmed.Both), build(t, inner, 100, confirmed.Beside), build(t, inner,
		100, confirmed.Ahead)
	const collision = 1. / 18446744073709551616
	for _, tt := range []struct {
		read                int
		both, beside, ahead float64
	}{
		{0, 0, 0, 0},
		{50, 50 * collision, math.NaN(), 50 * collision},
		{100, 100 * collision, math.NaN(), 100 * collision},
		{300, 100 * collision, 0.002104, 0.000280},
		{500, 100 * collision, 0.020268, math.NaN()},
		{600, 100 * collision, math.NaN(), 0.020268},
		{1000, 100 * collision, 0.211128, math.NaN()},
		{1100, 100 * collision, math.NaN(), 0.211128},
	} {
		for i, s := range []*confirmed.Strategy{both, beside, ahead} {
			want := []float64{tt.both, tt.beside, tt.ahead}[i]
			within := 0.5e-6
			if want < 1e-15 {
				within = want * 1e-12
			}
			if got := s.FPR(tt.read); !math.IsNaN(want) && !(math.Abs(got-want) <= within) {
				t.Errorf("%v: FPR(%d) = %v, want %v", s.Rule, tt.read, got, want)
			}
		}
	}
	if got, want := ahead.Asymptotic(600), 0.020236; math.Abs(got-want) > 0.5e-6 {
		t.Errorf("Asymptotic(600) = %v, want that of 500 articles, %v", got, want)
	}
}

// The window at every number of articles, from the inner one's: the chain by literal reading misses its newest 1 to
// 100, which a list of a hundred makes good; one of sixty leaves a gap as soon as the silent head is longer.
func TestWindow(t *testing.T) {
	paper, letter := inChain(t, chain.Paper), inChain(t, chain.Literal)
	both := build(t, paper, 100, confirmed.Both)
	ahead := build(t, paper, 100, confirmed.Ahead)
	covered, short := build(t, letter, 100, confirmed.Beside), build(t, letter, 60, confirmed.Beside)
	none, behind := build(t, letter, 100, confirmed.Both), build(t, letter, 60, confirmed.Ahead)
	held := func(read int) int { // by the chain
		if read <= 500 {
			return read
		}
		return 400 + (read-1)%100 + 1
	}
	for read := range 900 {
		head := 0
		if read > 0 {
			head = (read-1)%100 + 1
		}
		sixty := held(read)
		if head > 60 {
			sixty = 60
		}
		for _, tt := range []struct {
			name string
			s    *confirmed.Strategy
			want int
		}{
			{"both", both, min(read, 100)},
			{"ahead", ahead, min(read, 100) + held(max(read-100, 0))},
			{"a hundred beside the chain read literally", covered, held(read)},
			{"sixty beside the chain read literally", short, sixty},
			{"a hundred and the chain read literally", none, 0},
			{"sixty ahead of the chain read literally", behind, min(read, 60)},
		} {
			if got := tt.s.Window(read); got != tt.want {
				t.Fatalf("%s: Window(%d) = %d, want %d", tt.name, read, got, tt.want)
			}
			for _, age := range []int{0, 1, tt.want, read + 1} {
				if want := 1 <= age && age <= tt.want; tt.s.Remembers(read, age) != want {
					t.Fatalf("%s: Remembers(%d, %d) is %v", tt.name, read, age, !want)
				}
			}
		}
	}
	if !short.Remembers(580, 81) || short.Remembers(580, 80) || short.Remembers(580, 61) || !short.Remembers(580, 60) {
		t.Error("sixty beside the chain read literally after 580: want all but 61 to 80 ago")
	}
}

func sizedChain(window int, fpr float64) (*chain.Chain, error) {
	c, err := chain.Sized(window, fpr)
	if err != nil {
		return nil, err
	}
	return chain.New(c)
}

// Whatever is asked for is met at every moment, the chain taking what the list leaves.
func TestSized(t *testing.T) {
	for _, tt := range []struct {
		window, last int
		fpr          float64
	}{{400, 20, 0.02}, {400, 100, 0.001}, {50, 100, 0.1}, {7, 6, 0.5}} {
		c, err := confirmed.Sized(tt.window, tt.fpr, tt.last, sizedChain)
		if err != nil {
			t.Fatalf("Sized(%d, %v, %d): %v", tt.window, tt.fpr, tt.last, err)
		}
		s := strategytest.Value(confirmed.New(c))
		for read := range 4 * (tt.window + tt.last) {
			if s.Window(read) < min(read, tt.window) {
				t.Fatalf("Sized(%d, %v, %d): the window is %d after %d articles", tt.window, tt.fpr, tt.last, s.Window(read), read)
			}
			if read%19 == 0 && s.FPR(read) > tt.fpr {
				t.Fatalf("Sized(%d, %v, %d): the rate is %v after %d articles", tt.window, tt.fpr, tt.last, s.FPR(read), read)
			}
		}
	}
	c := strategytest.Value(confirmed.Sized(400, 0.02, 20, sizedChain))
	s := strategytest.Value(confirmed.New(c))
	// 164 bytes of list, and a chain for 380.
	inner := strategytest.Value(sizedChain(380, 0.02))
	if got, want := s.Bytes(1000), 4+20*8+inner.Bytes(1000); got != want || want != 852 {
		t.Errorf("Sized(400, 0.02, 20) has %d bytes, want %d, which are 852", got, want)
	}
}

func TestSizedErrors(t *testing.T) {
	fails := func(int, float64) (*single.Filter, error) { return nil, errors.New("no filter for you") }
	says := func(window, last int, want string) {
		t.Helper()
		if _, err := confirmed.Sized(window, 0.02, last, fails); err == nil ||
			!strings.HasPrefix(err.Error(), "confirmed: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("Sized(%d, 0.02, %d): error %v, want %q", window, last, err, want)
		}
	}
	says(400, 0, "last is 0, want 1 to 65535")
	says(400, 65536, "last is 65536, want 1 to 65535")
	says(0, 100, "window is 0, want at least 1")
	says(400, 100, "behind a list of 100: no filter for you")
}
