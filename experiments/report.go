package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"dejavu/bloom/schemes"
	"dejavu/measure"
	"dejavu/plots"
	"dejavu/results"
)

// cells finds the numbers of a run.
type cells map[results.Key]results.Row

func index(run *results.Run) cells {
	c := cells{}
	for _, r := range run.All() {
		k := r.Key()
		k.Unit = "" // a quantity has one unit
		c[k] = r
	}
	return c
}

func (c cells) find(experiment, strategy, x, quantity string) (results.Row, bool) {
	r, ok := c[results.Key{Experiment: experiment, Strategy: strategy, X: x, Quantity: quantity}]
	return r, ok
}

// text is a row's value for people, in the manner of its unit.
func text(r results.Row) string {
	v, ok := r.Value.Get()
	if !ok {
		if v, ok = r.Theory.Get(); !ok {
			return ""
		}
	}
	switch r.Unit {
	case results.Bytes:
		if v < 1e5 {
			return fmt.Sprintf("%.0f B", v)
		}
		return bytesText(v)
	case results.Ratio:
		if strings.Contains(r.Quantity, "fpr") {
			return percent(v)
		}
		return fmt.Sprintf("%.4g", v)
	case results.Nanoseconds:
		return nanosText(v)
	default:
		if v >= 1e5 {
			return fmt.Sprintf("%.0f", v)
		}
		return fmt.Sprintf("%.5g", v)
	}
}

func percent(v float64) string {
	if v == 0 {
		return "0"
	}
	return fmt.Sprintf("%.3g %%", 100*v)
}

func nanosText(v float64) string {
	switch {
	case v >= 0.9995e6: // which three digits round up to it
		return fmt.Sprintf("%.3g ms", v/1e6)
	case v >= 1e4:
		return fmt.Sprintf("%.3g µs", v/1e3)
	default:
		return fmt.Sprintf("%.0f ns", v)
	}
}

// withPaper is a row's value and the paper's beside it.
func withPaper(r results.Row, ok bool) string {
	if !ok {
		return "–"
	}
	s := text(r)
	if _, stated := r.Paper.Get(); stated {
		p := r
		p.Value = r.Paper
		s += " (" + text(p) + ")"
	}
	return s
}

// reportTables are the tables of a run, the verdicts first: those whose
// experiments ran.
func reportTables(run *results.Run) []results.Table {
	c := index(run)
	tables := verdictTables(run)
	all := []results.Table{
		headline(c, run.Manifest.Users), beyondTable(c), fprTable(c), dailyTable(c), readersTable(c), latencyTable(c), serveTable(c),
		collectorTable(c), churnTable(c), extendTable(c), tradeoffTable(c),
	}
	all = append(append(all, monthTables(c)...), proposalsTable(run.Rows))
	all = append(all, pipelineTables(c)...)
	all = append(append(all, shipTables(c)...), snapshotTable(c))
	for _, t := range append(all, sizingTable(c), hashesTable(c), statusTable(run)) {
		if len(t.Rows) > 0 {
			tables = append(tables, t)
		}
	}
	return tables
}

