package main

import (
	"fmt"

	"dejavu/measure"
	"dejavu/results"
	"dejavu/strategies"
	"dejavu/workload"
)

const proposalsName = "proposals"

// A proposal is something that a source advises beside its filter, built and
// tried. Its rows are those of the experiment proposals.
type proposal struct {
	name    string
	readers int // one in so many tries it
	few     int // or, not 0, so many for any number of users

	rates, sums int // of the tally

	// begin makes the trial of one worker.
	begin func() (measure.Trial, error)

	// rows are what the tally comes to.
	rows func(t measure.Tally) ([]results.Row, error)
}

// proposals lists them in the order of the article's sections.
func proposals(population workload.Daily) []proposal {
	return []proposal{secondCheck(), growing(), grownScalable(), twentyGrowths(), deleting(), byActivity(population)}
}

// triedBy is how many readers try a proposal.
func (p proposal) triedBy(users int) int {
	if p.few > 0 {
		return p.few
	}
	return max(500, users/p.readers)
}

// A proposalsResult has a member for each of them.
type proposalsResult struct{ Tallies []measure.Tally }

func (r proposalsResult) plus(next proposalsResult) proposalsResult {
	for i := range r.Tallies {
		r.Tallies[i].Add(next.Tallies[i])
	}
	return r
}

// proposed lists the proposals as this run tries them.
func (s *suite) proposed() ([]proposal, error) {
	population, err := workload.NewDaily(s.seed, s.users)
	if err != nil {
		return nil, err
	}
	return proposals(population), nil
}

// tryProposals tries all of them.
func (s *suite) tryProposals() (proposalsResult, error) {
	return measured(s, proposalsName, func() (r proposalsResult, err error) {
		all, err := s.proposed()
		if err != nil {
			return r, err
		}
		for _, p := range all {
			if _, err := p.begin(); err != nil {
				return r, fmt.Errorf("%s: %w", p.name, err)
			}
			users := p.triedBy(s.users)
			population, err := workload.NewFull(s.seed, users)
			if err != nil {
				return r, err
			}
			tally, err := measure.Trials(s.ctx, s.options, population, s.share(users), p.rates, p.sums, func() measure.Trial {
				try, err := p.begin()
				if err != nil {
					panic(err) // it was made a moment ago
				}
				return try
			})
			if err != nil {
				return r, err
			}
			r.Tallies = append(r.Tallies, tally)
		}
		return r, nil
	})
}

// proposedRows is what became of each proposal.
func proposedRows(s *suite) (rows, timing []results.Row, err error) {
	all, err := s.proposed()
	if err != nil {
		return nil, nil, err
	}
	tried, err := s.tryProposals()
	if err != nil {
		return nil, nil, err
	}
	for i, p := range all {
		more, err := p.rows(tried.Tallies[i])
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", p.name, err)
		}
		rows = append(rows, more...)
	}
	return rows, nil, nil
}

// proposedRate is the row of a rate, with its theory.
func proposedRate(name, quantity string, r measure.Rate, theory float64) results.Row {
	row := rate(results.Proposals, name, quantity, r)
	row.Theory = results.Num(theory)
	return row
}

// proposedNumber is the row of a number counted over so many readers, with its theory.
func proposedNumber(name, quantity, unit string, value, theory float64, readers int64) results.Row {
	row := number(results.Proposals, name, quantity, unit, value)
	row.Theory, row.Count = results.Num(theory), readers
	return row
}

// A life is the memory of a trial: articles shown, fresh ones, and an asker.
type life struct {
	measure.Asker
	shown, fresh []strategies.ID
}

func newLife(shown, fresh int) *life {
	return &life{shown: make([]strategies.ID, shown), fresh: make([]strategies.ID, fresh)}
}

// begin fills the memory with a reader's articles.
func (l *life) begin(reader workload.Reader) {
	reader.IDs(l.shown, 0)
	reader.IDs(l.fresh, workload.Fresh)
}
