package users

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
	"dejavu/measure"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/strategies"
	"dejavu/workload"
)

// Popularity measures false positives by article if some articles are more popular than others.
//
// Without a salt an article has the same positions in every user's filter, so an article whose positions popular
// articles cover is hidden from a large part of its audience for ever. With a salt of each user's own the rate is the
// same for every article.
//
// All rows are of 2000 users, however many a run has: each is asked for all of 5000 articles.
var Popularity = experiment.Experiment{
	Name:  results.Popularity,
	About: "false positives by article where some are popular, with and without a salt of each user's own",
	Needs: func(s engine.Scope) (tasks []engine.Task) {
		for _, m := range measurements(s) {
			tasks = append(tasks, m.counted)
		}
		return tasks
	},
	Dimensions: []results.Dimension{by.Exponent, by.Catalogue, by.Salt, by.Statistic, by.Share, by.Draw},
	Rows:       popularityRows, Figures: popularityFigures, Tables: popularityTables,
}

// Values of the dimensions Salt and Statistic.
var (
	unsalted = by.Salt.Is("none")
	salted   = by.Salt.Is("user")
	p90      = by.Statistic.Is("p90") // of articles, the highest rates first
	p99      = by.Statistic.Is("p99")
	worst    = by.Statistic.Is("worst")
	mean     = by.Statistic.Is("mean")
	least    = by.Statistic.Is("least")
	scatter  = by.Statistic.Is("spread") // of rates, less what chance leaves
)

// most is the number of users simulated with each strategy, or all users of a smaller run.
const most = 2000

func usersOf(s engine.Scope) int { return min(most, s.Users) }

// A market is a catalogue of articles and their popularity. Markets that differ by number differ in their IDs alone.
type market struct {
	workload.PopularConfig
	number int
}

// headline is the market that all strategies are measured with, and grid those of the strategies that have a shape.
var (
	headline       = zipf(5000, 1)
	popularityGrid = []market{
		headline, zipf(5000, 0.6), zipf(5000, 0.8), zipf(5000, 1.2), zipf(50_000, 1), zipf(1_000_000, 1),
	}
)

func zipf(articles int, exponent float64) market {
	return market{PopularConfig: workload.PopularConfig{Articles: articles, Exponent: exponent}}
}

// redrawn has the headline and nineteen more with other IDs. Which article loses most is an accident of the catalogue:
// the positions of the most popular articles are set in nearly every filter, and the worst article shares most of them.
var redrawn = func() (all []market) {
	for number := range 20 {
		all = append(all, market{headline.PopularConfig, number})
	}
	return all
}()

func (m market) in() results.Conditions {
	return results.Where(by.Catalogue.At(float64(m.Articles)), by.Exponent.At(m.Exponent))
}

// population returns the users of a market, made once in a run.
func (m market) population(r *engine.Run) *workload.Popular {
	return catalogue.Must(engine.Memo(r, fmt.Sprint("popular ", m), func() (*workload.Popular, error) {
		return workload.NewPopular(m.PopularConfig, r.SeedOf(m.number), usersOf(r.Scope))
	}))
}

// A measurement counts an entry in some markets, in their order.
type measurement struct {
	catalogue.Entry
	markets []market
	redrawn bool // or of the grid
	counted engine.Measurement[[]Counts]
}

// measurements returns one for every entry with the grid, and one of the single filter with the redrawn headline.
func measurements(s engine.Scope) (all []measurement) {
	add := func(name string, e catalogue.Entry, markets []market, redrawn bool) {
		all = append(all, measurement{e, markets, redrawn, engine.Measurement[[]Counts]{
			Name: name + e.Name, Users: usersOf, Cost: 90 * float64(len(markets)),
			Make: func(ctx context.Context, r *engine.Run, users measure.Range) ([]Counts, error) {
				secret := catalogue.Must(strategies.NewSecret(fmt.Appendf(nil, "the salts of seed %d", r.Seed)))
				return shared.Collect(r, users, markets, func(m market) (Counts, error) {
					return Measure(ctx, r.Options, r.Subject(e).Strategy, m.population(r), secret, users)
				})
			},
		}})
	}
	for _, e := range s.Full() {
		markets := popularityGrid[:1]
		if _, ok := shapes[e.Name]; ok {
			markets = popularityGrid
		}
		add("popularity-", e, markets, false)
	}
	if e, ok := s.Entry("single"); ok {
		add("popularity-catalogues-", e, redrawn, true)
	}
	return all
}

