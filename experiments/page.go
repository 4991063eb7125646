package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"dejavu/claims"
	"dejavu/page"
	"dejavu/plots"
	"dejavu/results"
)

// An illustration is what the page says of a figure.
type illustration struct {
	figure  string
	title   string
	caption string
	tables  func(cells) []results.Table // the same in numbers
	rows    []string                    // the experiments that it is drawn from
}

// illustrations are in the order of the page.
var illustrations = []illustration{
	{
		"table1", "Table 1, drawn",
		"Bytes of a reader, false positives, the window and the time of a request for each strategy; stars are what the paper states.",
		nil,
		[]string{results.Table1},
	},
	{
		"fpr", "False positives by articles shown",
		"The single filter's rate climbs without an end; the dual filter's and the chain's go up and down as filters fill and are cleared. Marks are measured, lines are exact theory.",
		alone(fprTable),
		[]string{results.FPR},
	},
	{
		"fpr-live", "False positives where only what was let through is recorded",
		"Rings are measured where a fresh article that is taken for a seen one is never shown and so never recorded, as in a live system; filled marks where all articles are recorded, as theory has it.",
		nil,
		[]string{results.FPR},
	},
	{
		"fpr-formulas", "The textbook formula and the exact one",
		"How far the textbook formula lies from the exact one, which is the zero line: it reads low for filters this small, most where few articles are in.",
		nil,
		[]string{results.FPR},
	},
	{
		"fill", "How full the answering filter is",
		"The share of ones in the array that answers, by articles shown: 52 % for the paper's filter at 500 articles.",
		nil,
		[]string{results.Fill},
	},
	{
		"window", "What is recognised, by age",
		"The chance that an article is recognised by how many articles ago it was shown: certain inside the window, and outside of it as likely as a false positive.",
		nil,
		[]string{results.Window},
	},
	{
		"memory", "Memory by articles shown and by users",
		"A reader's bytes by articles shown, and those of all readers together by their number; four-pointed stars are what the whole process takes.",
		alone(churnTable),
		[]string{results.Memory},
	},
	{
		"daily", "Days of reading by a heavy-tailed population",
		"How many readers read how much over the run, what each strategy errs and takes by that, and what forgetting readers after 24 idle hours saves.",
		func(c cells) []results.Table { return []results.Table{dailyTable(c), readersTable(c)} },
		[]string{results.Daily},
	},
	{
		"latency", "Time of a request",
		"The time of a request by its number of candidates, for one reader again and again and for random ones: half take no longer than the mark, 99 of 100 no longer than the whisker.",
		alone(latencyTable),
		[]string{results.Latency},
	},
	{
		"serve", "Many goroutines at once",
		"Requests a second by goroutines, how a goroutine fares beside the others, and the time of queries and of requests served as a multiple of the least possible.",
		func(c cells) []results.Table { return []results.Table{serveTable(c), collectorTable(c)} },
		[]string{results.Serve},
	},
	{
		"extend", "From 500 to 1000 articles while in use",
		"False positives around the change of N, and how many articles are still remembered just after it: the queue and the chain keep what they knew, the single and the dual filter begin anew.",
		alone(extendTable),
		[]string{results.Extend},
	},
	{
		"tradeoff", "Every structure beside every other",
		"What a certain window of 400 articles costs: bytes by the rate of false positives beside what no structure can go below, the rate in 512 bytes, and the time of a candidate and of an article recorded.",
		alone(tradeoffTable),
		[]string{results.Tradeoff},
	},
	{
		"month", "A month of exposures, forgotten day by day",
		"Several thousand articles a month: false positives and what is still known of older days, for lanes by the day and for one filter of the same bytes, rebuilt every night or never; what a candidate and the end of a day cost.",
		monthTables,
		[]string{results.Month},
	},
	{
		"proposals", "What the sources advise beside a filter",
		"A second check against a list of recent articles, moving a full filter into a larger one, stages that grow, and sizes by how much a reader reads: what each gives and costs.",
		nil,
		[]string{results.Proposals},
	},
	{
		"pipeline", "When the history learns of it late",
		"What was shown reaches the filter by way of a stream: articles shown again by how late it is and how often readers refresh, what forgetting adds, half an hour's outage, and what a short exact list of what was just shown mends and takes.",
		pipelineTables,
		[]string{results.Pipeline},
	},
	{
		"ship", "The history to the candidates, or the candidates to the history",
		"Bytes and time where a reader's history is shipped to the recall server and tested there, and where the candidates are sent to the history and a bit comes back for each: shipping takes fewer bytes from some number of candidates on.",
		shipTables,
		[]string{results.Ship},
	},
	{
		"snapshot", "A restart from a backup",
		"Living histories saved to the disk, ten more articles shown, the process ended and started again: what was saved is all there, what came since is forgotten unless a log has it, and what a history takes to the disk and back.",
		alone(snapshotTable),
		[]string{results.Snapshot},
	},
	{
		"sizing", "How large a filter must be",
		"Bits by the rate wanted, by three rules, and how far each misses its target.",
		alone(sizingTable),
		[]string{results.Sizing},
	},
	{
		"hashes", "How probes are derived",
		"How far each way to derive probes lies above or below the exact rate, by size of the filter; the table has the time of each.",
		alone(hashesTable),
		[]string{results.Hashes},
	},
	{
		"beyond-table1", "Table 1, for what the paper did not try",
		"Bytes of a reader, false positives, the window and the time of a request of structures that the sources name or the literature has.",
		nil,
		[]string{results.Table1},
	},
	{
		"beyond-fpr", "False positives of what the paper did not try",
		"The rate by articles shown, measured and by each structure's own theory.",
		nil,
		[]string{results.FPR},
	},
	{
		"beyond-window", "What these recognise, by age",
		"The chance that an article is recognised by how many articles ago it was shown.",
		nil,
		[]string{results.Window},
	},
	{
		"replay", "A real log replayed",
		"False positives by articles held and by how much a reader was shown; repeats recognised by how many articles ago they were shown; bytes by how much a reader was shown.",
		nil,
		[]string{results.Replay},
	},
	{
		"beyond-replay", "The same log, for what the paper did not try",
		"False positives by articles held and by how much a reader was shown; repeats recognised by how many articles ago they were shown; bytes by how much a reader was shown.",
		nil,
		[]string{results.Replay},
	},
	{
		"peers", "Beside other filter libraries",
		"Time, memory and error of the same strategies built from other libraries, beside ours.",
		nil, nil, // the tables stand in the text
	},
}

