package describe

import (
	"slices"
	"strconv"
	"time"

	"dejavu/experiments/row"
	"dejavu/experiments/text"
	"dejavu/internal/document"
	"dejavu/measure/deal"
	"dejavu/store"
)

// Window is deal.WindowOf the log's repeats, where histories are forgotten by one of Rules, 0 being never.
func (d *Description) Window(idle store.Timestamp, share float64) (window int, has float64) {
	kept := d.kept(idle)
	return deal.WindowOf(kept[:], d.Repeats, share)
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
func (d *Description) kept(idle store.Timestamp) ages {
	kept := d.Ages
	if i := slices.Index(d.Rules, idle); i >= 0 {
		for bin, n := range d.Forgotten[i] {
			kept[bin] -= n
		}
	}
	return kept
}

// Shares are those of repeats that windows are looked for.
var Shares = [...]float64{0.5, 0.9, 0.99, 0.999}

// WindowTable is which windows have which share of repeats, by rule of forgetting.
func WindowTable(d *Description) document.Table {
	t := document.Table{
		Title:  "Share of all repeats that are among the last articles, by when histories are forgotten",
		Header: []string{"after", "repeats forgotten"},
	}
	for _, share := range Shares {
		t.Header = append(t.Header, strconv.FormatFloat(100*share, 'g', -1, 64)+" %")
	}
	if d.Repeats == 0 {
		return t
	}
	for _, rule := range append(slices.Clone(d.Rules), 0) {
		kept := d.kept(rule)
		line := []string{RuleText(rule), percentOf(d.Repeats-row.Sum(kept[:]), d.Repeats)}
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
