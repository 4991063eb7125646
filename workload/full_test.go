package workload

import (
	"math"
	"testing"

	"dejavu/strategies/strategytest"
)

// ShownShare is a distribution, with the support that Least and MaxShown say and one user in longLived beyond
// the first turn.
func TestShownShare(t *testing.T) {
	sum, long := 0., 0.
	for shown := range MaxShown + 1000 {
		share := ShownShare(shown)
		strategytest.Equal(t, share > 0, Least <= shown && shown <= MaxShown, "ShownShare(%d) = %v", shown, share)
		sum += share
		if shown >= Least+Turn {
			long += share
		}
	}
	if math.Abs(sum-1) > 1e-12 || math.Abs(long-1./longLived) > 1e-12 {
		t.Errorf("the shares sum to %v, the long-lived ones to %v, want 1 and 1/%d", sum, long, longLived)
	}
	if ShownShare(-1) != 0 || ShownShare(math.MinInt/2) != 0 || ShownShare(math.MaxInt) != 0 {
		t.Error("there are lives of impossible lengths")
	}
}

// lives counts the users by the number of articles shown.
func lives(t *testing.T, users int, shown func(user int) int) (counts []int, expected []float64) {
	// The first turn article by article, the long lives fifty to a class: at least 600 users are expected in
	// each.
	class := func(shown int) int {
		if shown < Least+Turn {
			return shown - Least
		}
		return Turn + (shown-Least-Turn)/50
	}
	n := class(MaxShown) + 1
	counts, expected = make([]int, n), make([]float64, n)
	for s := Least; s <= MaxShown; s++ {
		expected[class(s)] += ShownShare(s) * float64(users)
	}
	for user := range users {
		s := shown(user)
		if s < Least || s > MaxShown {
			t.Fatalf("user %d was shown %d articles, want %d to %d", user, s, Least, MaxShown)
		}
		counts[class(s)]++
	}
	return counts, expected
}

// Shown draws from ShownShare; chi-square over 330 classes of a million users. The same test finds a fault of
// the kind that a wrong bound makes: the last article of the turn is never reached.
func TestShownFollowsItsShare(t *testing.T) {
	const users = 1_000_000
	f := Full{population: population{1, users}}
	strategytest.AtLeast(t, chiSquare(lives(t, users, f.Shown)), rare, "Shown does not follow ShownShare: p")
	short := func(user int) int {
		shown := f.Shown(user)
		if shown == Least+Turn-1 {
			shown = Least
		}
		return shown
	}
	strategytest.AtMost(t, chiSquare(lives(t, users, short)), rare,
		"a turn that is one article short goes unnoticed: p")
}

// Picks of one user's steps, and of one step over users, are even and in range.
func TestPicks(t *testing.T) {
	f := Full{population: population{3, 1}}
	const n, draws = 97, 97 * 500
	steps, users := make([]int, n), make([]int, n)
	for i := range draws {
		steps[f.Picks(7).At(i, n)]++
		users[f.Picks(i).At(7, n)]++
	}
	strategytest.AtLeast(t, chiSquare(steps, even(draws, n)), rare, "one user's picks are uneven: p")
	strategytest.AtLeast(t, chiSquare(users, even(draws, n)), rare, "picks over users are uneven: p")
	strategytest.Equal(t, f.Picks(1).At(1, 1), 0, "Pick of one is")
}

// A user depends only on seed and number: other populations' sizes, other orders of asking and copies change nothing.
func TestReadersStandAlone(t *testing.T) {
	small, _ := NewFull(9, 10)
	large, _ := NewFull(9, MaxUsers)
	other, _ := NewFull(10, 10)
	same := 0
	for user := 9; user >= 0; user-- {
		if small.Shown(user) != large.Shown(user) || small.Reader(user) != large.Reader(user) {
			t.Errorf("user %d depends on the number of users", user)
		}
		if small.Shown(user) == other.Shown(user) {
			same++
		}
	}
	if same == 10 {
		t.Error("the seed does not matter")
	}
}

// A week has 1050 articles, a month several thousand, and what was shown before a day is the sum of the days.
func TestMonth(t *testing.T) {
	m := strategytest.Value(NewMonth(1, 10))
	sum := 0
	for day := range 100 {
		if m.Before(day) != sum {
			t.Fatalf("%d articles before day %d, want %d", m.Before(day), day, sum)
		}
		sum += m.Articles(day)
	}
	strategytest.Equal(t, m.Before(7*5), 7*5*PerDay, "five weeks have articles")
	strategytest.ErrorSays(t, "no users are a population", strategytest.ErrorOf(NewMonth(1, 0)),
		"number of users is 0, want 1 to")
	strategytest.Equal(t, m.Reader(3).ID(5), reader(1, 3).ID(5),
		"a reader has another order than in the other populations of the seed")
}
