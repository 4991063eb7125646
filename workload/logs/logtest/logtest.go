// Package logtest makes logs for tests: requests as text in each of the formats, those of a simulated
// population, and files as they are packed.
package logtest

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"dejavu/strategies"
	"dejavu/workload"
	"dejavu/workload/logs"
)

// Text is requests as a log that Options.Numbered reads back. What a format has no word for is not written:
// OTTO has Clicked and Acted alone, Adressa Clicked, and Acted is Clicked elsewhere. A CSV and JSON have
// columns of clicks and of requests where these are named.
func Text(format logs.Format, c logs.Columns, requests ...[]logs.Event) []byte {
	var b bytes.Buffer
	switch format {
	case logs.KuaiRand:
		b.WriteString("user_id,video_id,date,hourmin,time_ms,is_click\n")
	case logs.CSV:
		b.WriteString("user,article,time")
		for _, name := range []string{c.Clicked, c.Request} {
			if name != "" {
				b.WriteString("," + name)
			}
		}
		b.WriteString("\n")
	}
	for i, request := range requests {
		at := time.Unix(request[0].Time, 0).UTC()
		var list []string
		for _, e := range request {
			click := [...]string{"", "0", "1", "1"}[e.Kind]
			switch format {
			case logs.MIND:
				list = append(list, fmt.Sprintf("N%d%s", e.Article, [...]string{"", "-0", "-1", "-1"}[e.Kind]))
			case logs.KuaiRand:
				date := at.Add(8 * time.Hour).Format("20060102,1504") // of Beijing
				fmt.Fprintf(&b, "%d,%d,%s,%d,%s\n", e.User, e.Article, date, e.Time*1000, click)
			case logs.OTTO:
				if kind := [...]string{"", "", "clicks", "carts"}[e.Kind]; kind != "" {
					list = append(list, fmt.Sprintf(`{"aid":%d,"ts":%d,"type":"%s"}`, e.Article, e.Time*1000, kind))
				}
			case logs.Adressa:
				if e.Kind == logs.Clicked {
					fmt.Fprintf(&b, `{"userId":"%d","time":%d,"id":"%d"}`+"\n", e.User, e.Time, e.Article)
				}
			case logs.CSV:
				fmt.Fprintf(&b, "%d,%d,%d", e.User, e.Article, e.Time)
				if c.Clicked != "" {
					b.WriteString("," + click)
				}
				if c.Request != "" {
					fmt.Fprintf(&b, ",%d", i)
				}
				b.WriteString("\n")
			case logs.JSON:
				fmt.Fprintf(&b, `{"user":%d,"article":%d,"time":%d`, e.User, e.Article, e.Time)
				if c.Clicked != "" && click != "" {
					fmt.Fprintf(&b, `,"%s":%s`, c.Clicked, click)
				}
				if c.Request != "" {
					fmt.Fprintf(&b, `,"%s":%d`, c.Request, i)
				}
				b.WriteString("}\n")
			}
		}
		switch {
		case format == logs.MIND:
			stamp := at.Format("1/2/2006 3:04:05 PM")
			fmt.Fprintf(&b, "%d\tU%d\t%s\t\t%s\n", i+1, request[0].User, stamp, strings.Join(list, " "))
		case format == logs.OTTO && list != nil:
			fmt.Fprintf(&b, `{"session":%d,"events":[%s]}`+"\n", request[0].User, strings.Join(list, ","))
		}
	}
	return b.Bytes()
}

// Pack packs as the file's name asks: with gzip for .gz, with zstd for .zst, or not at all.
func Pack(name string, text []byte) []byte {
	var b bytes.Buffer
	var w io.WriteCloser
	switch filepath.Ext(name) {
	case ".gz":
		w = gzip.NewWriter(&b)
	case ".zst":
		w, _ = zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1)) // no option can be wrong
	default:
		return text
	}
	_, _ = w.Write(text) // of which a buffer has no error
	_ = w.Close()
	return b.Bytes()
}

// A Show decides which of the candidates of a request are shown, at a time in seconds since the log's beginning.
type Show func(user int, at uint32, candidates []strategies.ID) (shown []bool)

// Daily is the two days of a population, as requests in the order of their times, from start on, in seconds
// since 1970. Where show is nil nothing is remembered: all is shown, up to what a refresh shows.
func Daily(population workload.Daily, start int64, kind logs.Kind, show Show) (requests [][]logs.Event) {
	type visit struct {
		workload.Visitor
		user  int
		shown []int32
	}
	var waiting [workload.Horizon][]*visit // by second
	for user := range population.Users() {
		v := &visit{Visitor: population.Visitor(user), user: user}
		if at, ok := v.Next(); ok {
			waiting[at] = append(waiting[at], v)
		}
	}
	n := population.Config().Recalled
	articles, ages, ids := make([]int32, n), make([]int, n), make([]strategies.ID, n)
	all := slices.Repeat([]bool{true}, n)
	for at := range waiting {
		slices.SortFunc(waiting[at], func(v, w *visit) int { return v.user - w.user })
		for i := 0; i < len(waiting[at]); i++ { // a visit may be followed by one in the same second
			v := waiting[at][i]
			v.Recall(v.shown, articles, ages, ids)
			shown := all
			if show != nil {
				shown = show(v.user, uint32(at), ids)
			}
			var request []logs.Event
			for j, id := range ids {
				if shown[j] && len(request) < population.Config().PerRefresh {
					v.shown = append(v.shown, articles[j])
					request = append(request, logs.Event{
						User: uint64(v.user), Article: id, Time: start + int64(at), Request: uint64(len(requests)), Kind: kind,
					})
				}
			}
			if len(request) > 0 {
				requests = append(requests, request)
			}
			if next, ok := v.Next(); ok {
				waiting[next] = append(waiting[next], v)
			}
		}
	}
	return requests
}

// Kind is what a format says of an article that was shown: it was clicked where there is no other word.
func Kind(format logs.Format) logs.Kind {
	if format == logs.OTTO || format == logs.Adressa {
		return logs.Clicked
	}
	return logs.Shown
}
