package advice

import (
	"dejavu/beyond/confirmed"
	"dejavu/experiments/text"
	"dejavu/plots"
	"dejavu/results"
)

var (
	fpr        = results.Find(results.QFPR)
	fprAtTwice = results.Find(results.QFPR, twiceFull)
	perUser    = results.Find(results.QBytesPerUser)
)

var figures = []plots.Figure{{
	Name: "proposals", Experiment: results.Proposals, Query: fpr, Strategies: plots.None, Build: compared,
	Title: "A list asked first, growth by copying bits, and sizes by activity: false positives and bytes",
	Caption: "A second check against a list of recent articles, moving a full filter into a larger one, and sizes " +
		"by how much a user reads: what each gives and costs.",
	Looks: map[string]plots.Look{
		noCheck:                   look("filter alone").Hollow(),
		checked(confirmed.Beside): look("list beside the filter"),
		checked(confirmed.Ahead):  look("list before the filter"),
		unmoved:                   look("never grown").Hollow(),
		spreadOut:                 look("copied, each bit twice"),
		migrated:                  look("rebuilt from a log"),
		madeLarge:                 look("made for 1000 at once"),
		oneSize:                   look("one size for all").Hollow(),
		byWhole:                   look("sized by both days"),
		byFirst:                   look("sized by the first day"),
		remade:                    look("resized from a log"),
	},
}}

// look returns the look of a proposal; its name is short enough for a panel.
func look(name string) plots.Look { return plots.Look{Name: name, Color: plots.Slate} }

func compared(d plots.Data) plots.Sheet {
	panel := func(title, label string, format plots.Format, places plots.Groups, values results.Query) *plots.Panel {
		p := &plots.Panel{Title: title, X: plots.Axis{Label: label, Format: format, Labels: 4, Told: true}}
		return p.Bars(places, d.Find(values), d.Look)
	}
	checks := d.Ranked(fpr, noCheck, checked(confirmed.Beside), checked(confirmed.Ahead))
	grown := d.Ranked(fprAtTwice, unmoved, spreadOut, migrated, madeLarge)
	sizes := d.Ranked(perUser, oneSize, byWhole, byFirst, remade)
	return plots.Sheet{
		Columns: 2, Height: 118,
		Panels: []*plots.Panel{
			panel("(a) A list asked first: false positives", "false positive rate", plots.Percent, checks, fpr),
			panel("(b) Bits copied, or rebuilt", "false positive rate at 1000 articles", plots.Percent, grown, fprAtTwice),
			panel("(c) Sizes by activity: bytes", "mean bytes per user", plots.Bytes, sizes, perUser),
			panel("(d) Sizes by activity: false positives", "false positive rate", plots.Percent, sizes, fpr),
		},
		Note: "Hollow: nothing done; filled: something done, or the best possible. (a): a list of the newest 100 " +
			"of 500 articles beside the paper's filter; where it is asked first, the filter holds only what has " +
			"left it. (b): from 4064 bits and 500 articles to 8128 and 1000. (c) and (d): four sizes for two days " +
			"of reading, each built for 2 %. The table has the other ways.",
	}
}

var tables = []text.Table{{
	Title: "What the sources advise beside a filter, tried: measured [theory]",
	Lines: results.Query{Experiment: results.Proposals, Quantity: results.Any},
	Columns: []text.Column{
		text.Strategy("what was tried"), {Header: "what was counted", Write: counted}, {Header: "found", Write: found},
	},
}}

// counted names the quantity of a row and its conditions.
func counted(r ...results.Row) string {
	if r[0].Where == "" {
		return r[0].Quantity
	}
	return r[0].Quantity + " at " + string(r[0].Where)
}

// found writes the value of a row and, unless it is in bytes, what theory expects in brackets.
func found(r ...results.Row) string {
	row, s := r[0], text.Of(r[0])
	if row.Quantity == results.QRecognised || row.Quantity == "deleted recognised" {
		s = text.Share(row)
	}
	if row.Unit == "times" {
		s += " times"
	}
	switch {
	case !row.Theory.IsSet() || row.Unit == results.Bytes:
		return s
	case row.Unit == results.Ratio:
		return s + " [" + text.Percent(row.Theory.Or(0)) + "]"
	}
	return s + " [" + row.Theory.String() + "]"
}
