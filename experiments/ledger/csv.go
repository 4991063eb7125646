package ledger

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"dejavu/claims"
)

// WriteCSV writes a line a claim, numbers as they are, with what it costs to make its
// rows again.
func (l Ledger) WriteCSV(w io.Writer) error { return l.writeCSV(w, true) }

// writeCSV leaves the cost out where the file is to be the same on every machine.
func (l Ledger) writeCSV(w io.Writer, withCost bool) error {
	header := []string{
		"id", "source", "section", "claim", "reading", "quantity", "unit", "stated", "true if", "because", "rows",
		"kind", "theory", "value", "low", "high", "count", "design effect", "theory inside", "p", "verdict", "beyond",
		"true with", "missing", "command",
	}
	if withCost {
		header = append(header, "seconds", "bytes")
	}
	out := csv.NewWriter(w)
	_ = out.Write(header) // what goes wrong, Error tells
	for _, f := range l.Findings {
		row := append(words(f), numbers(f)...)
		row = append(row, f.Verdict.String(), f.Beyond(), f.Amended, strings.Join(f.Missing, "; "), l.again(f))
		if c, known := l.cost(f); withCost && known {
			row = append(row, fmt.Sprintf("%.3f", c.seconds), fmt.Sprint(c.bytes))
		} else if withCost {
			row = append(row, "", "")
		}
		_ = out.Write(row)
	}
	out.Flush()
	return out.Error()
}

// words are the columns that the claim itself fills.
func words(f claims.Finding) []string {
	region := ""
	if len(f.Rule.Evidence) > 0 {
		region = f.Rule.Region.String()
	}
	return []string{
		f.ID, string(f.Source), f.Section, f.Says, f.Reading, f.Quantity, f.Unit, f.Stated.String(), region,
		because(f), rowsOf(f),
	}
}

// because is the reason for a rule, or why there is none.
func because(f claims.Finding) string {
	return cmp.Or(f.Silent, f.Rule.Because)
}

// rowsOf names the rows of a claim's rule.
func rowsOf(f claims.Finding) string {
	var rows []string
	for _, e := range f.Rule.Evidence {
		rows = append(rows, e.String())
	}
	return strings.Join(rows, "; ")
}

// numbers are the columns that the run fills.
func numbers(f claims.Finding) []string {
	e := f.Estimate
	if !found(f) {
		return make([]string, 9)
	}
	number := func(v float64, digits int) string {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return ""
		}
		return strconv.FormatFloat(v, 'g', digits, 64)
	}
	inside := ""
	if in, known := e.TheoryInside(); known {
		inside = map[bool]string{true: "yes", false: "no"}[in]
	}
	return []string{
		e.Kind.String(), number(e.Theory.Or(math.NaN()), 7), number(e.Value, 9), number(e.Low, 9), number(e.High, 9), strconv.FormatInt(e.Count, 10),
		number(e.DesignEffect, 4), inside, number(f.P, 2),
	}
}

// found reports whether the run had the claim's rows.
func found(f claims.Finding) bool { return len(f.From.Of.Experiment) > 0 }
