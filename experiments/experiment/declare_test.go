package experiment

import (
	"fmt"
	"strings"
	"testing"

	"dejavu/experiments/text"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// good is a file with all there is.
const good = `
experiment = "fpr"
[[figures]]
name = "f"
title = "Title"
caption = "Caption."
query = "fpr at articles=*"
columns = 1
height = 100
note = "first"
[[figures.panels]]
x = {scale = "log"}
series = [{marks = "fpr at articles=*", look = {color = "sky blue", mark = "hollow up"}, change = ["alone"]}]
[[figures.panels]]
x = {told = true, least = true, max = 10}
places = "window"
only = ["queue", "dual"]
last = "capacity"
series = [{marks = "window", bars = true, endless = "for ever"}]
[[figures.panels]]
each = true
plain = true
series = [{marks = "fpr at articles=*", to = 2, unnamed = true}]
[[figures.panels]]
series = [{marks = "fpr at articles=*", stated = true, key = true}]
[[figures]]
name = "g"
like = "f"
title = "Another"
caption = "Caption."
note = "its own"
[[tables]]
name = "t"
title = "Table"
lines = "fpr at articles=1"
columns = [
    {header = "other", query = "elsewhere: rate of queue at articles=1"},
    {each = "articles", of = ["1", "2"], query = "fpr", show = "%.1f"},
    {header = "own", query = "window of queue", show = "own"},
]
`

func own() Code {
	return Code{
		Figures: map[string]func(plots.Data, *plots.Sheet){"f": func(_ plots.Data, s *plots.Sheet) { s.Note = "completed" }},
		Tables:  map[string]func(*text.Table){"t": func(t *text.Table) { t.Title += ", completed" }},
		Shows:   text.Shows{"own": func(r ...results.Row) string { return "own " + r[0].Strategy }},
	}
}

// What is declared, and what the room's code adds to it, is shown.
func TestShow(t *testing.T) {
	var rows []results.Row
	for _, query := range []string{
		"fpr: fpr of queue at articles=1", "fpr: fpr of queue at articles=2", "fpr: window of queue",
		"fpr: window of chain",
		"fpr: capacity of queue", "elsewhere: rate of queue at articles=1",
		"fpr: fpr of dual at articles=2", "fpr: fpr of dual at articles=3", "fpr: fpr of dual-variant at articles=2",
	} {
		q := strategytest.Value(results.ParseQuery(query))
		rows = append(rows, results.Row{
			Experiment: q.Experiment, Strategy: q.Strategy, Quantity: q.Quantity, Where: q.Where, Value: results.Num(3),
			Paper: results.Num(4),
		})
	}
	rows = append(rows, results.Row{
		Experiment: "fpr", Strategy: "dual", Quantity: "window", Value: results.Num(2), Paper: results.Num(5),
	})
	shown := Show(good, own())
	table := shown.Tables[0].Of(results.NewCells(rows))
	if got := strings.Join(table.Header, "|") + "|" +
		strings.Join(table.Rows[0], "|"); got != "other|1|2|own|3|3.0|3.0|own queue" ||
		table.Title != "Table, completed" {
		t.Errorf("%s: %s", table.Title, got)
	}
	sheet, reason, err := plots.NewData(shown.Figures, rows).Lay(shown.Figures[0])
	if err != nil || reason != "" || sheet.Note != "completed" || len(sheet.Panels) != 5 || sheet.Unfound != nil {
		t.Fatalf("%+v, %q, %v", sheet, reason, err)
	}
	first, second, dual, stated := sheet.Panels[0], sheet.Panels[1], sheet.Panels[3], sheet.Panels[4]
	if points := dual.Series[0].Points; len(points) != 1 || points[0].X != 2 || dual.Series[0].Look.Dash != nil {
		t.Errorf("of one strategy: %+v", dual.Series)
	}
	marks := 0
	for _, s := range stated.Series {
		marks += len(s.Points)
	}
	if marks != 3 || len(stated.Key) != 1 {
		t.Errorf("%d marks of what the paper states twice, the key is %v", marks, stated.Key)
	}
	if other, _, _ := plots.NewData(shown.Figures, rows).Lay(shown.Figures[1]); other.Note != "its own" ||
		len(other.Panels) != 5 {
		t.Errorf("like another: %+v", other)
	}
	if s := first.Series[0]; len(s.Points) != 2 || s.Look.Color != plots.SkyBlue || s.Look.Mark != plots.Up.Hollow() ||
		first.X.Scale != plots.Log || strings.Join(second.Y.Names, "|") != "Dual filter|Queue" || len(second.Series) != 2 {
		t.Errorf("%+v\n%+v", first, second)
	}
	var svg strings.Builder
	strategytest.Must(t, sheet.Write(&svg, ".svg"))
	for _, says := range []string{
		`>for ever<`, `"font-weight:bold;font-style:normal;font-size:7.5px;fill:#202020">2 (5)<`, // the least
	} {
		strategytest.Contains(t, svg.String(), says, "no bar says")
	}
}

// What does not fit is refused, and named.
func TestShowRefuses(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"experiment =", "experimnt =", "unknown field experimnt"},
		{`name = "f"`, `name = "f"` + "\nheigt = 3", "unknown field figures.heigt"},
		{`experiment = "fpr"`, "", "experiment is missing"},
		{`experiment = "fpr"`, `experiment = "fpr"` + "\nshows = {bad = '{{off .A}}'}", `function "off" not defined`},
		{`title = "Title"`, `title = ""`, `figure "f": missing: title`},
		{`query = "fpr at articles=*"`, "", `figure "f": missing: query`},
		{"height = 100", "height = 0", `figure "f": missing: height`},
		{"columns = 1", "", `figure "f": missing: columns`},
		{"[[tables]]", "[[figures]]\n[[tables]]", `figure "": missing: caption, columns, height, name, panels, query, title`},
		{`like = "f"`, `like = "h"`, `figure g: like "h", which is none before it`},
		{`name = "f"`, `name = "u"`, `code for figure "f", which is not declared`},
		{`name = "t"`, `name = "u"`, `code for table "t", which is not declared`},
		{`"fpr at articles=*", look`, `"fpr at articles", thin = "3", look`, "incompatible types"},
		{`query = "fpr at articles=*"`, `query = "fpr at articles=1,2"`, "want dimension=value"},
		{`"log"`, `"logs"`, `"logs": want one of ["linear" "log"]`},
		{`"sky blue"`, `"pink"`, `"pink": want one of`},
		{`"hollow up"`, `"hollow"`, `"hollow": want one of`},
		{`"alone"`, `"squared"`, `"squared": want one of`},
		{`lines = "fpr at articles=1"`, "", `table "Table": lines are missing`},
		{`show = "own"`, `show = "mine"`, `column "own": show "mine": want a format`},
		{`of = ["1", "2"], `, "", "want the values of the dimension"},
	} {
		if !strings.Contains(good, c.old) {
			t.Fatalf("%q is not in the file", c.old)
		}
		_, err := show(strings.Replace(good, c.old, c.new, 1), own())
		strategytest.ErrorSays(t, fmt.Sprintf("%s for %s", c.new, c.old), err, c.want)
	}
}