func popularityRows(r *engine.Run) (rows, timing []results.Row, err error) {
	known := map[market]bool{}
	var hundredths, highest []results.Row // of the redrawn
	for _, m := range measurements(r.Scope) {
		all, err := m.counted.Of(r)
		if err != nil {
			return nil, nil, err
		}
		theory := r.Subject(m.Entry).Theory.FPR(Shown)
		for i, counts := range all {
			p := m.markets[i].population(r)
			found := newMeasured(m.markets[i], p, counts)
			var covered []float64
			if s, ok := shapes[m.Name]; ok {
				covered = s.covered(p, found.articles)
			}
			plain := found.lost(m.Name, unsalted, counts.Plain, covered)
			if n := len(plain.ranked); m.redrawn && n > 0 {
				draw := by.Draw.At(float64(i))
				hundredths = append(hundredths, plain.at((n+99)/100).With(p99, draw))
				highest = append(highest, plain.at(1).With(worst, draw))
			}
			if m.redrawn {
				continue
			}
			if !known[found.market] {
				known[found.market] = true
				rows = append(rows, found.facts(usersOf(r.Scope))...)
			}
			alike := slices.Repeat([]float64{theory}, len(found.articles))
			rows = append(rows, plain.rows(theory)...)
			rows = append(rows, found.lost(m.Name, salted, counts.Salted, alike).rows(theory)...)
		}
	}
	return slices.Concat(rows, hundredths, highest, spread(hundredths), spread(highest)), nil, nil
}

func spread(of []results.Row) (rows []results.Row) {
	if len(of) == 0 {
		return nil
	}
	var measured, theory []float64
	for _, r := range of {
		measured, theory = append(measured, r.Value.Or(0)), append(theory, r.Theory.Or(0))
	}
	add := func(draw string, value, theory float64) {
		r := of[0].With(by.Draw.Is(draw)).Expect(theory).Among(int64(len(of)))
		r.Value = results.Num(value)
		rows = append(rows, r)
	}
	add("least", slices.Min(measured), slices.Min(theory))
	add("mean", stat.Mean(measured, nil), stat.Mean(theory, nil))
	add("most", slices.Max(measured), slices.Max(theory))
	return rows
}

// A measured market has the articles that at least half of the users were not shown. The others have too small an
// audience to measure a rate.
type measured struct {
	market
	articles []int   // by rank
	at       []int   // places among those asked for
	users    []int64 // that an article was not shown to
}

func newMeasured(in market, p *workload.Popular, counts Counts) measured {
	m := measured{market: in}
	all := counts.Plain.Fresh.Users
	for i, article := range askedOf(p) {
		if unseen := all - counts.Shown[i]; 2*unseen >= all {
			m.articles, m.at, m.users = append(m.articles, article), append(m.at, i), append(m.users, unseen)
		}
	}
	return m
}