func alone(table func(cells) results.Table) func(cells) []results.Table {
	return func(c cells) []results.Table { return []results.Table{table(c)} }
}

// writePage writes report.html, and the tables for papers and reviews beside it.
func writePage(out string, run *results.Run, peers peersReport, figures []plots.Figure) error {
	p, err := pageOf(run, peers, figures)
	if err != nil {
		return err
	}
	var markdown, latex strings.Builder
	for _, t := range paperTables(run, p) {
		markdown.WriteString(t.Markdown() + "\n")
		latex.WriteString(tex(t) + "\n")
	}
	for name, write := range map[string]func(io.Writer) error{
		"report.html": func(w io.Writer) error { return page.Write(w, p) },
		"tables.md":   func(w io.Writer) error { _, err := io.WriteString(w, markdown.String()); return err },
		"tables.tex":  func(w io.Writer) error { _, err := io.WriteString(w, latex.String()); return err },
	} {
		if err := results.Replace(filepath.Join(out, name), write); err != nil {
			return err
		}
	}
	return nil
}

// paperTables are Table 1, the verdicts and the peers: those that ran.
func paperTables(run *results.Run, p page.Page) (tables []results.Table) {
	all := append([]results.Table{p.Headline}, verdictTables(run)...)
	for _, t := range append(all, p.Peers.Tables...) {
		if len(t.Rows) > 0 {
			tables = append(tables, t)
		}
	}
	return tables
}

// pageOf is the page of a run.
func pageOf(run *results.Run, peers peersReport, figures []plots.Figure) (p page.Page, err error) {
	if p.Explorer, err = explorer(scoped); err != nil {
		return p, err
	}
	m, c := run.Manifest, index(run)
	p.Title = "Dejavu: what readers' memories cost and keep"
	p.Lead = append([]string{runText(m)}, mergedText(m)...)
	p.Verdicts, p.Rule = verdictGroups(run)
	p.Headline = headline(c, m.Users)
	if peers.run != nil {
		p.Peers.PeersReport, _ = results.NewPeersReport(peers.run)
	}
	p.Peers.Lead = []string{peers.from}
	drawn := map[string]plots.Figure{}
	for _, f := range figures {
		if f.Skipped == "" {
			drawn[f.Name] = f
		}
	}
	for _, i := range illustrations {
		f, ok := drawn[i.figure]
		if !ok {
			continue
		}
		figure := page.Figure{Name: i.figure, Title: i.title, Caption: i.caption}
		if figure.SVG, err = os.ReadFile(f.Files[0]); err != nil {
			return p, err
		}
		if i.tables != nil {
			for _, t := range i.tables(c) {
				if len(t.Rows) > 0 {
					figure.Tables = append(figure.Tables, t)
				}
			}
		}
		for _, name := range i.rows {
			figure.Rows = append(figure.Rows, "`"+results.FileName(name)+"`", "`"+results.TimingFileName(name)+"`")
		}
		p.Figures = append(p.Figures, figure)
	}
	if t := statusTable(run); len(t.Rows) > 0 {
		p.Rest = append(p.Rest, t)
	}
	return p, nil
}

// runText says what was run, where.
func runText(m results.Manifest) string {
	e := m.Environment
	return fmt.Sprintf("%s simulated users, seed %d, %.0f s on %s (%d processors, %s, %s/%s).",
		thousands(m.Users), m.Seed, m.Seconds, e.CPU, e.CPUs, e.Go, e.OS, e.Arch)
}

// thousands is a number with commas between its thousands.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}

// verdictGroups is the ledger by verdict: what was refuted first, for there is
// the news.
func verdictGroups(run *results.Run) (groups []page.Group, rule []string) {
	l := ledgerOf(run)
	all := l.Findings
	for _, v := range append([]claims.Verdict{claims.Refuted}, claims.Verdicts...) {
		l.Findings = nil
		for _, f := range all {
			if f.Verdict == v {
				l.Findings = append(l.Findings, f)
			}
		}
		if len(l.Findings) == 0 || v == claims.Refuted && len(groups) > 0 {
			continue
		}
		tone := page.Plain
		switch {
		case v.Upheld():
			tone = page.Good
		case v == claims.Refuted:
			tone = page.Bad
		}
		t := l.verdicts(false)
		for i, f := range l.Findings { // the verdict itself stands above them all
			t.Rows[i][6] = f.Beyond()
		}
		t.Header[6] = "found is"
		groups = append(groups, page.Group{Verdict: v.String(), Tone: tone, Claims: t})
	}
	l.Findings = all
	return groups, strings.Split(strings.TrimSpace(l.foot()), "\n")
}
