package plots

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"

	"dejavu/results"
)

// The marks of the candidates that peers are asked for, and the two bars of
// memory; each row of panels has the colour of its strategy.
var (
	askedMarks = []struct {
		quantity, name string
		mark           mark
	}{
		{results.QFreshNanos, "fresh candidates", mark{}},
		{results.QMixedNanos, "half of them seen", mark{sides: 4, turn: math.Pi / 2}},
		{results.QSeenNanos, "seen candidates", mark{hollow: true}},
	}
	recordMark = mark{sides: 3, turn: math.Pi / 2}
	liveBar    = mark{sides: 4, turn: math.Pi / 4}
	goalBar    = mark{sides: 4, turn: math.Pi / 4, hollow: true}
)

// peers shows what each library's filters cost beside ours: a row of panels for
// each strategy, and one for how well the rates of single filters keep to theory.
func peers(d data) (sheet, string) {
	var grid [][]*panel
	most := 0
	for _, kind := range d.peers.Kinds() {
		row := d.peerRow(kind)
		if row[0] != nil {
			grid = append(grid, row)
			most = max(most, len(row[0].y.names))
		}
	}
	if len(grid) == 0 {
		return sheet{}, missing(results.Peers, results.QFreshNanos+results.OverOurs)
	}
	for column := range 2 { // multiples compare down the columns
		multiples(grid, column)
	}
	for column := 2; column < 4; column++ {
		var panels []*panel
		for _, row := range grid {
			if row[column] != nil {
				panels = append(panels, row[column])
			}
		}
		sameX(panels)
	}
	if row := d.errorRow(); row != nil {
		grid = append(grid, row)
		most = max(most, len(row[0].y.names))
	}
	letter := 'a'
	for _, row := range grid {
		for _, p := range row {
			if p != nil {
				p.title = "(" + string(letter) + ") " + p.title
				letter++
			}
		}
	}
	s := sheet{
		grid:   grid,
		height: 62 + 14*vg.Length(most),
		note: "Times are multiples of ours in the same turn, less than 1 is faster than ours; whiskers: the second and the last but one of the turns. " +
			"Memory: of a reader" + d.readersAlive() + ". " +
			"Rates are of filters of 500 articles, over the exact rate of the bits each library really uses, less one, with 95 % intervals; " +
			"that axis is linear within ±0.1 % and logarithmic outside." + d.static(),
	}
	for _, m := range askedMarks {
		s.extra = append(s.extra, entry{look: look{name: m.name, color: grey, mark: m.mark}, mark: true})
	}
	s.extra = append(s.extra,
		entry{look: look{name: "article recorded", color: grey, mark: recordMark}, mark: true},
		entry{look: look{name: "live bytes, heap objects", color: grey, mark: liveBar}, mark: true},
		entry{look: look{name: "with the garbage that may pile up", color: grey, mark: goalBar}, mark: true})
	return s, ""
}

// readersAlive says with how many readers memory was measured.
func (d data) readersAlive() string {
	for _, kind := range d.peers.Kinds() {
		if r, ok := d.peers.Row(results.OurName(kind), results.QBytesPerUser); ok {
			return ", with " + r.X.String() + " alive"
		}
	}
	return ""
}

// static says whose filters cannot be added to.
func (d data) static() string {
	said := ""
	for _, library := range d.peers.Filters() {
		if _, ok := d.peers.Row(library, results.QStatic); ok {
			said += " Static, built anew at each record: " + library + "."
		}
	}
	return said
}

