package main

import (
	"dejavu/experiments/catalogue"
	"dejavu/measure"
	"dejavu/results"
)

// stated is what the paper says of a strategy: §3 and §5 to §7, and what is
// left of Table 1. Zero fields are not stated.
type stated struct {
	payload float64 // bytes a user
	window  float64 // articles remembered, at least
}

var paper = map[string]stated{
	"queue":  {payload: 4000, window: 500},
	"single": {payload: 500, window: 500},
	"dual":   {payload: 1000, window: 200},
	"chain":  {payload: 500, window: 400},
}

// table1 is the paper's comparison, measured.
func table1(s *suite) (rows, timing []results.Row, err error) {
	hot, err := s.hot()
	if err != nil {
		return nil, nil, err
	}
	return s.eachEntry(func(e catalogue.Entry, subject measure.Subject) (rows, timing []results.Row, err error) {
		full, err := s.full(e)
		if err != nil {
			return nil, nil, err
		}
		c, says := full.Counts, paper[e.Name]
		add := func(r results.Row, theory, paper float64) {
			r.Theory = results.Num(theory)
			if paper > 0 {
				r.Paper = results.Num(paper)
			}
			if r.Count == 0 {
				r.Count = c.Users
			}
			rows = append(rows, r)
		}
		header := 0.
		if h, ok := subject.Strategy.(measure.Headed); ok {
			header = float64(h.HeaderBytes())
		}
		n := func(quantity, unit string, value float64) results.Row {
			return number(results.Table1, e.Name, quantity, unit, value)
		}
		payload := meanOverLives(func(shown int) float64 { return float64(subject.Theory.Bytes(shown)) }) - header
		add(n(results.QPayloadPerUser, results.Bytes, perUser(c.Payload, c.Users)-header), payload, says.payload)
		add(n(results.QHeaderPerUser, results.Bytes, header), header, 0)
		total := float64(c.Payload) - header*float64(c.Users)
		paperTotal := 0.
		if c.Users == 10_000_000 {
			paperTotal = statedTotal(e)
		}
		add(n(results.QPayloadTotal, results.Bytes, total), payload*float64(c.Users), paperTotal)

		for _, p := range c.Points {
			if p.Shown == 500 {
				add(rate(results.Table1, e.Name, results.QFPRAt500, p.Fresh), subject.Theory.FPR(500), statedFPR(e))
			}
		}
		add(rate(results.Table1, e.Name, results.QFPRSteady, c.Steady), meanOverLives(subject.Theory.FPR), statedFPR(e))
		add(n(results.QWindowLeast, "", float64(c.WindowLeast)), leastWindow(subject), says.window)
		add(n(results.QWindowMean, "", perUser(c.Windows, c.Users)),
			meanOverLives(func(shown int) float64 { return float64(subject.Theory.Window(shown)) }), 0)
		if full.Extended != nil {
			r := n(results.QArticlesAt1000, "", perUser(full.Extended.Kept, full.Extended.Users))
			r.Count = full.Extended.Users
			rows = append(rows, r)
		}

		held := full.Machine.Held[len(full.Machine.Held)-1]
		timing = append(timing,
			n(results.QStoreTotal, results.Bytes, float64(held.Slabs)),
			n(results.QResidentTotal, results.Bytes, float64(held.Resident)),
			n("resident over payload and 12 B a user", results.Ratio,
				float64(held.Resident)/float64(c.Payload+12*c.Users)),
			n("parts", "", float64(full.Machine.Parts)))
		for i := range timing {
			timing[i].Count = c.Users
		}
		request := n(results.QRequestP50, results.Nanoseconds, hot.of(e)[0].P50)
		between(&request, hot.of(e)[0])
		request.Count = hot.of(e)[0].Requests
		return rows, append(timing, request), nil
	})
}

// leastWindow is the smallest window that any life of the full population ends with.
func leastWindow(s measure.Subject) float64 {
	least := s.Theory.Window(500)
	for shown := 501; shown < 1100; shown++ {
		least = min(least, s.Theory.Window(shown))
	}
	return float64(least)
}
