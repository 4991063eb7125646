package real

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"dejavu/experiments/row"
	"dejavu/measure/stopwatch"
	"dejavu/results"
	"dejavu/strategies"
	"dejavu/workload"
)

// A page of ten out of forty, as pipeline's users are shown.
const (
	perRequest = 40
	perPage    = 10
)

// pipeline takes the time from the beginning of a show until another call, made when the
// first was answered, has said which of its articles are seen: all.
func (s *site) pipeline(ctx context.Context) (rows []results.Row, err error) {
	population, err := workload.NewFull(results.DefaultSeed, people)
	if err != nil {
		return nil, err
	}
	type count struct{ shown, missed int64 }
	counts := map[string]*count{}
	var works []stopwatch.Work
	var logs []string
	for _, log := range results.LiveLogs {
		p, ok := s.at[log]
		if !ok {
			continue
		}
		fmt.Fprintf(s.Progress, "pipeline: %s\n", strings.TrimPrefix(log, ", "))
		shower, err1 := caller(p.Address, false)
		asker, err2 := caller(p.Address, false)
		if err1 != nil || err2 != nil {
			return nil, cmp.Or(err1, err2)
		}
		c, next := &count{}, 0
		counts[log], logs = c, append(logs, log)
		works = append(works, stopwatch.Work{Candidates: perRequest, Batch: 1, Turn: func(t *stopwatch.Timer) {
			for range s.Times {
				if err != nil {
					return
				}
				user := next % people
				candidates := articles(population, user, next/people*perRequest, perRequest)
				next++
				began := time.Now()
				var shown []strategies.ID
				if shown, err = shower.Show(ctx, userName(user), candidates, perPage); err != nil {
					return
				}
				seen := make([]bool, len(shown))
				if err = asker.Seen(ctx, userName(user), shown, seen); err != nil {
					return
				}
				t.Record(time.Since(began))
				c.shown += int64(len(shown))
				for _, known := range seen {
					if !known {
						c.missed++
					}
				}
			}
		}})
	}
	latencies, failed := stopwatch.Interleaved(ctx, works)
	if err := cmp.Or(err, failed); err != nil {
		return nil, fmt.Errorf("pipeline: %w", err)
	}
	for i, l := range latencies {
		rows = append(rows, timed(results.Pipeline, results.QUntilFiltered, logs[i], l)...)
		c := counts[logs[i]]
		rows = append(rows, row.Number(results.Pipeline, strategy, results.QNotFiltered+logs[i], "", float64(c.missed)).Expect(0).Among(c.shown))
	}
	for i := range rows {
		rows[i].X = results.Number{}
	}
	return rows, nil
}

// timed are the rows of a time: its median and its 99th percentile.
func timed(experiment, quantity, way string, l stopwatch.Latency) []results.Row {
	median := row.Time(experiment, strategy, quantity+way, l, 1)
	late := row.Number(experiment, strategy, quantity+results.P99+way, results.Nanoseconds, l.P99)
	return []results.Row{median, late.At(float64(l.Candidates)).Among(l.Requests)}
}
