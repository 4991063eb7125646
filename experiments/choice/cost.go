package choice

import (
	_ "embed"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
	"text/template"

	"dejavu/beyond/confirmed"
	"dejavu/chain"
	"dejavu/dual"
	"dejavu/experiments/catalogue"
	"dejavu/experiments/shared"
	"dejavu/queue"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/single"
)

// candidates are those of a request.
const candidates = 40

// time fills in what a request takes, of what answers as this does with a history about as long.
func (o *Offer) time(bytes int) {
	asked := loopOf(o.Strategy, o.Config)
	for _, t := range timings() {
		if t.loop == asked && t.bytes <= 2*bytes && bytes <= 2*t.bytes {
			o.Nanos, o.MeasuredOn = t.nanos, t.name
			return
		}
	}
}

// hotMedian is the median time of a request to a history in the caches.
var hotMedian = results.Find(results.QRequestTime,
	by.Candidates.At(candidates), by.History.Is("hot"), by.Statistic.Is("p50")).In(results.Latency)

// loopOf names the loop that answers for a configuration of a strategy, and the hashes of a filter, as far as this
// decides how long it takes. bloom.Query has one for any number of
// lanes that a 32-bit load covers, but for one lane, and one for the paper's chain.
func loopOf(strategy string, config any) string {
	switch c := config.(type) {
	case dual.Config:
		strategy = "lanes"
	case chain.Config:
		isPapers := c.Links == chain.Paper.Links && c.Geometry.Hashes == chain.Paper.Geometry.Hashes
		if strategy = "lanes"; isPapers || c.Links > 25 {
			strategy = fmt.Sprint(c.Links, " lanes")
		}
	}
	return fmt.Sprint(strategy, " of ", probesOf(config))
}

// A timing is the time that an entry of the catalogue had in the reference run. A much longer history lies
// elsewhere in the caches, and takes the queue longer to run through.
type timing struct {
	loop, name string
	bytes      int
	nanos      float64
}

// timings are those of the paper's strategies, and of what is measured as it is sized.
var timings = sync.OnceValue(func() (all []timing) {
	paper := map[string]any{"queue": queue.Paper, "single": single.Paper, "dual": dual.Paper, "chain": chain.Paper}
	for _, e := range catalogue.All() {
		config := paper[e.Name]
		if config == nil && e.Sized != nil {
			config, _ = e.Config(catalogue.SizedWindow, catalogue.SizedFPR)
		}
		row, timed := reference().cells.One(hotMedian.Of(e.Name))
		if made, err := e.Make(); err == nil && timed && config != nil {
			all = append(all, timing{loopOf(e.Name, config), e.Name, made.Bytes(shared.HotShown), row.Value.Or(0)})
		}
	}
	return all
})

// reference is the committed run whose times are shown, empty where there is none.
var reference = sync.OnceValue(func() (r struct {
	cells   results.Cells
	machine string
},
) {
	if run, ok := results.Reference(results.DefaultUsers, results.DefaultSeed); ok {
		e := run.Manifest.Environment
		r.cells = results.NewCells(run.Timing)
		r.machine = fmt.Sprintf("%s, %d processors, %s, %s/%s", e.CPU, e.CPUs, e.Go, e.OS, e.Arch)
	}
	return r
})

//go:embed geometry.txt
var geometryTexts string

var geometries = template.Must(template.New("").Parse(geometryTexts))

// geometryText is a configuration for people, in about 30 characters: that of a newcomer is its fields.
func geometryText(config any) string {
	var b strings.Builder
	if err := geometries.ExecuteTemplate(&b, fmt.Sprintf("%T", config), config); err == nil {
		return b.String()
	}
	text := literal(config)
	return strings.TrimSuffix(text[strings.IndexByte(text, '{')+1:], "}")
}

// inner is the configuration behind a list of the newest, nil where it is none that the catalogue makes.
func inner(c confirmed.Config) any {
	if s, ok := c.Inner.(*chain.Chain); ok {
		return s.Config
	}
	return nil
}

// GoLine is Go code that constructs what a configuration makes: a line, or two with a semicolon between them.
func GoLine(config any) string {
	if c, ok := config.(confirmed.Config); ok {
		return fmt.Sprintf("inner, err := %s; "+
			"memory, err := confirmed.New(confirmed.Config{Inner: inner, Last: %d, Rule: confirmed.Ahead})",
			construct(inner(c)), c.Last)
	}
	return "memory, err := " + construct(config)
}

// construct is a call of the constructor of a configuration's package.
func construct(config any) string {
	text := literal(config)
	return fmt.Sprintf("%s.New(%s)", text[:strings.IndexByte(text, '.')], text)
}

// literal is a configuration in Go, without the fields that are zero.
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

// probesOf is how many probes a configuration asks for a candidate, 0 where it does not say.
func probesOf(config any) int {
	if c, ok := config.(confirmed.Config); ok {
		config = inner(c)
	}
	v := reflect.ValueOf(config)
	if v.Kind() == reflect.Struct && v.FieldByName("Geometry").Kind() == reflect.Struct {
		v = v.FieldByName("Geometry")
	}
	if v.Kind() != reflect.Struct || !v.FieldByName("Hashes").IsValid() {
		return 0
	}
	return int(v.FieldByName("Hashes").Int())
}

// WriteCSV writes a line for each offer, numbers as they are.
func WriteCSV(w io.Writer, all []Offer) error {
	lines := make([][]string, 1+len(all))
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Offer]()) {
		if !field.IsExported() || field.Tag.Get("csv") == "-" {
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		lines[0] = append(lines[0], strings.ReplaceAll(name, "_", " "))
		for i, o := range all {
			v, text := reflect.ValueOf(o).FieldByIndex(field.Index), ""
			if !v.IsZero() || v.Kind() == reflect.Bool || field.Tag.Get("csv") == "0" {
				text = fmt.Sprint(v)
			}
			lines[1+i] = append(lines[1+i], text)
		}
	}
	return csv.NewWriter(w).WriteAll(lines)
}

// WriteJSON writes what was asked for and every offer, and of a log, which may be nil, what it says.
func WriteJSON(w io.Writer, n Need, all []Offer, log *Log) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	take, _, _ := Recommended(all)
	n.Articles = n.life()
	return out.Encode(struct {
		Need
		Fit        int     `json:"fit"`
		Candidates int     `json:"candidates_a_request"`
		Machine    string  `json:"measured_machine"`
		Take       string  `json:"recommended,omitempty"` // an offer's strategy
		Log        *Log    `json:"log,omitempty"`
		Strategies []Offer `json:"strategies"`
	}{n, Fitting(all), candidates, reference().machine, take.Strategy, log, all})
}
