package hashes

import (
	"context"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/row"
	"dejavu/experiments/shared"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/strategies"
	"dejavu/workload"
)

// urlUsers is how many users of a run meet articles by the MD5 of their URLs: one in two hundred, but 20,000 where
// there are so many.
func urlUsers(s engine.Scope) int { return max(min(s.Users, 20_000), s.Users/200) }

// ofURLs is the full population over a catalogue of URLs, with an entry of the paper. IDs are the paper's too, the
// high 64 bits of the MD5.
func ofURLs(e catalogue.Entry) engine.Measurement[measure.FullCounts] {
	return engine.Measurement[measure.FullCounts]{
		Name: "hashes-urls-" + e.Name, Users: urlUsers, Cost: 15,
		Make: func(ctx context.Context, r *engine.Run, users measure.Range) (c measure.FullCounts, err error) {
			population := catalogue.Must(workload.NewFull(r.Seed, urlUsers(r.Scope)))
			named := catalogue.Must(engine.Memo(r, "MD5 of URLs", func() (*workload.Named, error) {
				return namedByMD5(r.Seed), nil
			}))
			c, _, err = measure.Full(ctx, r.Subject(e), population.Over(named), users, r.Options, nil)
			return c, err
		},
	}
}

// namedByMD5 is the catalogue of the URLs of a seed.
func namedByMD5(seed uint64) *workload.Named {
	named, first, key := new(workload.Named), firstArticle(seed), []byte(nil)
	for i := range named {
		key = appendURL(key[:0], first+int64(i))
		named[i] = strategies.MD5(key)
	}
	return named
}

// inPopulation are an entry's rows: false positives by articles shown and over the ends of lives, and repeats.
func inPopulation(r *engine.Run, e catalogue.Entry, c measure.FullCounts) (rows, timing []results.Row, err error) {
	theory, urls := r.Subject(e).Theory, by.Keys.Is("URL")
	fpr := func(rate measure.Rate, at results.Condition, expected float64) {
		if rate.Queries > 0 { // else too few users for a life that long
			rows = append(rows, row.Rate(results.Hashes, e.Name, results.QFPR, rate).With(urls, at).Expect(expected))
		}
	}
	for _, p := range c.Points {
		fpr(p.Fresh, by.Articles.At(float64(p.Shown)), theory.FPR(p.Shown))
	}
	fpr(c.Steady(), by.Statistic.Is("mean"), shared.MeanOverLives(theory.FPR))
	inside := row.Number(results.Hashes, e.Name, results.QInside, "", float64(c.WindowMisses))
	return append(rows, inside.With(urls).Expect(0).Among(c.WindowChecks)), nil, nil
}
