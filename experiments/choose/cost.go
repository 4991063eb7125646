package choose

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"

	"dejavu/experiments/catalogue"
	"dejavu/internal/plural"
	"dejavu/results"
	"dejavu/results/by"
)

// A request asks about this many candidates, and shows and records this many of them.
const candidates, recorded = 40, 10

// A Time says how long a request takes at 400 articles and 2 %, in nanoseconds, in the reference run's tradeoff. It is
// zero for a strategy that was not measured.
type Time struct {
	Query   float64 // 40 candidates are queried
	Request float64 // and ten of them are recorded
	bytes   float64 // of the history
}

// TimeOf returns the time of an entry of the catalogue.
func TimeOf(entry string) Time {
	find := func(quantity string, at ...results.Condition) float64 {
		row, _ := reference().cells.One(results.Find(quantity, append(at, by.Sized.Is("2 %"))...).
			In(results.Tradeoff).Of(entry))
		return row.Value.Or(0)
	}
	query := candidates * find(results.QQueryNanos, by.Candidates.At(candidates))
	record := recorded * find(results.QRecordNanosEach, by.Recorded.At(recorded))
	return Time{query, query + record, find(results.QLongest)}
}

// Near reports whether the time holds at another rate and length of the history: a rate of half to twice 2 %, and 1/1.4
// to 1.4 times the bytes. Beyond them are other numbers of hashes, other caches and other kernels.
func (t Time) Near(fpr float64, bytes int) bool {
	return t.Request > 0 && fpr >= catalogue.SizedFPR/2 && fpr <= catalogue.SizedFPR*2 &&
		float64(bytes) <= 1.4*t.bytes && t.bytes <= 1.4*float64(bytes)
}

// reference is the committed run whose times are shown, or empty if there is none.
var reference = sync.OnceValue(func() (r struct {
	cells   results.Cells
	machine string
},
) {
	if run, ok := results.Reference(results.DefaultUsers, results.DefaultSeed); ok {
		e := run.Manifest.Environment
		r.cells = results.NewCells(run.All())
		r.machine = fmt.Sprintf("%s, %s, %s, %s/%s", e.CPU, plural.Of(e.CPUs, "processor", "processors"), e.Go, e.OS, e.Arch)
	}
	return r
})

// GoLine returns the line of Go that constructs what a configuration makes.
func GoLine(config any) string {
	text := literal(config)
	return fmt.Sprintf("memory, err := %s.New(%s)", text[:strings.IndexByte(text, '.')], text)
}

// literal writes a configuration in Go, without zero fields.
func literal(config any) string {
	v := reflect.ValueOf(config)
	if v.Kind() != reflect.Struct {
		return fmt.Sprint(config)
	}
	var fields []string
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() && !v.Field(i).IsZero() {
			fields = append(fields, f.Name+": "+literal(v.Field(i).Interface()))
		}
	}
	return fmt.Sprintf("%v{%s}", v.Type(), strings.Join(fields, ", "))
}

// WriteJSON writes the need, every offer, and the log's data. The log may be nil.
func WriteJSON(w io.Writer, n Need, all []Offer, log *Log) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	take, runnerUp := Recommended(all)
	n.Articles = n.life()
	return out.Encode(struct {
		Need
		Fit        int     `json:"fit"`
		Candidates int     `json:"candidates_a_request"`
		Recorded   int     `json:"recorded_a_request"`
		Machine    string  `json:"measured_machine"`
		Rule       string  `json:"rule"`
		Take       string  `json:"recommended,omitempty"` // an offer's strategy
		RunnerUp   string  `json:"runner_up,omitempty"`
		Log        *Log    `json:"log,omitempty"`
		Strategies []Offer `json:"strategies"`
	}{n, Fitting(all), candidates, recorded, reference().machine, Rule, take.Strategy, runnerUp.Strategy, log, all})
}