// peerRow is the panels of one strategy: the time of a candidate, of an article
// recorded, bytes and heap objects. The first is nil where no time is known.
func (d data) peerRow(kind string) []*panel {
	libraries := d.peers.Libraries(kind)
	names := append([]string{results.Ours}, libraries...)
	base := d.palette.looks[kind]
	if base.name == "" { // a kind that only these rows know
		base = look{name: kind, color: black}
	}
	column := func(title string, x axis) *panel {
		return &panel{title: title, x: x, y: axis{names: folded(names), blank: true}}
	}
	times := axis{label: "times ours", scale: logarithm, format: multiple}
	asked, recorded := column("Candidate", times), column("Article recorded", times)
	asked.y.blank, asked.y.label = false, base.name
	bytes := column("Bytes a reader", axis{label: "bytes", labels: 3})
	objects := column("Heap objects", axis{label: "of a reader", labels: 4})

	place := func(i int) float64 { return float64(len(names) - 1 - i) }
	with := func(m mark) look {
		l := base
		l.mark = m
		return l
	}
	ratios := func(p *panel, quantity string, m mark, lift float64) {
		s := series{look: with(m), sideways: true, unnamed: true}
		ours, ok := d.peers.Row(results.OurName(kind), quantity)
		if !ok {
			return
		}
		if p.guides == nil {
			// A long label at the guide would be wider than the panel beside it.
			p.guides = []guide{{at: 1, vertical: true, label: "ours"}}
			p.x.label += ", " + strconv.FormatFloat(ours.Value.Or(0), 'g', 2, 64) + " ns"
		}
		s.points = append(s.points, point{place(0) + lift, 1, 1, 1})
		for i, library := range libraries {
			r, ok := d.peers.Row(results.PeerName(library, kind), quantity+results.OverOurs)
			if q, ok := rowPoint(r, ok, place(i+1)+lift); ok && q.y > tiniest {
				s.points = append(s.points, q)
			}
		}
		if len(s.points) > 1 {
			p.add(s)
		}
	}
	for i, m := range askedMarks {
		ratios(asked, m.quantity, m.mark, 0.26*float64(1-i))
	}
	ratios(recorded, results.QRecordNanos, recordMark, 0)

	bars := func(p *panel, quantity string, m mark, lift float64) {
		for i, name := range names {
			strategy := results.PeerName(name, kind)
			if i == 0 {
				strategy = results.OurName(kind)
			}
			r, ok := d.peers.Row(strategy, quantity)
			if q, ok := rowPoint(r, ok, place(i)+lift); ok {
				p.add(series{look: with(m), bars: []point{q}, sideways: true, unnamed: true})
			}
		}
	}
	bars(bytes, results.QGoalPerUser, goalBar, -0.2)
	bars(bytes, results.QBytesPerUser, liveBar, 0.2)
	bars(objects, results.QObjectsPerUser, liveBar, 0)
	return present(asked, recorded, bytes, objects)
}

// errorRow is a panel for each shape of keys, or nil.
func (d data) errorRow() []*panel {
	names := append([]string{results.Ours}, d.peers.Filters()...)
	var row []*panel
	for i, shape := range results.KeyShapes {
		p := &panel{
			title:  strings.ToUpper(shape[:1]) + shape[1:] + " keys",
			x:      axis{label: "off theory", scale: signedLog, format: percent, labels: 3},
			y:      axis{names: folded(names), blank: i > 0},
			guides: []guide{{at: 0, vertical: true, label: "theory"}},
		}
		if i == 0 {
			p.y.label = "False positives"
		}
		s := series{look: look{name: "error", color: black, mark: mark{}}, sideways: true, unnamed: true}
		for k, name := range names {
			r, ok := d.peers.FPRError(name, shape)
			if q, ok := rowPoint(r, ok, float64(len(names)-1-k)); ok {
				s.points = append(s.points, q)
			}
		}
		p.add(s)
		row = append(row, p)
	}
	row = present(row...)
	if row[0] == nil {
		return nil
	}
	sameX(slices.DeleteFunc(slices.Clone(row), func(p *panel) bool { return p == nil }))
	return row
}

// present replaces panels that show nothing by nil.
func present(row ...*panel) []*panel {
	for i, p := range row {
		if len(p.series) == 0 {
			row[i] = nil
		}
	}
	return row
}

// folded sets long names in two lines, and cuts what is longer still: four
// panels stand side by side, and the names take of their width.
func folded(names []string) (out []string) {
	const room = 16 // letters
	for _, name := range names {
		letters := []rune(name)
		if len(letters) <= room {
			out = append(out, name)
			continue
		}
		at := slices.Index(letters[room/2:], ' ') + room/2
		if at < room/2 || at > room {
			at = room
		}
		first, second := string(letters[:at]), []rune(strings.TrimSpace(string(letters[at:])))
		if len(second) > room {
			second = append(second[:room-1], '…')
		}
		out = append(out, first+"\n"+string(second))
	}
	return out
}

// rowPoint is a row's value and interval at a place, and false where there is none.
func rowPoint(r results.Row, ok bool, place float64) (point, bool) {
	v, measured := r.Value.Get()
	low, high := r.Low.Or(v), r.High.Or(v)
	return point{place, v, low, high}, ok && measured && usable(v, low, high)
}

// multiples gives a column of panels the range from all of their values.
func multiples(grid [][]*panel, column int) {
	low, high := 1.0, 1.0
	for _, row := range grid {
		if row[column] == nil {
			continue
		}
		for _, s := range row[column].series {
			for _, q := range s.points {
				low, high = min(low, q.y), max(high, q.y)
			}
		}
	}
	for _, row := range grid {
		if row[column] != nil {
			row[column].x.min, row[column].x.max = low/1.6, high*1.6
		}
	}
}

// multiple writes a quotient.
func multiple(v float64) string { return number(v) + "×" }
