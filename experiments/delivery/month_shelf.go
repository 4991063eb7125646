package delivery

import (
	"math"

	"dejavu/experiments/row"
	"dejavu/strategies"
	"dejavu/workload"
)

// A calendar says which of a user's articles still count on a day.
type calendar interface {
	begin(workload.Picks)
	log(day int) [][]strategies.ID // the articles of earlier days that count, oldest first

	// asked returns the articles that count at the end of the day, and some that no longer do. It follows log, if that
	// is called.
	asked(day int) (current, old []strategies.ID)
}

// A library is the articles that a user is shown. They count for Days days.
type library struct {
	workload.Month
	ids   []strategies.ID
	picks workload.Picks
}

func (l *library) begin(picks workload.Picks) { l.picks = picks }

func (l *library) day(day int) []strategies.ID { return l.ids[l.Before(day):l.Before(day+1)] }

func (l *library) log(day int) (log [][]strategies.ID) {
	for d := max(0, day-Days+1); d < day; d++ {
		log = append(log, l.day(d))
	}
	return log
}

func (l *library) asked(day int) (current, old []strategies.ID) {
	oldest := l.Before(max(0, day-Days+1))
	return l.ids[oldest:l.Before(day+1)], l.some(day, l.ids[:oldest])
}

// some returns neighbouring articles of those that have expired, if there are enough.
func (l *library) some(day int, past []strategies.ID) []strategies.ID {
	if len(past) < expired {
		return nil
	}
	from := l.picks.At(day, len(past)-expired+1)
	return past[from : from+expired]
}

// fewerByDay returns ages by which an article a day older is shown four fifths as often.
func fewerByDay() []int {
	ages := []int{1 << 20}
	for len(ages) < Days {
		ages = append(ages, ages[len(ages)-1]*4/5)
	}
	return ages
}

// left returns how many articles of a day still count a number of days later.
func left(ages []int, articles, later int) int {
	if ages == nil {
		return articles
	}
	return int(math.Round(float64(articles) * row.Mean(int64(row.Sum(ages[:Days-later])), int64(row.Sum(ages)))))
}

// A shelf is a library whose articles count for Days days after they were published.
type shelf struct {
	*library
	ages     []int           // as in Way
	age      []int           // of each article, in days, when it is shown
	in, past []strategies.ID // of the earlier days
}

// begin draws the age of each article.
func (s *shelf) begin(picks workload.Picks) {
	s.library.begin(picks)
	s.age = s.age[:0]
	total := row.Sum(s.ages)
	for i := range s.ids {
		draw, age := picks.At(End+i, total), 0
		for draw >= s.ages[age] {
			draw -= s.ages[age]
			age++
		}
		s.age = append(s.age, age)
	}
}

func (s *shelf) log(day int) [][]strategies.ID {
	s.in, s.past = s.in[:0], s.past[:0]
	for d := max(0, day-Days+1); d < day; d++ {
		for i := s.Before(d); i < s.Before(d+1); i++ {
			if s.age[i]+day-d < Days {
				s.in = append(s.in, s.ids[i])
			} else {
				s.past = append(s.past, s.ids[i])
			}
		}
	}
	return [][]strategies.ID{s.in}
}

func (s *shelf) asked(day int) (current, old []strategies.ID) {
	s.in = append(s.in, s.day(day)...)
	return s.in, s.some(day, s.past)
}
