// Package logtest makes logs for tests: requests as text in each of the formats, those of a simulated
// population, and files as they are packed.
package logtest

import (
	"bytes"
	_ "embed"
	"io"
	"path/filepath"
	"slices"
	"text/template"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"dejavu/strategies"
	"dejavu/workload"
	"dejavu/workload/logs/event"
	"dejavu/workload/logs/format"
)

// A line, or more of them, for a request in each format, and its header where it has one.
//
//go:embed formats.txt
var formats string

var templates = template.Must(template.New("formats").Parse(formats))

// A request is what is written of one.
type request struct {
	format.Columns        // named
	Index          int    // from 0
	User           uint64 // of the events
	Events         []event.Event
}

// Line is the request's, from 1, and Time its first event's.
func (r request) Line() int       { return r.Index + 1 }
func (r request) Time() time.Time { return time.Unix(r.Events[0].Time, 0).UTC() }

// Of are the events of these kinds.
func (r request) Of(kinds ...string) []event.Event {
	other := func(e event.Event) bool { return !slices.Contains(kinds, e.Kind.String()) }
	return slices.DeleteFunc(slices.Clone(r.Events), other)
}

// Text is requests as a log that Options.Numbered reads back. An access log has what was clicked alone. A CSV and JSON
// have columns of clicks and of requests where these are named.
func Text(in format.Format, c format.Columns, requests ...[]event.Event) []byte {
	var b bytes.Buffer
	if header := templates.Lookup(string(in) + " header"); header != nil {
		_ = header.Execute(&b, c) // a template that fails leaves no log that could be read back
	}
	for i, events := range requests {
		_ = templates.ExecuteTemplate(&b, string(in), request{c, i, events[0].User, events})
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

// Daily is the two days of a population, as requests in the order of their times, from start on, in seconds since
// 1970, of the kind that the format has for what was shown. Nothing is remembered: what a refresh recalls is shown.
func Daily(population workload.Daily, start int64, in format.Format) (requests [][]event.Event) {
	kind := event.Shown
	if in == format.Access { // which has no word for what was not clicked
		kind = event.Clicked
	}
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
	for at := range waiting {
		slices.SortFunc(waiting[at], func(v, w *visit) int { return v.user - w.user })
		for i := 0; i < len(waiting[at]); i++ { // a visit may be followed by one in the same second
			v := waiting[at][i]
			v.Recall(v.shown, articles, ages, ids)
			most := min(population.Config().PerRefresh, n)
			v.shown = append(v.shown, articles[:most]...)
			var request []event.Event
			for _, id := range ids[:most] {
				request = append(request, event.Event{
					User: uint64(v.user), Article: id, Time: start + int64(at), Request: uint64(len(requests)), Kind: kind,
				})
			}
			requests = append(requests, request)
			if next, ok := v.Next(); ok {
				waiting[next] = append(waiting[next], v)
			}
		}
	}
	return requests
}
