package measure

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"dejavu/experiments/row"
	"dejavu/live/client"
	"dejavu/measure/stopwatch"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/workload"
)

// A delay is what pipeline counts at one instance.
type delay struct {
	shower, asker *client.Client
	population    workload.Full
	requests      int
	shown, missed int64
}

// once shows a user articles, and asks another connection which of them are seen.
func (d *delay) once(ctx context.Context, t *stopwatch.Timer) error {
	user, from := d.requests%people, d.requests/people*perRequest
	candidates := articles(d.population, user, from, perRequest)
	d.requests++
	began := time.Now()
	shown, err := d.shower.Show(ctx, userName(user), candidates, perPage)
	if err != nil {
		return err
	}
	seen := make([]bool, len(shown))
	if err := d.asker.Seen(ctx, userName(user), shown, seen); err != nil {
		return err
	}
	t.Record(time.Since(began))
	d.shown += int64(len(shown))
	for _, known := range seen {
		if !known {
			d.missed++
		}
	}
	return nil
}

// pipeline takes the time from the beginning of a show until another call, made when the
// first was answered, has said which of its articles are seen: all.
func (s *site) pipeline(ctx context.Context) (rows []results.Row, err error) {
	population, err := workload.NewFull(results.DefaultSeed, people)
	if err != nil {
		return nil, err
	}
	var found []string // of logs
	var delays []*delay
	var works []stopwatch.Work
	for _, log := range logs {
		p, ok := s.at[log]
		if !ok {
			continue
		}
		fmt.Fprintf(s.out, "pipeline: %s\n", log)
		d := &delay{population: population}
		var err1, err2 error
		d.shower, err1 = caller(p.Address)
		d.asker, err2 = caller(p.Address)
		if err := cmp.Or(err1, err2); err != nil {
			return nil, err
		}
		found, delays = append(found, log), append(delays, d)
		works = append(works, stopwatch.Work{Candidates: perRequest, Batch: 1, Turn: func(t *stopwatch.Timer) {
			for range s.Times {
				if err == nil {
					err = d.once(ctx, t)
				}
			}
		}})
	}
	latencies, failed := stopwatch.Interleaved(ctx, works)
	if err := cmp.Or(err, failed); err != nil {
		return nil, fmt.Errorf("pipeline: %w", err)
	}
	for i, l := range latencies {
		where := []results.Condition{by.Log.Is(found[i]), by.Candidates.Is("")}
		rows = append(rows, timed(results.Pipeline, results.QUntilFiltered, l, where...)...)
		missed := row.Number(results.Pipeline, rowsStrategy, results.QNotFiltered, "", float64(delays[i].missed))
		rows = append(rows, missed.Expect(0).Among(delays[i].shown).With(where...))
	}
	return rows, nil
}

// timed are the rows of a time: its median and its 99th percentile.
func timed(experiment, quantity string, l stopwatch.Latency, where ...results.Condition) []results.Row {
	median := row.Time(experiment, rowsStrategy, quantity, l, 1).With(by.Statistic.Is("p50"))
	late := median.With(by.Statistic.Is("p99"))
	late.Value, late.Low, late.High = results.Num(l.P99), results.Number{}, results.Number{}
	return []results.Row{median.With(where...), late.With(where...)}
}
