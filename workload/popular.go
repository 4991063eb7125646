package workload

import (
	"fmt"
	"math"
	"math/bits"

	"dejavu/strategies"
)

// PopularConfig configures a Popular population.
type PopularConfig struct {
	_ struct{}

	Articles int // for all users, 1000 to 1,000,000

	// Exponent is Zipf's, 0.6 to 1.2: the article of rank r, from 1, is drawn in proportion to r^-Exponent.
	Exponent float64
}

// Popular is a population whose users share one catalogue of articles that differ in popularity by Zipf's law.
// Articles are numbered by rank, from 0, the most popular. A user's order is drawn by popularity, without repeats.
type Popular struct {
	seed  uint64
	users int

	// The law in whole numbers, so that a draw is the same on every machine. A draw is uniform below the last of sums,
	// and gives article i if it lies from sums[i] to sums[i+1]-1. The search for u begins at guide[u>>shift].
	sums  []uint64
	guide []int32
	shift int
	ids   draws // article i takes its (i+1)-th number
}

// firstWeight is the most popular article's weight: so small that math.Pow's last bits, which differ, decide nothing.
const firstWeight = 1 << 32

func (c PopularConfig) weight(article int) float64 {
	return firstWeight * math.Pow(float64(article+1), -c.Exponent)
}

// NewPopular returns the population. Another seed means other users and other IDs.
func NewPopular(c PopularConfig, seed uint64, users int) (*Popular, error) {
	_, err := newPopulation(seed, users)
	switch {
	case c.Articles < 1000 || c.Articles > 1_000_000:
		return nil, fmt.Errorf("workload: Articles is %d, want 1000 to 1000000", c.Articles)
	case !(c.Exponent >= 0.6 && c.Exponent <= 1.2): // also if it is NaN
		return nil, fmt.Errorf("workload: Exponent is %v, want 0.6 to 1.2", c.Exponent)
	case err != nil:
		return nil, err
	}
	p := &Popular{seed: seed, users: users, sums: make([]uint64, c.Articles+1), ids: newDraws(seed, 0, forArticles)}
	for i := range c.Articles {
		p.sums[i+1] = p.sums[i] + uint64(math.Round(c.weight(i)))
	}
	total := p.sums[c.Articles]
	// A table with a place for each article is searched in two steps on average (Chen and Asau, 1974).
	p.shift = bits.Len64(total) - bits.Len(uint(c.Articles))
	p.guide = make([]int32, (total-1)>>p.shift+1)
	article := 0
	for i := range p.guide {
		for p.sums[article+1] <= uint64(i)<<p.shift {
			article++
		}
		p.guide[i] = int32(article)
	}
	return p, nil
}

// Users returns the number of users; they are numbered from 0.
func (p *Popular) Users() int { return p.users }

// Articles returns the number of articles.
func (p *Popular) Articles() int { return len(p.sums) - 1 }

// ID returns the ID of an article, the same for all users. Different articles have different IDs.
func (p *Popular) ID(article int) strategies.ID {
	return strategies.ID(mix(p.ids.key + uint64(article+1)*golden))
}

// Share returns the chance, in (0, 1), that a draw from all articles gives this one.
func (p *Popular) Share(article int) float64 {
	return float64(p.sums[article+1]-p.sums[article]) / float64(p.sums[len(p.sums)-1])
}

func (p *Popular) draw(d *draws) int32 {
	at, _ := bits.Mul64(d.next(), p.sums[len(p.sums)-1])
	return p.find(at)
}

func (p *Popular) find(at uint64) int32 {
	article := p.guide[at>>p.shift]
	for p.sums[article+1] <= at {
		article++
	}
	return article
}

// Orders holds the memory of one goroutine for users' orders, one after the other: 4 bytes an article.
type Orders struct {
	*Popular
	had  []uint32 // the turn in which an article was drawn last
	turn uint32
}

// Orders returns such room.
func (p *Popular) Orders() *Orders { return &Orders{Popular: p, had: make([]uint32, p.Articles())} }

// First fills dst with the first articles of a user's order, up to half of all: each takes more draws.
func (o *Orders) First(dst []int32, user int) {
	if 2*len(dst) > len(o.had) {
		panic(fmt.Sprintf("workload: first articles: %d of %d, want half of them at most", len(dst), len(o.had)))
	}
	o.turn++
	d := newDraws(o.seed, user, forPopular)
	for i := range dst {
		article := o.draw(&d)
		for o.had[article] == o.turn {
			article = o.draw(&d)
		}
		o.had[article] = o.turn
		dst[i] = article
	}
}
