package workload

// Month is the population of the lecture's scale: users who are shown several thousand articles a month, day
// after day. All are shown as many on the same day, more at weekends than in the week (Articles), so that
// what theory says of one is what it says of all.
type Month struct{ population }

// week is the articles of a day, by the day of the week: 1050 in all, 150 a day.
var week = [7]int{120, 120, 120, 120, 150, 210, 210}

// PerDay is how many articles a day has on average, over whole weeks.
const PerDay = 150

// NewMonth returns the population, or an error where users is not 1 to MaxUsers.
func NewMonth(seed uint64, users int) (Month, error) {
	p, err := newPopulation(seed, users)
	return Month{p}, err
}

// Articles is how many articles every user is shown on a day, counted from 0.
func (m Month) Articles(day int) int { return week[day%len(week)] }

// Before is how many articles every user was shown before a day.
func (m Month) Before(day int) int {
	sum := day / len(week) * PerDay * len(week)
	for d := range day % len(week) {
		sum += week[d]
	}
	return sum
}
