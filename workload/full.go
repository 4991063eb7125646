package workload

// Full is the population of the paper's memory figures: every user was shown Least articles, and went on reading, up to
// any point of whole cycles of every strategy with equal chance (300 articles for the dual filter, 100 for the chain).
// So a mean over users is a mean over the cycle. One user in longLived goes on for up to five cycles more.
type Full struct{ population }

const (
	Least     = 500 // articles every user was shown (the paper's N)
	Turn      = 300 // the longest cycle of a strategy
	maxTurns  = 5   // whole cycles that a long-lived user adds
	longLived = 50  // one user in longLived is long-lived

	MaxShown = Least + (maxTurns+1)*Turn - 1 // the longest life
)

// Each purpose has its own draws.
const (
	forOrder = 1 + iota
	forLife
	forRequest
	forVisits
	forDelays
	forArticles
	forPopular
)

// NewFull returns the population, or an error if users is not 1 to MaxUsers.
func NewFull(seed uint64, users int) (Full, error) {
	p, err := newPopulation(seed, users)
	return Full{population: p}, err
}

// Shown returns how many articles the user was shown in all, Least to MaxShown.
func (f Full) Shown(user int) int {
	d := newDraws(f.seed, user, forLife)
	shown := Least + d.below(Turn)
	if d.below(longLived) == 0 {
		shown += Turn * (1 + d.below(maxTurns))
	}
	return shown
}

// ShownShare returns the share of users, in [0, 1], who are shown exactly shown articles.
func ShownShare(shown int) float64 {
	switch {
	case shown < Least || shown > MaxShown:
		return 0
	case shown < Least+Turn:
		return (1 - 1./longLived) / Turn
	}
	return 1. / longLived / maxTurns / Turn
}

// Picks holds one user's random numbers, by step.
type Picks struct{ key uint64 }

// At returns a random number in 0..n-1 for the step-th choice, n at most 2^32. Steps may be in any order.
func (p Picks) At(step, n int) int {
	d := draws{key: p.key, step: uint64(step) * golden}
	return d.below(n)
}

// Month is the population of the lecture's scale: users who are shown several thousand articles a month, the same
// number on a day for all, more at weekends (Articles), so that what theory says of one holds for all.
type Month struct{ population }

// week lists the articles of each day of the week: 1050 in all, 150 a day.
var week = [7]int{120, 120, 120, 120, 150, 210, 210}

// PerDay is the mean number of articles a day, over whole weeks.
const PerDay = 150

// NewMonth returns the population, or an error if users is not 1 to MaxUsers.
func NewMonth(seed uint64, users int) (Month, error) {
	p, err := newPopulation(seed, users)
	return Month{p}, err
}

// Articles returns how many articles every user is shown on a day, counted from 0.
func (m Month) Articles(day int) int { return week[day%len(week)] }

// Before returns how many articles every user was shown before a day.
func (m Month) Before(day int) int {
	sum := day / len(week) * PerDay * len(week)
	for d := range day % len(week) {
		sum += week[d]
	}
	return sum
}
