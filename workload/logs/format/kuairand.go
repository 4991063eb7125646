package format

import (
	"time"

	"dejavu/workload/logs/clock"
	"dejavu/workload/logs/decision"
)

// KuaiRand is a CSV with a header that has user_id, video_id and time_ms, in
// any order. Every line was an exposure: Clicked or Ignored by is_click, where
// there is such a column, or else Shown.
const KuaiRand decision.Format = "kuairand"

var kuairandSyntax = &syntax{
	format: KuaiRand,
	quoted: true,
	matches: func(line []byte, o *decision.Options) bool {
		c := *o
		c.Comma = ","
		_, _, err := beginKuaiRand(line, &c)
		return err == nil && o.Comma == ""
	},
	begin: beginKuaiRand,
	// Its columns in its order; of those that nobody asks for, date and hourmin alone.
	header: func(w *Writer) { w.line("user_id,video_id,date,hourmin,time_ms,is_click") },
	write:  writeKuaiRand,
}

func beginKuaiRand(first []byte, o *decision.Options) (parse Reading, header bool, err error) {
	want := decision.Columns{User: "user_id", Article: "video_id", Time: "time_ms", Clicked: "is_click"}
	c, err := findColumns(first, o, want, true, clock.Millis)
	if err != nil {
		want.Clicked = "" // which the log may do without
		c, err = findColumns(first, o, want, true, clock.Millis)
	}
	return c.parse, true, err
}

// writeKuaiRand writes a line for each event.
func writeKuaiRand(w *Writer, request []Event) {
	for _, e := range request {
		beijing := time.Unix(e.Time, 0).UTC().Add(8 * time.Hour)
		w.line("%d,%d,%s,%d,%s", e.User, e.Article, beijing.Format("20060102,1504"), e.Time*1000, click(e.Kind))
	}
}
