package choose

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/experiments/catalogue"
	"dejavu/experiments/text"
	"dejavu/internal/page"
	"dejavu/results"
)

// A line is a strategy for any window and rate.
type line struct {
	page.Strategy
	entry catalogue.Entry
}

// reworded describes entries that the catalogue describes at one size only.
var reworded = map[string]string{
	"queue":       "the IDs of the last N articles",
	"dual":        "master and slave filter, the old master freed",
	"single":      "one Bloom filter, never cleared",
	"chain-sized": "five links, sized for their union",
}

func lines() (all []line) {
	for _, e := range catalogue.Entries(catalogue.All()) {
		if !e.Study {
			about := cmp.Or(reworded[e.Name], e.About)
			all = append(all, line{page.Strategy{Name: strings.TrimPrefix(e.Name, results.Beyond), About: about}, e})
		}
	}
	return all
}

// note names the strategies that cannot be made for a window.
func note() string {
	var others []string
	for _, e := range catalogue.All() {
		if e.Sized == nil && e.IsBeyond() {
			others = append(others, e.Name)
		}
	}
	return fmt.Sprintf("Not among them are %s, which promise no window of this length. "+
		"Means are taken at %d moments at least, spread evenly over a cycle.", strings.Join(others, ", "), explorerMoments)
}

// The places of two of the page's sliders, from left to right.
var (
	windows = []int{100, 200, 300, 400, 500, 600, 800, 1000, 1500, 2000}
	rates   = []float64{0.1, 0.05, 0.02, 0.01, 0.005, 0.001, 0.0001}
)

// New returns what theory expects at every setting, and what to take there. The sliders start at a window of 400
// articles and a rate of 2 %.
func New() page.Explorer {
	all := lines()
	e := page.Explorer{
		Users: []int{
			1000, 10_000, 100_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 20_000_000, 50_000_000,
			100_000_000, 200_000_000, 500_000_000, 1_000_000_000,
		},
		Windows: windows, Rates: rates, Note: note(), Cells: kept(all),
		Rule: Rule, Store: Need{}.StoreBytes(),
		Start: page.Setting{
			Users: 7, Window: slices.Index(windows, DefaultWindow), Rate: slices.Index(rates, catalogue.SizedFPR),
		},
	}
	for _, l := range all {
		e.Strategies = append(e.Strategies, l.Strategy)
	}
	if e.Cells == nil {
		e.Cells = anew()
	}
	for setting := range len(windows) * len(rates) {
		rate := rates[setting%len(rates)]
		e.Picks = append(e.Picks, picks(all, e.Cells[setting*len(all):][:len(all)], windows[setting/len(rates)], rate))
	}
	return e
}

// picks returns what Rule takes at a setting: first of all strategies, then of those smaller than the last pick.
func picks(all []line, cells []*page.Cell, window int, rate float64) (taken []page.Pick) {
	most := math.MaxInt
	for {
		var indices []int
		var some []Summary
		for i, l := range all {
			c := cells[i]
			if c == nil || c.Fixed || c.Window < window || float64(c.Worst) > rate || c.Bytes >= most || !l.chosen() {
				continue
			}
			time := TimeOf(l.entry.Name)
			indices = append(indices, i)
			some = append(some, Summary{
				Name: strings.TrimPrefix(l.entry.Structure(), results.Beyond), History: c.Bytes, Average: c.Average,
				User: c.Bytes + Need{}.StoreBytes(), Time: time, Near: time.Near(rate, c.Bytes),
			})
		}
		take, runnerUp := Pick(some)
		if take < 0 {
			return taken
		}
		p := page.Pick{Take: indices[take], RunnerUp: -1, Alone: Sentence(some[take], Summary{})}
		if p.Text = p.Alone; runnerUp >= 0 {
			p.RunnerUp, p.Text = indices[runnerUp], Sentence(some[take], some[runnerUp])
		}
		taken = append(taken, p)
		most = some[take].History
	}
}

// advised are the windows and rates of Advice, the default of the verb choose first.
var advised = []struct {
	window int
	rate   float64
}{{DefaultWindow, catalogue.SizedFPR}, {1000, 0.001}}

