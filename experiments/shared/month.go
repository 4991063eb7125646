package shared

import (
	"dejavu/strategies"
	"dejavu/workload"
)

// MonthDays is how many days a month has.
const MonthDays = 30

// A spread is a Dated strategy at the end of a full month: what it is shown at first counts as so many
// articles a day.
type spread struct {
	strategies.Strategy // as it is on the month's last day
	on                  []strategies.Strategy
}

// FullMonth is a strategy whose histories are full after MonthDays days of workload.PerDay articles each: a
// newcomer's articles are spread over the days, and it is asked on the last.
func FullMonth(dated strategies.Dated) strategies.Strategy {
	var s spread
	for day := range MonthDays {
		s.on = append(s.on, dated.On(day))
	}
	s.Strategy = s.on[MonthDays-1]
	return s
}

// Record spreads a newcomer's articles over the days.
func (s spread) Record(history []byte, shown []strategies.ID) []byte {
	if len(history) > 0 {
		return s.Strategy.Record(history, shown)
	}
	for day, on := range s.on {
		history = on.Record(history, shown[day*workload.PerDay:][:workload.PerDay])
	}
	return history
}
