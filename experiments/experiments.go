package main

import (
	"fmt"
	"io"

	"dejavu/results"
)

// An experiment turns measurements into rows.
type experiment struct {
	name  string
	about string
	needs needs
	rows  func(s *suite) (rows, timing []results.Row, err error)
}

// needs says which measurements an experiment asks for.
type needs struct{ full, daily, churn, hot, held, hashes, tradeoff, month, proposals, snapshot, ship, pipeline bool }

// experiments lists all experiments, in the order in which they run and print.
var experiments = []experiment{
	{results.Table1, "the paper's Table 1, measured: memory, time, error rate, window, changing N", needs{full: true, hot: true}, table1},
	{results.FPR, "false positive rate by articles shown, 0 to 2000, against theory and the paper", needs{full: true, daily: true}, fpr},
	{results.Fill, "share of ones in the array that answers, by articles shown", needs{full: true}, fill},
	{results.Window, "what is remembered, by age: the retention curve and the promised window", needs{full: true}, window},
	{results.Memory, "bytes by articles shown, totals by users, and what days of coming and going leave", needs{full: true, churn: true}, memory},
	{results.Daily, "two days of reading: memory and error rate with and without the 24 h rule", needs{daily: true}, daily},
	{results.Latency, "time of a request of 40 to 4000 candidates, hot and cold", needs{full: true, hot: true, held: true}, latency},
	{results.Serve, "requests from many goroutines, and the collector meanwhile", needs{full: true}, serve},
	{results.Extend, "N goes from 500 to 1000 on live histories: what is kept, and the error rate", needs{full: true}, extend},
	{results.Sizing, "bits, hashes and bytes by error rate: the paper's equations, the lecture's, the optimum", needs{}, sizing},
	{results.Arithmetic, "the sources' own sums, done again, and how large a filter would have to be", needs{}, arithmetic},
	{results.Tradeoff, "every structure at one window and rate, and at one length: bytes, error rate, time", needs{tradeoff: true}, tradeoff},
	{results.Month, "two months at several thousand articles a month: lanes by the day, and a filter rebuilt nightly", needs{month: true}, month},
	{results.Proposals, "what the sources advise beside a filter: a second check, growing, deleting, sizes by activity", needs{proposals: true}, proposedRows},
	{results.Pipeline, "the live path: repeats by a stream's delay and outage, by the pace of refreshes, with a list at the edge", needs{pipeline: true}, pipeline},
	{results.Hashes, "digests and probe schemes: bias at 812 and 4064 bits, and time", needs{hashes: true}, hashes},
	{results.Ship, "a reader's history sent to the recall server, or candidates to the history: bytes and time", needs{ship: true}, ship},
	{results.Snapshot, "histories of one reader in 40 backed up, and a restart: what is kept, forgotten, and the time (of ten million: --users 400000000)", needs{snapshot: true}, snapshot},
}

func experimentNamed(name string) (experiment, bool) {
	for _, e := range experiments {
		if e.name == name {
			return e, true
		}
	}
	return experiment{}, false
}

// list prints the experiments and the strategies.
func list(w io.Writer) error {
	t := results.Table{Title: "Experiments", Header: []string{"name", "what it shows"}}
	for _, e := range experiments {
		t.Rows = append(t.Rows, []string{e.name, e.about})
	}
	if _, err := fmt.Fprintln(w, t.Text()); err != nil {
		return err
	}
	t = results.Table{Title: "Strategies", Header: []string{"name", "what it is", "lived by"}}
	for _, e := range entries {
		by := "every user"
		if e.Share > 1 {
			by = fmt.Sprintf("one user in %d", e.Share)
		}
		t.Rows = append(t.Rows, []string{e.Name, e.About, by})
	}
	_, err := fmt.Fprintln(w, t.Text())
	return err
}
