package logs_test

import (
	"bytes"
	"cmp"
	"strings"
	"testing"

	"dejavu/strategies/strategytest"
	"dejavu/workload/logs"
	"dejavu/workload/logs/logtest"
)

// fuzz reads anything as one format: no panic, and every line in one count.
func fuzz(f *testing.F, o logs.Options, seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	for _, suffix := range []string{"", ".gz", ".zst"} {
		format := cmp.Or(o.Format, logs.CSV)
		f.Add(pack(suffix, []byte(oddly(format, string(logtest.Text(format, some(format, 5)...)), 3))))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		faults := int64(0)
		o.MaxShare, o.MaxFaults = 1, 1<<20
		o.OnFault = func(f logs.Fault) {
			faults++
			if f.Line < 1 || f.Reason == "" || len(f.Reason) > 400 {
				t.Errorf("fault %+v", f)
			}
		}
		l := strategytest.Value(logs.New(bytes.NewReader(data), "fuzz", o))
		events, requests := 0, int64(0)
		for r := range l.Requests() {
			requests++
			for j, e := range r {
				if e.Request != r[0].Request || e.User != r[0].User || e.Time != r[0].Time || e.Time < 0 {
					t.Errorf("event %d of request %+v", j, r)
				}
			}
			if events += len(r); events > 1<<20 { // a bomb
				return
			}
		}
		err := l.Close()
		c := l.Counts()
		if c.Events != int64(events) && err == nil || c.Requests != requests && err == nil || c.Faults != faults ||
			c.Lines < c.Faults+c.Blank+c.Passed+c.LeftOut {
			t.Errorf("%d events of %d requests and %d faults, counted %+v", events, requests, faults, c)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "logs: ") {
			t.Errorf("error %v", err)
		}
	})
}

func FuzzMIND(f *testing.F) {
	fuzz(f, logs.Options{Format: logs.MIND}, "1\tU1\t11/15/2019 8:55:22 AM\tN3 N2\tN1-0 N2-1\n")
}

func FuzzCSV(f *testing.F) {
	o := logs.Options{
		Format: logs.CSV, Comma: ",", Quote: logs.Double, List: "json", Clock: "%Y%m%d",
		Columns: columns,
	}
	fuzz(f, o, "user,article,time,request,opened\n\"u\",\"[1, 'a']\",20191115,1,\n")
}

func FuzzJSON(f *testing.F) {
	o := logs.Options{Format: logs.JSON, Columns: columns, Clock: "s"}
	fuzz(f, o, `{"user":{"a":1},"article":[1,"2",null],"time":"3","opened":true}`+"\n", `{"user":1,"article":"[1 `+
		`2]","time":3}`)
}

// Without a format named, anything may be any of them.
func FuzzDetected(f *testing.F) {
	fuzz(
		f, logs.Options{}, "1\tU1\t11/15/2019 8:55:22 AM\tN3 N2\tN1-0 N2-1\n", "1::2::3::1573776000\n",
		"user_id:token\titem_id:token_seq\tts:float\n1\t2 3\t1573776000.5\n",
		`{"user":{"id":1},"item":[2],"date":"2019-11-15"}`, "Impression\tUser\tTime\tHistory\tImpressions\n",
		`h - u [15/Nov/2019:08:55:22 +0000] "GET /\"a b HTTP/1.1" 200 - "\\"`, " 1  2 20191115\n 1  3 20191115\n",
		"[ {\"user\":\"[,\\\"\",\"item\":[2,\n3],\"date\":\"2019-11-15\"},\n{\"user\":1}]\n", "PK\x03\x04", "BZh91AY&SY",
	)
}
