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
	"dejavu/experiments/text"
	"dejavu/internal/plural"
	"dejavu/measure"
	"dejavu/plots"
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
	Name:       results.Popularity,
	About:      "false positives by article where some are popular, with and without a salt of each user's own",
	Needs:      func(s engine.Scope) []engine.Task { return shared.Tasks(s.Full(), popular) },
	Dimensions: []results.Dimension{by.Exponent, by.Catalogue, by.Salt, by.Statistic, by.Share},
	Rows:       popularityRows, Figures: popularityFigures, Tables: popularityTables,
}

// Values of the dimensions Salt and Statistic.
var (
	unsalted = by.Salt.Is("none")
	salted   = by.Salt.Is("user")
	p99      = by.Statistic.Is("p99") // of articles, the highest rates first
	worst    = by.Statistic.Is("worst")
	scatter  = by.Statistic.Is("spread") // of rates, less what chance leaves
)

// popularUsers returns how many users are simulated with each strategy, at most all.
func popularUsers(s engine.Scope) int { return min(2000, s.Users) }

// A market is a catalogue with its law of popularity. All strategies run in headline, one filter and a chain in all.
var (
	headline = workload.PopularConfig{Articles: 5000, Exponent: 1}
	markets  = []workload.PopularConfig{
		headline, {Articles: 5000, Exponent: 0.6}, {Articles: 5000, Exponent: 1.2}, {Articles: 1_000_000, Exponent: 1},
	}
)

func marketsOf(e catalogue.Entry) []workload.PopularConfig {
	if e.Name == "single" || e.Name == "chain" {
		return markets
	}
	return markets[:1]
}

// in returns the conditions of a market's rows.
func in(m workload.PopularConfig) []results.Condition {
	return []results.Condition{by.Catalogue.At(float64(m.Articles)), by.Exponent.At(m.Exponent)}
}

// population returns the users of a market, made once in a run.
func population(r *engine.Run, m workload.PopularConfig) *workload.Popular {
	return catalogue.Must(engine.Memo(r, fmt.Sprint("popular ", m), func() (*workload.Popular, error) {
		return workload.NewPopular(m, r.Seed, popularUsers(r.Scope))
	}))
}

// popular counts an entry in its markets, in their order.
func popular(e catalogue.Entry) engine.Measurement[[]Counts] {
	return engine.Measurement[[]Counts]{
		Name: "popularity-" + e.Name, Users: popularUsers, Cost: 90 * float64(len(marketsOf(e))),
		Make: func(ctx context.Context, r *engine.Run, users measure.Range) ([]Counts, error) {
			secret := catalogue.Must(strategies.NewSecret(fmt.Appendf(nil, "the salts of seed %d", r.Seed)))
			return shared.Collect(r, users, marketsOf(e), func(m workload.PopularConfig) (Counts, error) {
				return Measure(ctx, r.Options, r.Subject(e).Strategy, population(r, m), secret, users)
			})
		},
	}
}

const (
	// Shown is the number of articles shown to a user, and Candidates the number of unseen ones asked for next, drawn
	// by popularity.
	Shown      = 500
	Candidates = 100

	// asked is the number of articles that every user is asked for, evenly spaced by rank. Articles shown to the user
	// do not count.
	asked = 5000
)

// Answers counts what histories report.
type Answers struct {
	Fresh    measure.Rate     `json:"fresh"`    // false positives among the candidates
	Articles measure.Articles `json:"articles"` // the same candidates by article
	Hits     []int64          `json:"hits"`     // by article asked for: reported as seen to users it was not shown to
}

// Counts has the answers without a salt, and with one for each user.
type Counts struct {
	Shown  []int64 `json:"shown"` // of each article asked for, the users it was shown to
	Plain  Answers `json:"plain"`
	Salted Answers `json:"salted"`
}

func newCounts(articles int) Counts {
	answers := func() Answers { return Answers{Articles: measure.NewArticles(), Hits: make([]int64, articles)} }
	return Counts{make([]int64, articles), answers(), answers()}
}