// byStrategy is a table with a line a strategy and a column an x.
func byStrategy(c cells, title, experiment, quantity string, names []string, xs []string, cell func(results.Row) string) results.Table {
	t := results.Table{Title: title, Header: append([]string{"strategy"}, xs...)}
	for _, name := range names {
		row, any := []string{name}, false
		for _, x := range xs {
			r, ok := c.find(experiment, name, x, quantity)
			any = any || ok
			if !ok {
				row = append(row, "–")
				continue
			}
			row = append(row, cell(r))
		}
		if any {
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

func fprTable(c cells) results.Table {
	return byStrategy(c, "False positive rate by articles shown: measured [exact theory]", results.FPR, results.QFPR,
		entryNames(), []string{"50", "100", "300", "500", "501", "600", "1000", "1500", "2000"},
		func(r results.Row) string { return percent(r.Value.Or(0)) + " [" + percent(r.Theory.Or(0)) + "]" })
}

func dailyTable(c cells) results.Table {
	t := results.Table{
		Title:  "Two days of reading: with the 24 h rule / without",
		Header: []string{"strategy", "users with a history", "payload", "FPR", "repeats per 1000 shown"},
	}
	for _, e := range entries {
		row := []string{e.Name}
		for _, q := range [][2]string{
			{results.QAliveRule, results.QAliveNoRule},
			{results.QPayloadRule, results.QPayloadNoRule},
			{results.QFPRRule, results.QFPRNoRule},
			{results.QRepeatsRule, results.QRepeatsNoRule},
		} {
			with, ok := c.find(results.Daily, e.Name, "", q[0])
			without, _ := c.find(results.Daily, e.Name, "", q[1])
			if ok {
				row = append(row, text(with)+" / "+text(without))
			}
		}
		if len(row) > 1 {
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// readersTable is how unevenly readers fare.
func readersTable(c cells) results.Table {
	return byStrategy(c, "Two days of reading, over readers: false positive rate and bytes at quantiles, with the 24 h rule",
		results.Daily, results.QFPRQuantile, entryNames(), []string{"0.5", "0.9", "0.99", "0.999"},
		func(r results.Row) string {
			bytes, _ := c.find(results.Daily, r.Strategy, r.X.String(), results.QBytesQuantile)
			return percent(r.Value.Or(0)) + ", " + text(bytes)
		})
}

func latencyTable(c cells) results.Table {
	names := append(entryNames(), "queue-map", "floor", "nothing")
	xs := []string{"40", "100", "400", "1000", "4000"}
	t := byStrategy(c, "Time of a request by candidates: hot median / cold median [p99] / cold, many at once", results.Latency, results.QHotP50,
		names, xs, func(r results.Row) string {
			s := text(r)
			x := r.X.String()
			cold, ok := c.find(results.Latency, r.Strategy, x, results.QColdP50)
			tail, _ := c.find(results.Latency, r.Strategy, x, results.QColdP99)
			if ok {
				together, _ := c.find(results.Latency, r.Strategy, x, results.QTogetherP50)
				s += " / " + text(cold) + " [" + text(tail) + "] / " + text(together)
			}
			return s
		})
	return t
}

// serveTable has a column for each number of goroutines that served.
func serveTable(c cells) results.Table {
	var xs []string
	for n := 1; n <= 1<<16; n++ {
		x := strconv.Itoa(n)
		if _, ok := c.find(results.Serve, "single", x, results.QRequestsPerSecond); ok {
			xs = append(xs, x)
		}
	}
	return byStrategy(c, "Requests a second by goroutines: 40 candidates asked, 10 recorded [least served over most]",
		results.Serve, results.QRequestsPerSecond, entryNames(), xs, func(r results.Row) string {
			fair, _ := c.find(results.Serve, r.Strategy, r.X.String(), results.QFairness)
			return fmt.Sprintf("%.0f [%.2f]", r.Value.Or(0), fair.Value.Or(0))
		})
}

// collectorTable is what the garbage collector has to do where all histories are
// alive: by itself while all processors serve, and made to run.
func collectorTable(c cells) results.Table {
	t := results.Table{
		Title: "The garbage collector while all processors serve: by itself [theory: once in two minutes], and made to run",
		Header: []string{
			"strategy", "heap objects a user", "heap bytes a request", "share of CPU", "CPU of a collection", "longest pause",
		},
	}
	for _, name := range entryNames() {
		objects, ok := c.find(results.Serve, name, "", results.QObjectsPerUser)
		if !ok {
			continue
		}
		row := []string{name, text(objects)}
		for n := 1; n <= 1<<16; n++ { // processors: where a collection was forced
			x := strconv.Itoa(n)
			cpu, ok := c.find(results.Serve, name, x, results.QForcedCPU)
			if !ok {
				continue
			}
			garbage, _ := c.find(results.Serve, name, x, results.QAllocated)
			share, _ := c.find(results.Serve, name, x, results.QCollectShare)
			pause, _ := c.find(results.Serve, name, x, results.QForcedPause)
			row = append(row, fmt.Sprintf("%.2g", garbage.Value.Or(0)),
				percent(share.Value.Or(0))+" ["+percent(share.Theory.Or(0))+"]", text(cpu), text(pause))
		}
		if len(row) == len(t.Header) {
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// churnTable has a line for each midnight, and one for what came of them.
func churnTable(c cells) results.Table {
	t := results.Table{
		Title:  "Days of coming and going: what is held at midnight",
		Header: []string{"strategy", "day", "users with a history", "payload", "slabs", "resident"},
	}
	for _, name := range entryNames() {
		for day := range churnDays {
			row := []string{name, strconv.Itoa(day + 1)}
			for _, q := range []string{
				results.QAliveAtMidnight, results.QPayloadAtMidnight, results.QSlabsAtMidnight, results.QResidentAtMidnight,
			} {
				if r, ok := c.find(results.Memory, name, row[1], q); ok {
					row = append(row, text(r))
				}
			}
			if len(row) > 2 {
				t.Rows = append(t.Rows, row)
			}
		}
		slabs, ok := c.find(results.Memory, name, "", results.QSlabsGrowth)
		resident, _ := c.find(results.Memory, name, "", results.QResidentGrowth)
		if ok {
			t.Rows = append(t.Rows, []string{
				name, fmt.Sprintf("growth after day %d, beyond payload", measure.WarmUp), "", "", percent(slabs.Value.Or(0)), percent(resident.Value.Or(0)),
			})
		}
	}
	return t
}

func extendTable(c cells) results.Table {
	return byStrategy(c, "N from 500 to 1000: false positive rate before (-50) and after so many further articles [theory]",
		results.Extend, results.QFPR, entryNames(), []string{"-50", "0", "100", "300", "500", "600"},
		func(r results.Row) string { return percent(r.Value.Or(0)) + " [" + percent(r.Theory.Or(0)) + "]" })
}

func sizingTable(c cells) results.Table {
	return byStrategy(c, "Bits for 500 articles by target rate [rate reached]", results.Sizing, results.QBits,
		[]string{"paper", "lecture", "exact"}, []string{"0.001", "0.005", "0.01", "0.02", "0.05", "0.1"},
		func(r results.Row) string {
			reached, _ := c.find(results.Sizing, r.Strategy, r.X.String(), results.QFPRReached)
			return fmt.Sprintf("%.0f [%s]", r.Theory.Or(0), percent(reached.Theory.Or(0)))
		})
}

func hashesTable(c cells) results.Table {
	var names []string
	for _, s := range schemes.All {
		names = append(names, s.Name)
	}
	for _, d := range digests {
		names = append(names, urlsBy(d.name))
	}
	t := byStrategy(c, "Probe schemes: excess over the exact rate, 95 % interval", results.Hashes, results.QExcess, names,
		[]string{"812", "4064"}, func(r results.Row) string {
			return fmt.Sprintf("%+.2f %% (%+.2f to %+.2f)", 100*r.Value.Or(0), 100*r.Low.Or(0), 100*r.High.Or(0))
		})
	t.Header = append(t.Header, "time an article")
	for i, row := range t.Rows {
		cell := ""
		if r, ok := c.find(results.Hashes, row[0], "", results.QNanosPerItem); ok {
			cell = fmt.Sprintf("%.1f ns", r.Value.Or(0))
		} else if i >= len(schemes.All) { // a digest's time is a key's
			r, _ := c.find(results.Hashes, digests[i-len(schemes.All)].name, "", results.QNanosPerKey)
			cell = fmt.Sprintf("%.1f ns a key", r.Value.Or(0))
		}
		t.Rows[i] = append(row, cell)
	}
	return t
}

func statusTable(run *results.Run) results.Table {
	t := results.Table{Title: "Experiments", Header: []string{"experiment", "status", "seconds"}}
	for _, s := range run.Manifest.Experiments {
		status := s.Status
		if s.Error != "" {
			status += ": " + s.Error
		}
		t.Rows = append(t.Rows, []string{s.Name, status, fmt.Sprintf("%.1f", s.Seconds)})
	}
	return t
}

// writeReport writes the tables, what is to be said of the peers, and the figures
// as one Markdown page.
func writeReport(path string, run *results.Run, tables []results.Table, peers string, figures []plots.Figure) error {
	return results.Replace(path, func(w io.Writer) error {
		m := run.Manifest
		e := m.Environment
		var b strings.Builder
		fmt.Fprintf(&b, "# Dejavu: report of a run\n\n")
		fmt.Fprintf(&b, "%d simulated users, seed %d, %.0f s on %s (%d processors, %s, %s/%s).\n\n",
			m.Users, m.Seed, m.Seconds, e.CPU, e.CPUs, e.Go, e.OS, e.Arch)
		for _, line := range mergedText(m) {
			fmt.Fprintf(&b, "%s\n\n", line)
		}
		for _, t := range tables {
			fmt.Fprintf(&b, "%s\n\n", t.Markdown())
		}
		fmt.Fprintf(&b, "%s\n", peers)
		for _, f := range figures {
			if f.Skipped == "" {
				fmt.Fprintf(&b, "![%s](figures/%s)\n\n", f.Name, filepath.Base(f.Files[0]))
			}
		}
		_, err := io.WriteString(w, b.String())
		return err
	})
}
