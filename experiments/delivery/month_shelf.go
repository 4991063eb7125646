package delivery

import (
	"dejavu/experiments/row"
	"dejavu/strategies"
	"dejavu/workload"
)

// fewerByDay is that an article a day older is shown four fifths as often.
func fewerByDay() []int {
	ages := []int{1 << 20}
	for len(ages) < Days {
		ages = append(ages, ages[len(ages)-1]*4/5)
	}
	return ages
}

// A shelf is what counts by publication: how old each article was when it was shown, in days.
type shelf struct {
	age      []int
	in, past []strategies.ID
}

// draw gives each of a user's articles an age.
func (s *shelf) draw(ages []int, picks workload.Picks, articles int) {
	s.age = s.age[:0]
	total := row.Sum(ages)
	for i := range articles {
		draw, age := picks.At(End+i, total), 0
		for draw >= ages[age] {
			draw -= ages[age]
			age++
		}
		s.age = append(s.age, age)
	}
}

// sort splits the articles shown on one day into those that still count so many days later, and those too old by then.
func (s *shelf) sort(ids []strategies.ID, from, to, days int) {
	for i := from; i < to; i++ {
		if s.age[i]+days < Days {
			s.in = append(s.in, ids[i])
		} else {
			s.past = append(s.past, ids[i])
		}
	}
}
