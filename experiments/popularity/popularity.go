// Package popularity measures false positives by article where some articles are more
// popular than others.
//
// Without a salt an article has the same positions in every user's filter. Popular
// articles are in nearly all of them, and one whose positions they happen to cover is
// hidden from a large part of its audience, for ever, while the mean rate is what theory
// says. With a salt of each user's own the rate is the same for every article.
//
// All rows are of 2000 users, however many more a run has: each is asked for all of 5000
// articles, so that a rate is of up to 2000 answers. A run of ten million finds the same.
package popularity

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/shared"
	"dejavu/experiments/text"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/strategies"
	"dejavu/workload"
)

// Experiment is popularity.
var Experiment = experiment.Experiment{
	Name: results.Popularity, About: "false positives by article where some are popular, with and without a salt of each user's own",
	Needs: func(s engine.Scope) []engine.Task {
		return append(shared.Tasks(s.Full(), counts), shared.Tasks(redrawn(s), catalogues)...)
	},
	Dimensions: []results.Dimension{by.Exponent, by.Catalogue, by.Salt, by.Statistic, by.Share, by.Draw},
	Rows:       rows, Figures: Figures, Tables: []text.Table{overall, differing, redrawnTable},
}

// Values of the dimensions Salt and Statistic.
var (
	unsalted = by.Salt.Is("none")
	salted   = by.Salt.Is("user")

	p90   = by.Statistic.Is("p90") // of articles, the highest rates first
	p99   = by.Statistic.Is("p99")
	worst = by.Statistic.Is("worst")
	mean  = by.Statistic.Is("mean")
	least = by.Statistic.Is("least")
)

// most is how many users are simulated with each strategy, those of a smaller run all.
const most = 2000

func usersOf(s engine.Scope) int { return min(most, s.Users) }

// headline is the catalogue that all strategies are measured with, and grid those of the
// strategies that have a shape.
var (
	headline = workload.PopularConfig{Articles: 5000, Exponent: 1}
	grid     = []workload.PopularConfig{
		headline,
		{Articles: 5000, Exponent: 0.6},
		{Articles: 5000, Exponent: 0.8},
		{Articles: 5000, Exponent: 1.2},
		{Articles: 50_000, Exponent: 1},
		{Articles: 1_000_000, Exponent: 1},
	}
)

// gridOf are the catalogues that an entry is measured with.
func gridOf(e catalogue.Entry) []workload.PopularConfig {
	if _, ok := shapes[e.Name]; ok {
		return grid
	}
	return grid[:1]
}

// in is the condition that rows are of a catalogue.
func in(c workload.PopularConfig) results.Conditions {
	return results.Where(by.Catalogue.At(float64(c.Articles)), by.Exponent.At(c.Exponent))
}

// population is that of a catalogue, made once in a run; number 0 is the one that all
// strategies are measured with, and the others are drawn anew.
func population(r *engine.Run, c workload.PopularConfig, number int) (*workload.Popular, error) {
	return engine.Memo(r, fmt.Sprintf("popular %d %v %d", c.Articles, c.Exponent, number), func() (*workload.Popular, error) {
		return workload.NewPopular(c, r.Seed+uint64(number), usersOf(r.Scope))
	})
}

// counted is by catalogue, in the order of the grid.
type counted = []Counts

// counts measures an entry.
func counts(e catalogue.Entry) engine.Measurement[counted] {
	return engine.Measurement[counted]{
		Name: "popularity-" + e.Name, Users: usersOf, Cost: 150 * float64(len(gridOf(e))),
		Make: func(ctx context.Context, r *engine.Run, users measure.Range) (counted, error) {
			return each(ctx, r, e, users, len(gridOf(e)), func(i int) (*workload.Popular, error) {
				return population(r, gridOf(e)[i], 0)
			})
		},
	}
}

// each measures an entry with so many populations.
func each(ctx context.Context, r *engine.Run, e catalogue.Entry, users measure.Range, n int, population func(i int) (*workload.Popular, error)) (all counted, err error) {
	subject, err := r.Subject(e)
	if err != nil {
		return nil, err
	}
	secret, err := strategies.NewSecret(fmt.Appendf(nil, "the salts of seed %d", r.Seed))
	if err != nil {
		return nil, err
	}
	r.Expect(users.Len() * n)
	for i := range n {
		p, err := population(i)
		if err != nil {
			return nil, err
		}
		counts, err := Measure(ctx, r.Options, subject.Strategy, p, secret, users)
		if err != nil {
			return nil, err
		}
		all = append(all, counts)
	}
	return all, nil
}

func rows(r *engine.Run) (all, timing []results.Row, err error) {
	known := map[workload.PopularConfig]bool{}
	for _, e := range r.Full() {
		counted, err := counts(e).Of(r)
		if err != nil {
			return nil, nil, err
		}
		subject, err := r.Subject(e)
		if err != nil {
			return nil, nil, err
		}
		theory := subject.Theory.FPR(Shown)
		for i, c := range gridOf(e) {
			p, err := population(r, c, 0)
			if err != nil {
				return nil, nil, err
			}
			m := newMeasured(c, p, counted[i])
			if !known[c] {
				known[c] = true
				all = append(all, m.facts(usersOf(r.Scope))...)
			}
			var covered []float64
			if s, ok := shapes[e.Name]; ok {
				covered = s.covered(p, m.articles)
			}
			alike := slices.Repeat([]float64{theory}, len(m.articles))
			all = append(all, m.rows(e.Name, unsalted, theory, m.of(counted[i].Plain, covered))...)
			all = append(all, m.rows(e.Name, salted, theory, m.of(counted[i].Salted, alike))...)
		}
	}
	for _, e := range redrawn(r.Scope) {
		of, err := catalogueRows(r, e)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, of...)
	}
	return all, nil, nil
}

