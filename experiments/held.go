package main

import (
	"fmt"

	"dejavu/measure"
	"dejavu/results"
	"dejavu/strategies"
)

// heldArticles are the lengths of life after which a request is timed, the
// first being what the others are held against.
var heldArticles = []int{100, 500, 2000}

// A reader is a strategy whose histories end after so many articles, however
// many it is shown: measure.Hot shows all its subjects the same.
type reader struct {
	strategies.Strategy
	articles int
}

// Record keeps the first articles of those shown.
func (r reader) Record(history []byte, shown []strategies.ID) []byte {
	return r.Strategy.Record(history, shown[:min(len(shown), r.articles)])
}

// heldNames are a filter, whose probes stay as many, and the queue, which is read
// through.
var heldNames = []string{"single", "queue"}

// heldHot measures histories that hold more and more.
func (s *suite) heldHot() (hotResult, error) {
	return measured(s, heldHotName, func() (r hotResult, err error) {
		if !s.timed() {
			return r, nil
		}
		var subjects []measure.Subject
		for _, name := range heldNames {
			for _, e := range entries {
				if e.Name != name {
					continue
				}
				subject, err := s.subject(e)
				if err != nil {
					return r, err
				}
				for _, articles := range heldArticles {
					of := subject
					of.Name, of.Strategy = heldName(name, articles), reader{subject.Strategy, articles}
					subjects = append(subjects, of)
				}
			}
		}
		for _, subject := range subjects {
			r.Names = append(r.Names, subject.Name)
		}
		r.Latencies, err = measure.Hot(s.ctx, subjects, heldArticles[len(heldArticles)-1], measure.Sizes[:1], s.seed)
		return r, err
	})
}

// byHeld is the time of a request by the articles that the history holds.
func (s *suite) byHeld() (timing []results.Row, err error) {
	hot, err := s.heldHot()
	if err != nil || len(hot.Names) == 0 { // a catalogue without the two
		return nil, err
	}
	for _, name := range heldNames {
		few := heldName(name, heldArticles[0])
		for _, articles := range heldArticles[1:] {
			of := heldName(name, articles)
			if !hot.has(of) {
				continue
			}
			r := over(name, results.QHotByHeld, hot.of(of)[0], hot.of(few)[0])
			r.X = results.Num(float64(articles))
			timing = append(timing, r)
		}
	}
	return timing, nil
}

// heldName is a strategy with so many articles held.
func heldName(name string, articles int) string { return fmt.Sprintf("%s, %d held", name, articles) }
