package workload

import (
	"math"
	"slices"
	"testing"

	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

var defaultHabits = newHabits(DefaultDaily())

// A visit is one refresh of a user who sees no article twice.
type visit struct {
	at       uint32
	articles []int32
	ages     []int
	ids      []strategies.ID
	shown    []int32 // before this refresh, oldest first
}

// live simulates a user's two days with a perfect memory.
func live(v Visitor) (visits []visit) {
	var shown []int32
	for {
		at, ok := v.Next()
		if !ok {
			return visits
		}
		x := visit{at, make([]int32, Recalled), make([]int, Recalled), make([]strategies.ID, Recalled), slices.Clone(shown)}
		v.Recall(shown, x.articles, x.ages, x.ids)
		visits = append(visits, x)
		let := 0
		for i, article := range x.articles {
			if x.ages[i] == 0 && let < PerRefresh {
				shown = append(shown, article)
				let++
			}
		}
	}
}

// near fails if a mean of n draws lies more than four standard errors off: correct draws do with a probability of
// 6e-5, once and for all.
func near(t *testing.T, what string, sum, sumSquared float64, n int, want float64) {
	t.Helper()
	mean := sum / float64(n)
	stderr := math.Sqrt((sumSquared/float64(n) - mean*mean) / float64(n))
	if z := (mean - want) / stderr; math.Abs(z) > 4 {
		t.Errorf("%s: mean %.5g of %d, want %.5g: %.1f standard errors off", what, mean, n, want, z)
	}
}

// The classes are the log-normal's quantiles: median 0.4 sessions a day and sigma 1.1, whose mean is
// 0.4*exp(1.1²/2) = 0.7325. A gap is whole seconds.
func TestActivityIsLogNormal(t *testing.T) {
	mean := 0.
	for c, gap := range defaultHabits.gaps {
		rate := day / float64(gap)
		mean += rate / classes
		z := math.Sqrt2 * math.Erfinv(2*(float64(c)+0.5)/classes-1)
		want := 0.4 * math.Exp(1.1*z)
		strategytest.Near(t, rate/want, 1, 1/float64(gap), "class %d starts %v sessions a day", c, rate)
	}
	strategytest.Near(t, mean, 0.73, 0.005, "sessions a day")

	const users = 200_000
	d := Daily{population: population{1, users}, habits: defaultHabits}
	counts := make([]int, classes)
	for user := range users {
		c, ok := slices.BinarySearchFunc(defaultHabits.gaps[:], d.Visitor(user).gap,
			func(gap, want uint64) int { return int(want) - int(gap) })
		if !ok {
			t.Fatalf("user %d is in no class", user)
		}
		counts[c]++
	}
	strategytest.AtLeast(t, chiSquare(counts, even(users, classes)), rare, "the classes are uneven: p")
}

// Draws are exponential: the mean, the tail beyond the table, where it starts over, and the whole by the
// Kolmogorov-Smirnov distance, which n draws exceed at 2.225/sqrt(n) with a probability of 1e-4. The table's
// straight lines between 1024 quantiles bend it by less than a tenth of that. A tail that were cut off, or a
// mean 2 % too long, would be found.
func TestExponential(t *testing.T) {
	const n, mean = 200_000, 1 << 30
	d := newDraws(1, 1, forVisits)
	draws := make([]float64, n)
	var sum, squared float64
	beyond := 0
	for i := range draws {
		x := float64(d.exponential(mean)) / mean
		draws[i], sum, squared = x, sum+x, squared+x*x
		if x > 8 {
			beyond++
		}
	}
	near(t, "exponential", sum, squared, n, 1)
	if want := n * math.Exp(-8); math.Abs(float64(beyond)-want) > 4*math.Sqrt(want) {
		t.Errorf("%d draws of %d beyond 8 means, want %.1f", beyond, n, want)
	}
	slices.Sort(draws)
	distance := func(scale float64) (most float64) {
		for i, x := range draws {
			p := -math.Expm1(-x * scale)
			most = max(most, math.Abs(p-float64(i)/n), math.Abs(p-float64(i+1)/n))
		}
		return most
	}
	limit := 2.225 / math.Sqrt(n)
	strategytest.AtMost(t, distance(1), limit, "Kolmogorov-Smirnov distance")
	strategytest.AtLeast(t, distance(1.02), limit, "a mean 2 %% too long goes unnoticed: distance")
}

// Two days of many users with a perfect memory: times rise and stay below the horizon; no candidate comes twice at
// once; a fresh number was never recalled before; a repeat is the article that age says; IDs follow the user's order.
func TestRecall(t *testing.T) {
	population := Daily{population: population{3, 3000}, habits: defaultHabits}
	fresh, repeats := 0, 0
	for user := range population.Users() {
		v := population.Visitor(user)
		next, before := int32(0), int64(-1)
		for _, x := range live(v) {
			if int64(x.at) < before || x.at >= Horizon {
				t.Fatalf("user %d: refresh at %d after one at %d", user, x.at, before)
			}
			before = int64(x.at)
			for i, article := range x.articles {
				if slices.Contains(x.articles[:i], article) {
					t.Fatalf("user %d: article %d is recalled twice at %d", user, article, x.at)
				}
				if x.ids[i] != v.ID(int(article)) {
					t.Fatalf("user %d: candidate %d has the ID of another article", user, i)
				}
				switch age := x.ages[i]; {
				case age == 0:
					if article != next {
						t.Fatalf("user %d: fresh article %d, want %d", user, article, next)
					}
					next++
					fresh++
				case age < 1 || age > len(x.shown) || x.shown[len(x.shown)-age] != article:
					t.Fatalf("user %d: article %d was not shown %d articles ago", user, article, age)
				default:
					repeats++
				}
			}
		}
	}
	// A repeat that is among the candidates already becomes a fresh one, so that there are fewer than a
	// fifth: newcomers have none to repeat.
	if share := float64(repeats) / float64(fresh+repeats); share < 0.08 || share >= 0.2 {
		t.Errorf("a share of %.3f are repeats, want somewhat less than 0.2", share)
	}
}

// Asked one at a time, where no two candidates can meet, a fifth is repeats (error rate as in near), and
// their ages are log-uniform: every power of two up to the history's length as often, and evenly within it
// (chi-square).
func TestAges(t *testing.T) {
	const n = 100_000
	for _, length := range []int{2, 10, 64, 200, 1000} {
		shown := make([]int32, length)
		for i := range shown {
			shown[i] = int32(1000 + i)
		}
		v := Daily{population: population{4, 1}, habits: defaultHabits}.Visitor(length)
		counts := make([]int, length)
		repeats := 0
		var article [1]int32
		var age [1]int
		var id [1]strategies.ID
		for range n {
			v.Recall(shown, article[:], age[:], id[:])
			if age[0] > 0 {
				counts[age[0]-1]++
				repeats++
			}
		}
		near(t, "repeats", float64(repeats), float64(repeats), n, 0.2)
		octaves := 0
		for from := 1; from <= length; from *= 2 {
			octaves++
		}
		expected := make([]float64, 0, length)
		for from := 1; from <= length; from *= 2 {
			width := min(from, length-from+1)
			for range width {
				expected = append(expected, float64(repeats)/float64(octaves*width))
			}
		}
		strategytest.AtLeast(t, chiSquare(counts, expected), rare, "ages up to %d are not log-uniform: p", length)
	}
}

func TestVisitsDoNotAllocate(t *testing.T) {
	population := Daily{population: population{1, 1}, habits: defaultHabits}
	shown := make([]int32, 500)
	var articles [Recalled]int32
	var ages [Recalled]int
	var ids [Recalled]strategies.ID
	strategytest.Equal(t, testing.AllocsPerRun(20, func() {
		v := population.Visitor(0)
		v.Next()
		v.Recall(shown, articles[:], ages[:], ids[:])
	}), 0, "allocations a visit")
}

// Delays belong to one user, in any order of asking.
func TestDelays(t *testing.T) {
	d := strategytest.Value(NewDaily(4, 2))
	first := d.Delays(0).Exponential(7, 1<<30)
	d.Delays(0).Exponential(3, 1<<30)
	if d.Delays(0).Exponential(7, 1<<30) != first || d.Delays(1).Exponential(7, 1<<30) == first ||
		d.Delays(0).Exponential(8, 1<<30) == first {
		t.Error("a delay depends on what was asked before, or not on the reader and the step")
	}
}
