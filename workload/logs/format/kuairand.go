package format

import (
	"dejavu/workload/logs/clock"
	"dejavu/workload/logs/decision"
)

// KuaiRand is a CSV with a header that has user_id, video_id and time_ms, in any order. Every line was an
// exposure: Clicked or Ignored by is_click, where there is such a column, or else Shown.
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