func (m measured) facts(users int) (rows []results.Row) {
	add := func(quantity string, value float64, where ...results.Condition) {
		r := row.Number(results.Popularity, "", quantity, "", value)
		r.Where = m.in().With(where...)
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

// A lost has a strategy's false positive rates of the measured articles, and the expected rates if theory knows them.
type lost struct {
	market
	strategy string
	salt     results.Condition
	Answers
	rates, theory []float64
	users         []int64     // that each rate is of
	ranked        []float64   // the rates, the highest first
	expected      expectation // of how the rates scatter, by theory
}

func (m measured) lost(strategy string, salt results.Condition, a Answers, theory []float64) lost {
	l := lost{market: m.market, strategy: strategy, salt: salt, Answers: a, theory: theory, users: m.users}
	for i, at := range m.at {
		l.rates = append(l.rates, float64(a.Hits[at])/float64(m.users[i]))
	}
	l.ranked = slices.Sorted(slices.Values(l.rates))
	slices.Reverse(l.ranked)
	if theory != nil {
		l.expected = expected(theory, m.users)
	}
	return l
}

// tenth is the false positive rate from which an article counts as losing a tenth of its audience.
const tenth = 0.1

// rows returns a strategy's rows; overall is its expected rate.
func (l lost) rows(overall float64) []results.Row {
	n := len(l.ranked)
	fresh := row.Shared(results.Popularity, l.strategy, results.QFPR, l.Fresh, l.Articles).Expect(overall)
	rows := []results.Row{l.found(fresh)}
	if n == 0 {
		return rows
	}
	lose := 0
	for lose < n && l.ranked[lose] >= tenth {
		lose++
	}
	rows = append(rows,
		l.row(results.QFPRByArticle, stat.Mean(l.rates, nil), stat.Mean(l.theory, nil)).With(mean),
		l.at((n+9)/10).With(p90), l.at((n+99)/100).With(p99), l.at(1).With(worst), l.spread(),
		l.row("articles losing a tenth", float64(lose)/float64(n), l.expected.least(tenth)/float64(n)))
	if varies(l.rates) && varies(l.theory) {
		fit := math.Round(1e4*stat.Correlation(l.rates, l.theory, nil)) / 1e4 // four digits are the same anywhere
		r := row.Number(results.Popularity, l.strategy, "correlation", "", fit)
		rows = append(rows, l.found(r.Among(int64(n))))
	}
	if l.market == headline {
		for rank := 1; rank < n; rank += 1 + rank/5 {
			rows = append(rows, l.at(rank).With(by.Share.At(float64(rank)/float64(n))))
		}
		rows = append(rows, l.at(n).With(by.Share.At(1)))
	}
	return rows
}

func varies(of []float64) bool { return len(of) > 0 && slices.Min(of) < slices.Max(of) }

// found adds the market and the salt to a row.
func (l lost) found(r results.Row) results.Row {
	r.Where = l.in().With(l.salt)
	return r
}

func (l lost) row(quantity string, value, theory float64) results.Row {
	r := row.Number(results.Popularity, l.strategy, quantity, results.Ratio, value).Among(int64(len(l.ranked)))
	if l.theory != nil {
		r = r.Expect(theory)
	}
	return l.found(r)
}

func (l lost) at(rank int) results.Row {
	return l.row(results.QFPRByArticle, l.ranked[rank-1], l.expected.at(rank))
}

// spread returns the row of the standard deviation of the articles' rates beyond chance, with its 95 % interval. By
// chance a rate f of n users has the variance f(1-f)/n, whose unbiased estimate is f(1-f)/(n-1).
func (l lost) spread() results.Row {
	mean, n := stat.Mean(l.rates, nil), float64(len(l.rates))
	excess, variance := 0., 0.
	for i, f := range l.rates {
		chance := f * (1 - f) / float64(max(l.users[i]-1, 1))
		square := (f - mean) * (f - mean) * n / max(n-1, 1)
		excess += square - chance
		variance += chance * (4*square - 2*chance) // of the square: 4 of its own share, and 2 of chance, by chance
	}
	root := func(sum float64) float64 { return math.Sqrt(max(0, sum) / n) }
	margin := 1.959964 * math.Sqrt(max(0, variance))
	r := l.row(results.QFPRByArticle, root(excess), 0).With(scatter)
	r.Low, r.High = results.Num(root(excess-margin)), results.Num(root(excess+margin))
	if l.salt == unsalted { // of which theory is not exact enough for an interval so narrow
		r.Theory = results.Number{}
	}
	return r
}
