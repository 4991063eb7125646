package main

import (
	"fmt"

	"dejavu/results"
)

// headline is Table 1, the paper's values in brackets.
func headline(c cells, users int) results.Table {
	t := table1Of(c, false, []string{
		results.QPayloadPerUser, results.QPayloadTotal, results.QResidentTotal, results.QFPRAt500, results.QFPRSteady,
		results.QWindowLeast, results.QWindowMean, results.QArticlesAt1000, results.QRequestP50,
	})
	t.Title = fmt.Sprintf("Table 1, measured over %d users (in brackets: the paper)", users)
	t.Header = []string{
		"strategy", "payload a user", "payload", "resident", "FPR at 500", "FPR steady",
		"window at least", "mean", "kept at N→1000", "request of 40",
	}
	return t
}

// beyondTable is Table 1 for what the paper did not try.
func beyondTable(c cells) results.Table {
	t := table1Of(c, true, []string{
		results.QPayloadPerUser, results.QHeaderPerUser, results.QFPRAt500, results.QFPRSteady,
		results.QWindowLeast, results.QWindowMean, results.QRequestP50,
	})
	t.Title = "Table 1 for what the paper did not try, made for a window of 400 at 2 % where a window can be promised"
	t.Header = []string{
		"strategy", "payload a user", "header", "FPR at 500", "FPR steady", "window at least", "mean", "request of 40",
	}
	return t
}

// table1Of has a line for each entry that ran, of the paper or beyond it, and a
// column for each quantity.
func table1Of(c cells, beyond bool, quantities []string) (t results.Table) {
	for _, e := range entries {
		if e.IsBeyond() != beyond {
			continue
		}
		if _, ran := c.find(results.Table1, e.Name, "", results.QPayloadPerUser); !ran {
			continue
		}
		row := []string{e.Name}
		if e.Share > 1 {
			row[0] += fmt.Sprintf(" (users/%d)", e.Share)
		}
		for _, q := range quantities {
			row = append(row, withPaper(c.find(results.Table1, e.Name, "", q)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