// Measure shows each user Shown articles, in an order of the user's own, and asks for the next Candidates and for
// articles of all ranks: once with plain IDs, once with IDs salted for the user.
func Measure(ctx context.Context, o measure.Options, s strategies.Strategy, p *workload.Popular,
	secret strategies.Secret, users measure.Range,
) (Counts, error) {
	every := max(1, p.Articles()/asked)
	var all []strategies.ID // that all users are asked for
	for a := 0; a < p.Articles(); a += every {
		all = append(all, p.ID(a))
	}
	return measure.Each(ctx, o, users, func() (*Counts, func(user int)) {
		counts, orders := newCounts(len(all)), p.Orders()
		var order [Shown + Candidates]int32
		var ids [Shown + Candidates]strategies.ID
		var had []int // places in all of what the user was shown
		var salted []strategies.ID
		var history []byte
		fresh, seen := make([]bool, Candidates), make([]bool, len(all))
		ask := func(a *Answers, order, all []strategies.ID) {
			history = s.Record(history[:0], order[:Shown])
			s.Seen(history, order[Shown:], fresh)
			a.Fresh.Add(Candidates, measure.Count(fresh, true))
			for i, hit := range fresh {
				a.Articles.Add(ids[Shown+i], hit)
			}
			s.Seen(history, all, seen)
			for _, at := range had {
				seen[at] = false
			}
			for i, hit := range seen {
				if hit {
					a.Hits[i]++
				}
			}
		}
		return &counts, func(user int) {
			orders.First(order[:], user)
			had = had[:0]
			for i, article := range order {
				ids[i] = orders.ID(int(article))
				if at := int(article) / every; i < Shown && at*every == int(article) {
					had = append(had, at)
					counts.Shown[at]++
				}
			}
			ask(&counts.Plain, ids[:], all)
			salt := secret.Salt(uint64(user))
			salted = salt.Append(salt.Append(salted[:0], ids[:]), all)
			ask(&counts.Salted, salted[:len(ids)], salted[len(ids):])
		}
	})
}

func popularityRows(r *engine.Run) (rows, timing []results.Row) {
	known := map[workload.PopularConfig]bool{}
	for _, e := range r.Full() {
		all, theory := popular(e).Of(r), r.Subject(e).Theory.FPR(Shown)
		for i, m := range marketsOf(e) {
			at, users := measured(all[i])
			if !known[m] {
				known[m] = true
				rows = append(rows, row.Number("", results.QUsers, "", float64(popularUsers(r.Scope))).With(in(m)...),
					row.Number("", results.QArticles, "", float64(len(at))).With(in(m)...))
			}
			for _, a := range []struct {
				salt results.Condition
				Answers
			}{{unsalted, all[i].Plain}, {salted, all[i].Salted}} {
				l := lost{market: m, strategy: e.Name, salt: a.salt, users: users}
				for j, place := range at {
					l.rates = append(l.rates, float64(a.Hits[place])/float64(users[j]))
				}
				overall := row.Shared(e.Name, results.QFPR, a.Fresh, a.Articles).Expect(theory)
				rows = append(append(rows, overall.With(in(m)...).With(a.salt)), l.rows()...)
			}
		}
	}
	return rows, nil
}

// measured returns the places of the articles that at least half of the users were not shown, and the number of these
// users. The others have too small an audience to measure a rate.
func measured(counts Counts) (at []int, users []int64) {
	all := counts.Plain.Fresh.Users
	for i, shown := range counts.Shown {
		if unseen := all - shown; 2*unseen >= all {
			at, users = append(at, i), append(users, unseen)
		}
	}
	return at, users
}

// A lost has a strategy's false positive rates of the measured articles.
type lost struct {
	market   workload.PopularConfig
	strategy string
	salt     results.Condition
	rates    []float64
	users    []int64 // that each rate is of
}

func (l lost) rows() (rows []results.Row) {
	n := len(l.rates)
	if n == 0 {
		return nil
	}
	ranked := slices.Sorted(slices.Values(l.rates))
	slices.Reverse(ranked)
	at := func(rank int) results.Row { return l.row(ranked[rank-1]) }
	rows = append(rows, at((n+99)/100).With(p99), at(1).With(worst), l.spread())
	if l.market == headline {
		for rank := 1; rank < n; rank += 1 + rank/5 {
			rows = append(rows, at(rank).With(by.Share.At(float64(rank)/float64(n))))
		}
		rows = append(rows, at(n).With(by.Share.At(1)))
	}
	return rows
}

func (l lost) row(value float64) results.Row {
	r := row.Number(l.strategy, results.QFPRByArticle, results.Ratio, value)
	return r.With(in(l.market)...).With(l.salt).Among(int64(len(l.rates)))
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
		variance += chance * (4*square - 2*chance) // of square, for a normal deviation around the article's own rate
	}
	root := func(sum float64) float64 { return math.Sqrt(max(0, sum) / n) }
	margin := 1.959964 * math.Sqrt(max(0, variance))
	r := l.row(root(excess)).With(scatter)
	r.Low, r.High = results.Num(root(excess-margin)), results.Num(root(excess+margin))
	if l.salt == salted {
		r = r.Expect(0)
	}
	return r
}

