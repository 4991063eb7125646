package report

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"dejavu/claims"
	"dejavu/experiments/text"
	"dejavu/internal/document"
	"dejavu/results"
)

// facts are what is known of a claim, by the names that tables have for them.
func (l Ledger) facts(f claims.Finding) map[string]string {
	e := f.Estimate
	facts := map[string]string{
		"claim": f.ID, "where": string(f.Source) + " " + f.Section, "says": f.Says, "reading": f.Reading,
		"what it says (reading)": strings.TrimSuffix(f.Says+" ("+f.Reading+")", " ()"),
		"quantity":               f.Quantity, "unit": f.Unit, "because": cmp.Or(f.Silent, f.Rule.Because),
		"rows": strings.Join(evidence(f), "; "), "found (95 %)": foundText(f) + l.timed(f), "found is": f.Beyond(),
		"verdict": strings.TrimSuffix(f.Verdict.String()+": "+f.Beyond(), ": "), "true with": f.Amended,
		"tolerance halved, doubled": stretched(f),
		"missing":                   strings.Join(f.Missing, "; "), "again with": l.again(f), "which took": l.took(f),
	}
	some := func(name, value string, known bool) {
		if facts[name] = text.None; known {
			facts[name] = value
		}
	}
	stated, known := f.Stated.Get()
	some("stated", amount(stated, f.Unit), known)
	theory, known := e.Theory.Get()
	some("theory", amount(theory, f.Unit), known && ledgerFound(f))
	inside, known := e.TheoryInside()
	some("inside", map[bool]string{true: "yes", false: "no"}[inside], known && ledgerFound(f))
	some("design effect", fmt.Sprintf("%.3f", e.DesignEffect), ledgerFound(f) && !math.IsNaN(e.DesignEffect))
	some("p, Holm", fmt.Sprintf("%.2g", f.P), !math.IsNaN(f.P))
	if f.P < 1e-12 {
		facts["p, Holm"] = "< 1e-12"
	}
	some("of", fmt.Sprint(e.Count), ledgerFound(f) && e.Count > 0)
	if ledgerFound(f) && e.Kind == claims.ClosedForm {
		facts["of"] = "theory"
	}
	if len(f.Rule.Evidence) > 0 {
		facts["true if"] = f.Rule.Region.String()
	}
	if len(f.Rule.Evidence) > 1 && ledgerFound(f) {
		facts["farthest"] = f.From.String()
	}
	return facts
}

// stretched is what the verdict would be with the tolerance halved, and doubled: "same" is what it is.
func stretched(f claims.Finding) string {
	say := func(v claims.Verdict) string {
		if v == f.Verdict {
			return "same"
		}
		return v.String()
	}
	switch s := f.Stretch; {
	case !s.Known():
		return text.None
	case s.Halved == f.Verdict && s.Doubled == f.Verdict:
		return "same"
	default:
		return say(s.Halved) + ", " + say(s.Doubled)
	}
}

// evidence names the rows of a claim's rule.
func evidence(f claims.Finding) (names []string) {
	for _, e := range f.Rule.Evidence {
		names = append(names, e.String())
	}
	return names
}

// Table has a line for each claim, and these facts in columns.
func (l Ledger) Table(title string, names ...string) document.Table {
	return l.table(title, names, l.facts)
}

func (l Ledger) table(title string, names []string, of func(claims.Finding) map[string]string) document.Table {
	t := document.Table{Title: title, Header: names}
	for _, f := range l.Findings {
		facts, row := of(f), make([]string, len(names))
		for i, name := range names {
			row[i] = facts[name]
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// csvHeader ends with the cost of making a claim's rows again, which is not the same on every machine.
var csvHeader = []string{
	"id", "source", "section", "claim", "reading", "quantity", "unit", "stated", "true if", "because", "rows",
	"kind", "theory", "value", "low", "high", "count", "design effect", "theory inside", "p", "verdict", "beyond",
	"tolerance halved, doubled", "true with", "missing", "command", "seconds", "bytes",
}

// raw are the facts by the names that CSV has for them.
func (l Ledger) raw(f claims.Finding) map[string]string {
	raw, e := l.facts(f), f.Estimate
	raw["id"], raw["source"], raw["section"], raw["claim"] = f.ID, string(f.Source), f.Section, f.Says
	raw["stated"], raw["verdict"], raw["beyond"] = f.Stated.String(), f.Verdict.String(), f.Beyond()
	raw["theory"], raw["design effect"], raw["command"] = "", "", l.again(f)
	if c, known := l.cost(f); known {
		raw["seconds"], raw["bytes"] = fmt.Sprintf("%.3f", c.Seconds), fmt.Sprint(c.Bytes)
	}
	if !ledgerFound(f) {
		return raw
	}
	number := func(name string, v float64, digits int) {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			raw[name] = strconv.FormatFloat(v, 'g', digits, 64)
		}
	}
	raw["kind"], raw["count"] = e.Kind.String(), strconv.FormatInt(e.Count, 10)
	number("theory", e.Theory.Or(math.NaN()), 7)
	number("value", e.Value, 9)
	number("low", e.Low, 9)
	number("high", e.High, 9)
	number("design effect", e.DesignEffect, 4)
	number("p", f.P, 2)
	if _, known := e.TheoryInside(); known {
		raw["theory inside"] = raw["inside"]
	}
	return raw
}

// amount is a number of a claim's unit, for people.
func amount(v float64, unit string) string {
	switch unit {
	case results.Bytes:
		return text.Of(results.Row{Unit: unit, Value: results.Num(v)})
	case results.Ratio:
		return plain(100*v, 4) + " %"
	case results.Bits:
		return plain(v, 7) + " bits"
	case claims.Times:
		return plain(v, 4) + " times"
	default:
		return plain(v, 6)
	}
}

// plain is a number with so many digits, a whole one with all of them.
func plain(v float64, digits int) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 || math.Abs(v) >= math.Pow10(digits) {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.*g", digits, v)
}

// foundText is what the rows say, with as many digits as the interval deserves.
func foundText(f claims.Finding) string {
	e := f.Estimate
	most, noneOfMany := f.Most()
	switch {
	case !ledgerFound(f):
		return text.None
	case noneOfMany:
		return fmt.Sprintf("0 (below %.1e each)", most)
	case e.Low == e.High || math.IsInf(e.High, 0):
		return amount(e.Value, f.Unit)
	}
	scale, unit := 1., ""
	switch f.Unit {
	case results.Ratio:
		scale, unit = 100, " %"
	case claims.Times:
		unit = " times"
	}
	value, low, high := scale*e.Value, scale*e.Low, scale*e.High
	decimals := max(0, int(math.Ceil(-math.Log10(scale*(e.High-e.Low)/2)))+1)
	switch {
	case value == 0 && low == 0:
		return fmt.Sprintf("0 (below %s%s)", plain(high, 2), unit)
	case decimals > 6:
		return fmt.Sprintf("%.2g%s (%.2g to %.2g)", value, unit, low, high)
	}
	return fmt.Sprintf("%.*f%s (%.*f to %.*f)", decimals, value, unit, decimals, low, decimals, high)
}

// timed says whether the interval of a time is between runs or within one.
func (l Ledger) timed(f claims.Finding) string {
	switch n := len(l.manifest.Runs); {
	case f.Estimate.Kind != claims.Timed || !ledgerFound(f):
		return ""
	case n > 0:
		return fmt.Sprintf(", of %d runs", n)
	default:
		return ", within one run"
	}
}

// ledgerFound reports whether the run had the claim's rows.
func ledgerFound(f claims.Finding) bool { return len(f.From.Query().Experiment) > 0 }