// Advice returns what to take for some windows and rates, by Rule, and for less than a window.
func Advice(e page.Explorer) (all []text.Finding) {
	kept, start := lines(), e.Start.Window*len(e.Rates)+e.Start.Rate
	bytes := func(name string) int {
		i := slices.IndexFunc(kept, func(l line) bool { return l.entry.Name == name })
		return e.Cells[start*len(kept)+i].Bytes
	}
	add := func(title, says, figure string) {
		all = append(all, text.Finding{Title: title, Text: says, Figure: figure})
	}
	for _, a := range advised {
		p := e.Picks[slices.Index(e.Windows, a.window)*len(e.Rates)+slices.Index(e.Rates, a.rate)][0]
		add(fmt.Sprintf("A window of %d, an FPR of %s:", a.window, text.Percent(a.rate)), p.Text, results.Tradeoff)
	}
	add("At most 400 articles in all:", fmt.Sprintf("Take single, one Bloom filter: %d B a user. "+
		"Its FPR grows with every further article.", bytes("single")), results.FPR)
	add("Practically no false positives:", fmt.Sprintf("Take queue, hashes of 64 bits: %d B a user.", bytes("queue")),
		results.Table1)
	add("The rule:", Rule+" "+Request, "")
	return all
}

// chosen reports whether the line is one that may be recommended: a structure of the catalogue in its smallest size.
func (l line) chosen() bool {
	same := func(e catalogue.Entry) bool { return e.Name == l.entry.Name }
	return slices.ContainsFunc(catalogue.Structures(catalogue.All()), same)
}

// Computing what theory expects at all settings takes seconds, and follows from the code alone. So it is kept beside
// the code, where a test computes it again. Every report shows it, even for a log of ten lines.
//
//go:embed computed.json
var computedJSON []byte

// computed holds cells, and their strategies in this order.
type computed struct {
	Strategies []string     `json:"strategies"`
	Cells      []*page.Cell `json:"cells"`
}

// kept returns the stored cells for these lines, or nil if other lines were stored.
func kept(all []line) []*page.Cell {
	var c computed
	if err := json.Unmarshal(computedJSON, &c); err != nil || !slices.Equal(c.Strategies, names(all)) {
		return nil
	}
	return c.Cells
}

// anew computes the cells once if the stored ones are of other strategies.
var anew = sync.OnceValue(func() []*page.Cell { return cells(lines()) })

func names(all []line) (names []string) {
	for _, l := range all {
		names = append(names, l.Name)
	}
	return names
}

// cells computes theory at every setting, by window, rate and line.
func cells(all []line) []*page.Cell {
	cells := make([]*page.Cell, len(windows)*len(rates)*len(all))
	var group sync.WaitGroup
	for i := range cells {
		setting := i / len(all)
		window, rate := windows[setting/len(rates)], rates[setting%len(rates)]
		group.Go(func() { cells[i] = all[i%len(all)].explored(window, rate) })
	}
	group.Wait()
	return cells
}

// explorerMoments is the least number of moments of a rotation at which a rate is computed.
const explorerMoments = 300

// explored returns a strategy's cell at one setting, or nil if it cannot be made. Three windows hold whole rotations of
// all, or nearly. The worst moment is searched around the worst of those computed: rates rise until something is
// cleared.
func (l line) explored(window int, rate float64) *page.Cell {
	s, err := l.entry.Sized(window, rate)
	config, fault := l.entry.Config(window, rate)
	if err != nil || fault != nil {
		return nil
	}
	first, last := catalogue.Settled(s, window, 3*window)
	c := &page.Cell{Fixed: catalogue.Endless(s), Go: GoLine(config)}
	step := max(1, 3*window/(2*explorerMoments))
	o := catalogue.Over(s, first, last, step)
	near := catalogue.Over(s, max(first, o.WorstAt-step), min(o.WorstAt+step, last), 1)
	if c.Average = o.Bytes; !c.Fixed {
		begin, end := kind{}.span(s, window)
		c.Average = int(math.Round(catalogue.Lengths(s, begin, end).MeanBytes))
	}
	c.Bytes, c.Window, c.Mean, c.Worst = o.Bytes, o.Window, page.Number(o.Mean), page.Number(near.Worst)
	return c
}

// Play returns the playground: the paper's five links at about its rate, of eight articles each, and one filter as
// long.
func Play() page.Playground {
	g := bloom.Geometry{Bits: 64, Hashes: 5}
	links := catalogue.Must(chain.New(chain.Config{Links: chain.Paper.Links, Capacity: 8, Geometry: g}))
	p := page.Playground{Links: links.Links, Capacity: links.Capacity, Bits: g.Bits, Hashes: g.Hashes}
	g.Bits *= p.Links                                     // of the filter
	for shown := range 3*links.Links*links.Capacity + 1 { // three cycles
		p.Filter = append(p.Filter, page.Number(bloom.Exact(shown, g)))
		p.Chain = append(p.Chain, page.Number(links.FPR(shown)))
	}
	return p
}
