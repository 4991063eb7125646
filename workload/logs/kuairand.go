package logs

import (
	"time"
)

// KuaiRand is a CSV with a header that has user_id, video_id and time_ms, in
// any order. Every line was an exposure: Clicked or Ignored by is_click, where
// there is such a column, or else Shown.
const KuaiRand Format = "kuairand"

var kuairandSyntax = &syntax{
	format: KuaiRand,
	matches: func(line []byte, o *Options) bool {
		c := *o
		c.Comma = ","
		_, err := kuairandColumns(line, &c)
		return err == nil && o.Comma == ""
	},
	table: kuairandColumns,
	// Its columns in its order; of those that nobody asks for, date and hourmin alone.
	header: func(w *Writer) { w.text("user_id,video_id,date,hourmin,time_ms,is_click") },
	write:  writeKuaiRand,
}

func kuairandColumns(first []byte, o *Options) (*columns, error) {
	want := Columns{User: "user_id", Article: "video_id", Time: "time_ms", Clicked: "is_click"}
	c, err := findColumns(first, o, want, true)
	if err != nil {
		want.Clicked = "" // which the log may do without
		c, err = findColumns(first, o, want, true)
	}
	if err == nil {
		c.clock = Millis
	}
	return c, err
}

// writeKuaiRand writes a line for each event.
func writeKuaiRand(w *Writer, request []Event) {
	for _, e := range request {
		w.begin()
		w.quoted(e.User, w.odd(3)).text(",").quoted(uint64(e.Article), w.odd(4))
		beijing := time.Unix(e.Time, 0).UTC().Add(8 * time.Hour)
		w.line = beijing.AppendFormat(w.line, ",20060102,1504,")
		w.number(uint64(e.Time) * 1000).text(",")
		w.clicked(e.Kind)
		if w.odd(7) {
			w.text(",")
		}
		w.end(false)
	}
}
