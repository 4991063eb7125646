package popularity

import (
	"context"

	"dejavu/measure"
	"dejavu/strategies"
	"dejavu/workload"
)

const (
	// Shown is how many articles a user was shown, and Candidates how many the user is asked for next, drawn
	// by popularity from those that are unseen.
	Shown      = 500
	Candidates = 100

	// asked is how many articles all users are asked for, those among them that they were shown left out: all
	// of a catalogue of as many, of a larger one those of evenly spaced ranks.
	asked = 5000
)

// Answers are what one population's histories said: whole numbers, the same on every machine.
type Answers struct {
	Fresh    measure.Rate     `json:"fresh"`    // false positives among the candidates
	Articles measure.Articles `json:"articles"` // the same candidates by article
	Hits     []int64          `json:"hits"`     // of each article asked for, the users it was not shown to who have it reported as seen
}

// Counts is what some users' histories said, without a salt and with one of each user's own.
type Counts struct {
	Shown  []int64 `json:"shown"` // of each article asked for, the users it was shown to
	Plain  Answers `json:"plain"`
	Salted Answers `json:"salted"`
}

func newAnswers(articles int) Answers {
	return Answers{Articles: measure.NewArticles(), Hits: make([]int64, articles)}
}

func newCounts(articles int) Counts {
	return Counts{make([]int64, articles), newAnswers(articles), newAnswers(articles)}
}

// stride is how many ranks lie between articles that are asked for.
func stride(p *workload.Popular) int { return max(1, p.Articles()/asked) }

// askedOf are the articles that all users are asked for.
func askedOf(p *workload.Popular) (articles []int) {
	for a := 0; a < p.Articles(); a += stride(p) {
		articles = append(articles, a)
	}
	return articles
}

// Measure shows each of these users the first Shown articles of an order of the user's own, and asks for the
// next Candidates, and for all articles of askedOf: once with the articles' IDs, once with each user's salts
// of them.
func Measure(ctx context.Context, o measure.Options, s strategies.Strategy, p *workload.Popular, secret strategies.Secret, users measure.Range) (Counts, error) {
	var all []strategies.ID
	for _, a := range askedOf(p) {
		all = append(all, p.ID(a))
	}
	workers, err := measure.Each(ctx, o, users, func() *worker {
		return &worker{
			strategy: s, orders: p.Orders(), stride: stride(p), all: all,
			counts: newCounts(len(all)), seen: make([]bool, max(len(all), Candidates)),
		}
	}, func(w *worker, user int) {
		w.draw(user)
		w.ask(&w.counts.Plain, w.ids[:], w.all)
		salt := secret.Salt(uint64(user))
		w.salted = salt.Append(w.salted[:0], w.ids[:])
		n := len(w.salted)
		w.salted = salt.Append(w.salted, w.all)
		w.ask(&w.counts.Salted, w.salted[:n], w.salted[n:])
	})
	counts := newCounts(len(all))
	for _, w := range workers {
		measure.Sum(&counts, w.counts)
	}
	return counts, err
}

// A worker takes users, one after the other.
type worker struct {
	strategy strategies.Strategy
	orders   *workload.Orders
	stride   int
	all      []strategies.ID // that all users are asked for
	counts   Counts

	order   [Shown + Candidates]int32
	ids     [Shown + Candidates]strategies.ID
	had     []int // places in all of what the user was shown
	salted  []strategies.ID
	history []byte
	seen    []bool
}

func (w *worker) draw(user int) {
	w.orders.First(w.order[:], user)
	w.had = w.had[:0]
	for i, article := range w.order {
		w.ids[i] = w.orders.ID(int(article))
		if at := int(article) / w.stride; i < Shown && at*w.stride == int(article) {
			w.had = append(w.had, at)
			w.counts.Shown[at]++
		}
	}
}

func (w *worker) ask(a *Answers, order, all []strategies.ID) {
	w.history = w.strategy.Record(w.history[:0], order[:Shown])
	seen := w.seen[:Candidates]
	w.strategy.Seen(w.history, order[Shown:], seen)
	a.Fresh.Add(Candidates, measure.Count(seen, true))
	for i, hit := range seen {
		a.Articles.Add(w.ids[Shown+i], hit)
	}
	seen = w.seen[:len(all)]
	w.strategy.Seen(w.history, all, seen)
	for _, at := range w.had {
		seen[at] = false
	}
	for i, hit := range seen {
		if hit {
			a.Hits[i]++
		}
	}
}