// of finds rows of all strategies in the headline's market.
func of(quantity string, where ...results.Condition) results.Query {
	return results.Find(quantity, in(headline)...).In(results.Popularity).Of(results.Any).With(where...)
}

var popularityFigures = []plots.Figure{{
	Name: "popularity", Experiment: results.Popularity, Strategies: plots.All, Build: hidden,
	Query: of(results.QFPRByArticle, unsalted, by.Share.Open()),
	Title: "Users from whom false positives hide an article, without a salt and with one",
	Caption: "Each of 2000 users was shown 500 of 5000 articles, whose popularity follows Zipf's law. For each article, " +
		"the share of its unseen audience for whom it is a false positive: the worst article in a hundred by " +
		"strategy, and all articles in a single filter. Without a salt an article has the same positions in every " +
		"user's filter; with one, other positions in each user's.",
}}

// hidden draws the unluckiest articles by strategy, and all articles in a single filter.
func hidden(d plots.Data) plots.Sheet {
	share := plots.Axis{Label: "users it is hidden from", Format: plots.Percent}
	places := d.Ranked(of(results.QFPRByArticle, unsalted, p99),
		"queue", "single", "dual", "chain", "matrix", "ring")
	unluckiest := (&plots.Panel{Title: "(a) The unluckiest article in a hundred", X: share}).Named(places, d.Look)
	unluckiest.X.Labels = 4
	all := &plots.Panel{
		Title: "(b) A single filter: all articles", Y: share,
		X: plots.Axis{
			Label: "share of articles, the unluckiest first", Scale: plots.Log, Min: 1e-4, Max: 1, Format: plots.Percent, Labels: 3,
		},
	}
	add := func(salt results.Condition, look plots.Look, marks int) {
		for i, g := range places {
			for _, p := range d.Find(of(results.QFPRByArticle, salt, p99)).Of(g.Strategy).Points() {
				p.X = unluckiest.Place(i)
				unluckiest.Dots(look, p)
			}
		}
		for _, s := range d.Joined(of(results.QFPRByArticle, salt, by.Share.Open()).Of("single"), look) {
			s.Points = plots.Thin(s.Points, marks)
			all.Add(s)
		}
	}
	add(salted, plots.Look{Name: "With a salt of each user's own", Color: plots.Slate, Mark: plots.Ring.Large()}, 11)
	add(unsalted, plots.Look{Name: "Without a salt", Color: plots.Slate, Mark: plots.Square}, 21)
	return plots.Sheet{
		Columns: 2, Height: 60 + 18*float64(len(places)), Panels: []*plots.Panel{unluckiest, all},
		Note: "Users it is hidden from: the share of users for whom the article is a false positive, among users who were " +
			"not shown it. Left out: articles that over half of the users were shown. The dual filter has just switched " +
			"to its other array, with 200 articles of 500. The tables list the other structures.",
	}
}

var popularityTables = []text.Table{
	{
		Heading: func(c results.Cells) string {
			users, _ := c.One(of(results.QUsers).Of(""))
			articles, _ := c.One(of(results.QArticles).Of(""))
			return fmt.Sprintf("False positive rate of candidates drawn by popularity, and by article: the share "+
				"of its unseen audience that an article loses (Zipf 1 over 5000 articles, 500 shown to each of "+
				"%s; of the articles that half of them or more were not "+
				"shown, %.0f)", plural.Of(int(users.Value.Or(0)), "user", "users"), articles.Value.Or(0))
		},
		Lines: of(results.QFPR, unsalted),
		Columns: slices.Concat(
			[]text.Column{text.Strategy("strategy")}, rates("candidates", unsalted), rates("salted: candidates", salted)),
	},
}

// rates returns the columns of rates in the headline's market, of candidates and by article, with a salt or without.
func rates(candidates string, salt results.Condition) []text.Column {
	overall := of(results.QFPR, salt)
	columns := []text.Column{text.Cell(candidates, overall, text.Share), text.Cell("95 %", overall, text.Interval)}
	for _, c := range []struct {
		header string
		results.Condition
	}{{"99th percentile", p99}, {"worst", worst}, {"spread beyond chance", scatter}} {
		columns = append(columns, text.Cell(c.header, of(results.QFPRByArticle, salt, c.Condition), text.Share))
	}
	return columns
}
