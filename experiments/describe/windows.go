package describe

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"dejavu/experiments/row"
	"dejavu/experiments/text"
	"dejavu/measure/deal"
	"dejavu/results"
	"dejavu/store"
)

// Window is the least window, as far as bins of ages tell, which is an eighth, whose articles
// have that share of the log's repeats, above 0 and up to 1, where histories are
// forgotten by one of Rules, 0 being never; and the share that it has. It is 0 where no
// window has so many, with the share of the longest.
func (d *Description) Window(idle store.Timestamp, share float64) (window int, has float64) {
	sum := int64(0)
	for bin, n := range d.kept(idle) {
		if sum += n; n > 0 && float64(sum) >= share*float64(d.Repeats) {
			return deal.AgeTo(bin), float64(sum) / float64(d.Repeats)
		}
	}
	return 0, row.Mean(sum, d.Repeats)
}

// Within is the share of the log's repeats that a window has, at least, by such a rule.
func (d *Description) Within(idle store.Timestamp, window int) float64 {
	sum := int64(0)
	for bin, n := range d.kept(idle) {
		if deal.AgeTo(bin) <= window {
			sum += n
		}
	}
	return row.Mean(sum, d.Repeats)
}

// kept are Ages without those that are forgotten by a rule, one of Rules or 0.
func (d *Description) kept(idle store.Timestamp) []int64 {
	ages := slices.Clone(d.Ages)
	if i := slices.Index(d.Rules, idle); i >= 0 {
		for bin, n := range d.Forgotten[i] {
			ages[bin] -= n
		}
	}
	return ages
}

// Shares are those of repeats that windows are looked for.
var Shares = [...]float64{0.5, 0.9, 0.99, 0.999}

// WindowTable is which windows have which share of repeats, by rule of forgetting.
func WindowTable(d *Description) results.Table {
	t := results.Table{
		Title:  "Share of all repeats that are among the last articles, by when histories are forgotten",
		Header: []string{"after", "repeats forgotten"},
	}
	for _, share := range Shares {
		t.Header = append(t.Header, strconv.FormatFloat(100*share, 'g', -1, 64)+" %")
	}
	if d.Repeats == 0 {
		return t
	}
	for i, rule := range append(d.Rules[:len(d.Rules):len(d.Rules)], 0) {
		name, forgotten := "never", int64(0)
		if rule > 0 {
			name, forgotten = RuleText(rule), row.Sum(d.Forgotten[i])
		}
		line := []string{name, percentOf(forgotten, d.Repeats)}
		for _, share := range Shares {
			cell := text.None
			if window, _ := d.Window(rule, share); window > 0 {
				cell = strconv.Itoa(window)
			}
			line = append(line, cell)
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

// RuleText is a rule of forgetting for people.
func RuleText(idle store.Timestamp) string {
	if idle == 0 {
		return "never"
	}
	return text.Duration(time.Duration(idle) * time.Second)
}

// afterTable is repeats by the time since they were shown.
func afterTable(d *Description) results.Table {
	t := results.Table{Title: "Repeats, by the time since they were shown", Header: []string{"from", "repeats", "so far"}}
	sum := int64(0)
	for bin, n := range d.After {
		if sum += n; n > 0 {
			t.Rows = append(t.Rows, []string{text.Elapsed(deal.ElapsedFrom(bin)), percentOf(n, d.Repeats), fmt.Sprintf("%.4g %%", 100*row.Mean(sum, d.Repeats))})
		}
	}
	return t
}