// A measured catalogue has those of the articles asked for that at least half of the
// users were not shown: of the others the audience is nearly gone, and too small to
// measure a rate of.
type measured struct {
	workload.PopularConfig
	articles []int   // by rank
	at       []int   // places among those asked for
	users    []int64 // that an article was not shown to
}

func newMeasured(c workload.PopularConfig, p *workload.Popular, counts Counts) measured {
	m := measured{PopularConfig: c}
	all := counts.Plain.Fresh.Users
	for i, article := range askedOf(p) {
		if unseen := all - counts.Shown[i]; 2*unseen >= all {
			m.articles, m.at, m.users = append(m.articles, article), append(m.at, i), append(m.users, unseen)
		}
	}
	return m
}

// facts are what all strategies have alike.
func (m measured) facts(users int) (rows []results.Row) {
	add := func(quantity string, value float64, where ...results.Condition) {
		r := row.Number(results.Popularity, "", quantity, "", value)
		r.Where = in(m.PopularConfig).With(where...)
		rows = append(rows, r)
	}
	add(results.QUsers, float64(users))
	add(results.QArticles, float64(len(m.articles)))
	if len(m.users) > 0 {
		add(results.QUnshownUsers, float64(slices.Min(m.users)), least)
		add(results.QUnshownUsers, row.Mean(row.Sum(m.users), int64(len(m.users))), mean)
	}
	return rows
}

// A lost has the false positive rates of the measured articles, and what theory says of
// each, or nothing.
type lost struct {
	Answers
	rates, theory []float64
}

func (m measured) of(a Answers, theory []float64) lost {
	l := lost{Answers: a, theory: theory}
	for i, at := range m.at {
		l.rates = append(l.rates, float64(a.Hits[at])/float64(m.users[i]))
	}
	return l
}

// tenth is the share of its unseen audience from which on an article is said to lose a
// tenth.
const tenth = 0.1

// rows are those of a strategy, with or without salts; overall is its rate by theory.
func (m measured) rows(strategy string, salt results.Condition, overall float64, l lost) []results.Row {
	k := m.ranking(strategy, salt, l)
	fresh := row.Shared(results.Popularity, strategy, results.QFPR, l.Fresh, l.Articles).Expect(overall)
	fresh.Where = k.where
	rows := []results.Row{fresh}
	n := len(k.rates)
	if n == 0 {
		return rows
	}
	lose := len(slices.DeleteFunc(slices.Clone(k.rates), func(rate float64) bool { return rate < tenth }))
	rows = append(rows,
		k.row(results.QFPRByArticle, stat.Mean(l.rates, nil), func() float64 { return stat.Mean(l.theory, nil) }).With(mean),
		k.at((n+9)/10).With(p90), k.at((n+99)/100).With(p99), k.at(1).With(worst),
		k.row(results.QArticlesLosing, float64(lose)/float64(n), func() float64 { return k.theory.least(tenth) / float64(n) }))
	if fit := correlation(l.rates, l.theory); !math.IsNaN(fit) {
		r := row.Number(results.Popularity, strategy, results.QCorrelation, "", fit).Among(int64(n))
		r.Where = k.where
		rows = append(rows, r)
	}
	if m.PopularConfig == headline {
		for rank := 1; rank < n; rank += 1 + rank/5 {
			rows = append(rows, k.at(rank).With(by.Share.At(float64(rank)/float64(n))))
		}
		rows = append(rows, k.at(n).With(by.Share.At(1)))
	}
	return rows
}

// A ranking is a strategy's rates, the highest first, and what theory expects of them, if
// there is one.
type ranking struct {
	strategy string
	where    results.Conditions
	rates    []float64
	theory   expectation
}

func (m measured) ranking(strategy string, salt results.Condition, l lost) ranking {
	k := ranking{strategy, in(m.PopularConfig).With(salt), slices.Sorted(slices.Values(l.rates)), nil}
	slices.Reverse(k.rates)
	if l.theory != nil {
		k.theory = expected(l.theory, m.users)
	}
	return k
}

func (k ranking) row(quantity string, value float64, expect func() float64) results.Row {
	r := row.Number(results.Popularity, k.strategy, quantity, results.Ratio, value).Among(int64(len(k.rates)))
	r.Where = k.where
	if k.theory != nil {
		r = r.Expect(expect())
	}
	return r
}

// at is the row of a rank, from 1.
func (k ranking) at(rank int) results.Row {
	return k.row(results.QFPRByArticle, k.rates[rank-1], func() float64 { return k.theory.at(rank) })
}

// correlation is that of measured rates with theory's, to four digits; not a number where
// there is no theory, or it is the same for all.
func correlation(rates, theory []float64) float64 {
	if theory == nil || slices.Min(theory) == slices.Max(theory) {
		return math.NaN()
	}
	return math.Round(1e4*stat.Correlation(rates, theory, nil)) / 1e4
}
