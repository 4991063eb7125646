package classes

// A Share is what a class has of a population. Rates are false positive rates,
// in [0, 1], and exact (bloom.Exact).
type Share struct {
	Class    int   // its number, or -1 for all classes together
	Users    int64 // who read at least one article
	Articles int64 // that they read, together
	Bytes    int64 // of their histories, headers included, together

	End   float64 // the mean over the users, when all is read
	Life  float64 // the mean over the articles: of an unseen one asked for before each is read
	Worst float64 // the heaviest user's, when all is read
}

// Shares computes what a population costs, and what it gets, where each user's history is of the class that
// fits what the user reads (Of), from the first article on. Histogram[n] is how many users read n articles,
// none of them negative; those of none have no history. There is one share for each class. One size for all
// is a family of one class.
//
// It takes some ten microseconds for each article of each class's heaviest user.
func (f *Family) Shares(histogram []int64) []Share {
	shares := make([]Share, len(f.filters))
	heaviest := make([]int, len(f.filters))
	for n, users := range histogram {
		if n > 0 && users > 0 {
			heaviest[f.Of(n)] = n
		}
	}
	for i := range f.filters {
		filter, s := &f.filters[i], &shares[i]
		s.Class = i
		rate, life := 0., 0. // after n articles, and before each of them, added up
		for n := 1; n <= heaviest[i]; n++ {
			life += rate
			rate = filter.FPR(n)
			if users := histogram[n]; f.Of(n) == i {
				s.Users += users
				s.Articles += users * int64(n)
				s.End += float64(users) * rate
				s.Life += float64(users) * life
			}
		}
		if s.Users > 0 {
			s.Bytes = s.Users * int64(filter.Bytes(1))
			s.End, s.Life, s.Worst = s.End/float64(s.Users), s.Life/float64(s.Articles), rate
		}
	}
	return shares
}

// Total is all classes of a population together.
func Total(shares []Share) Share {
	total := Share{Class: -1}
	for _, s := range shares {
		total.Users += s.Users
		total.Articles += s.Articles
		total.Bytes += s.Bytes
		total.End += s.End * float64(s.Users)
		total.Life += s.Life * float64(s.Articles)
		total.Worst = max(total.Worst, s.Worst)
	}
	if total.Users > 0 {
		total.End /= float64(total.Users)
		total.Life /= float64(total.Articles)
	}
	return total
}
