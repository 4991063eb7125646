package suite

import (
	"regexp"
	"slices"
	"testing"

	"dejavu/plots"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// comparing matches words of a sentence that some rows deny, and defining the phrases that say how to read a figure.
var (
	comparing = regexp.MustCompile(`(?i)\b(than|more|fewer|fewest|less|most|least|only|hardly|nearly|almost|twice|` +
		`better|best|smaller|smallest|larger|largest|faster|slower|longer|worse|climbs?|grows?|stays?|saves?|costs?|` +
		`prevents?|stops?|cuts|meets?|neither|too (much|many|few|low|high|small|large)|` +
		`no (strategy|structure|article|filter))\b`)
	defining = regexp.MustCompile(`(?i)at (least|most)|bold: the best|(less|more) is better|exact rate, less one|` +
		`larger than the mark|the least of its bin|can take fewer bytes|of the number of links that takes the fewest bytes|` +
		`the best possible|until larger ones|into a larger one|ten more|where most turns agree|Chain, best|` +
		`^The smallest structures by|remember twice as many|holds only what has left it|twice the speed|` +
		`the larger of that|what (each gives and|a month) costs`)
)

// said returns the texts of a figure: its title and caption, titles of panels, and the note.
func said(t *testing.T, f plots.Figure, d plots.Data) (all []string) {
	s, reason, err := d.Lay(f)
	if err != nil || reason != "" {
		t.Fatalf("figure %s cannot be drawn from the reference: %s (error: %v)", f.Name, reason, err)
	}
	all = []string{s.Title, f.Caption, s.Note}
	for _, p := range s.Panels {
		all = append(all, p.Title)
	}
	return all
}

// A text that figures or tables show of any rows compares nothing: rows whose values are all reflected, so that what
// was most is least, would deny it.
func TestFiguresAssertNothing(t *testing.T) {
	holdsNoGoroutines(t)
	rows := strategytest.Value(drawable())
	most := map[[2]string]float64{} // by experiment and quantity
	for _, r := range rows {
		k := [2]string{r.Experiment, r.Quantity}
		most[k] = max(most[k], r.Value.Or(0), r.Theory.Or(0), r.High.Or(0))
	}
	opposite := slices.Clone(rows)
	for i, r := range opposite {
		reflect := func(n results.Number) results.Number {
			if v, ok := n.Get(); ok {
				return results.Num(most[[2]string{r.Experiment, r.Quantity}] - v)
			}
			return n
		}
		o := &opposite[i]
		o.Value, o.Theory, o.Low, o.High = reflect(r.Value), reflect(r.Theory), reflect(r.High), reflect(r.Low)
	}
	check := func(name string, texts, denied []string) {
		for _, text := range texts {
			found := comparing.FindString(defining.ReplaceAllString(text, ""))
			if found != "" && slices.Contains(denied, text) {
				t.Errorf("%s says %q of rows, and of those that deny it: %s", name, found, text)
			}
		}
	}
	d, denying := plots.NewData(figures(), rows), plots.NewData(figures(), opposite)
	for _, f := range figures() {
		check("figure "+f.Name, said(t, f, d), said(t, f, denying))
	}
	cells, reflected := results.NewCells(rows), results.NewCells(opposite)
	for _, x := range All {
		for _, table := range x.Tables {
			table.Lines = results.Find("none") // the title alone
			check("a table of "+x.Name, []string{table.Of(cells).Title}, []string{table.Of(reflected).Title})
		}
	}
}
