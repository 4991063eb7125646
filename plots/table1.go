package plots

import (
	"gonum.org/v1/plot/vg"

	"dejavu/results"
)

// table1 shows the trade-off at a glance: what each strategy costs, how often it
// is wrong, and how far back it certainly remembers.
func table1(d data) (sheet, string) {
	var shown []string
	for _, strategy := range d.palette.order {
		for _, quantity := range []string{results.QPayloadPerUser, results.QFPRSteady, results.QWindowLeast} {
			if _, ok := of(d.groups(results.Table1, quantity), strategy).total(); ok {
				shown = append(shown, strategy)
				break
			}
		}
	}
	if len(shown) == 0 {
		return sheet{}, missing(results.Table1, results.QPayloadPerUser)
	}
	var names []string
	for _, strategy := range shown {
		names = append(names, d.palette.looks[strategy].name)
	}
	column := func(title string, x axis) *panel {
		return &panel{title: title, x: x, y: axis{names: names, blank: true}}
	}
	memory := column("Memory per reader", axis{label: "bytes (less is better)"})
	memory.y.blank = false
	rate := column("False positives", axis{label: "rate (less is better)", scale: logarithm, min: 1e-4, max: 1, format: power, labels: 3})
	window := column("Window", axis{label: "articles (more is better)", labels: 4})
	time := column("Time of a request", axis{label: "p50 (less is better)", scale: logarithm, format: duration, labels: 3})

	total := func(quantity, strategy string) (point, bool) {
		return of(d.groups(results.Table1, quantity), strategy).total()
	}
	for i, strategy := range shown {
		look := d.palette.looks[strategy]
		place := float64(len(shown) - 1 - i)
		solid, hollow := look, look
		solid.mark.hollow = false
		hollow.mark.hollow = true
		if p, ok := total(results.QPayloadPerUser, strategy); ok {
			if h, ok := total(results.QHeaderPerUser, strategy); ok {
				p.y += h.y
			}
			memory.add(series{look: solid, bars: []point{{x: place, y: p.y, low: p.y, high: p.y}}, sideways: true, unnamed: true})
		}
		if p, ok := total(results.QFPRAt500, strategy); ok {
			p.x = place
			hollow.mark = mark{hollow: true}
			rate.add(series{look: hollow, points: []point{p}, sideways: true, unnamed: true})
		}
		if p, ok := total(results.QFPRSteady, strategy); ok {
			p.x = place
			solid.mark = mark{}
			rate.add(series{look: solid, points: []point{p}, sideways: true, unnamed: true})
		}
		if p, ok := total(results.QWindowLeast, strategy); ok {
			window.add(series{look: solid, bars: []point{{x: place, y: p.y, low: p.y, high: p.y}}, sideways: true, unnamed: true})
		}
		if p, ok := total(results.QWindowMean, strategy); ok {
			p.x = place
			hollow.mark = mark{hollow: true}
			window.add(series{look: hollow, points: []point{p}, sideways: true, unnamed: true})
		}
		if p, ok := total(results.QRequestP50, strategy); ok {
			p.x = place
			solid.mark = mark{}
			time.add(series{look: solid, points: []point{p}, sideways: true, unnamed: true})
		}
	}
	note := "Memory with headers, of a full reader. False positives: the dot is the mean long after the 500th article, " +
		"the ring the rate at the 500th. Window: the bar is certain, the ring the mean."
	inMemory, inRate := d.stated(memory, shown, results.QPayloadPerUser), d.stated(rate, shown, results.QFPRAt500)
	if inMemory || inRate {
		note += " Stars: the paper's statement."
	}
	row := []*panel{memory}
	for _, p := range []*panel{rate, window, time} {
		if len(p.series) > 0 {
			row = append(row, p)
		}
	}
	return sheet{
		grid:   [][]*panel{row},
		height: 60 + 20*vg.Length(len(shown)),
		note:   note,
	}, ""
}

// stated adds what the paper says of a quantity to a panel with one row per strategy,
// and reports whether it says anything.
func (d data) stated(p *panel, shown []string, quantity string) bool {
	s := series{look: paperLook, sideways: true, unnamed: true}
	for i, strategy := range shown {
		for _, r := range of(d.groups(results.Table1, quantity), strategy).rows {
			if v, ok := r.Paper.Get(); ok && usable(v) {
				s.points = append(s.points, point{float64(len(shown) - 1 - i), v, v, v})
			}
		}
	}
	p.add(s)
	return len(s.points) > 0
}
