package page_test

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"

	"dejavu/internal/document"
	"dejavu/internal/golden"
	"dejavu/internal/page"
	"dejavu/strategies/strategytest"
)

// sample returns a page with one of everything, small enough to be read.
func sample() page.Page {
	numbers := document.Table{
		Title: "Numbers", Header: []string{"strategy", "bytes", "nothing", "says"},
		Rows: [][]string{
			{"queue", "4000 B", "", "short"},
			{"<b>&", "508 B", "–", "a sentence that is long enough to be broken into lines"},
		},
	}
	return page.Page{
		Title: "Sample & more", Question: "Which & why?",
		Answer: []page.Finding{{Title: "This one:", Text: "`a`.", Figure: "other"}, {Title: "Or", Text: "that one."}},
		Lead:   []string{"Run by `go run .` on **one** <machine>."},
		Findings: []page.Finding{
			{Title: "It is so.", Text: "By `go run .`, 1 < 2.", Figure: "fpr"},
			{Title: "So is this.", Text: "Not drawn.", Figure: "none"},
			{Title: "And this.", Text: "Beside it.", Figure: "beside"},
		},
		Verdicts: []page.Group{
			{Verdict: "refuted", Tone: page.Bad, Claims: document.Table{
				Anchor: "claim", Header: []string{"claim", "says"},
				Rows: [][]string{{"P12", "1 < 2"}},
			}},
			{Verdict: "holds", Tone: page.Good, Claims: document.Table{
				Anchor: "claim", Header: []string{"claim", "says"},
				Rows: [][]string{{"P13a", "x"}, {"P13b", "y"}},
			}},
		},
		Rule:     []document.Block{document.Paragraph("As they are.")},
		Headline: numbers,
		Figures: []page.Figure{{
			Name: "fpr", Title: "A figure", Caption: "What is to be seen.",
			SVG: []byte(`<?xml version="1.0"?><svg width="10pt" viewBox="0 0 10 10" ` +
				`xmlns="http://www.w3.org/2000/svg"><path d="M0,0L10.004,0L10,10Z" style="fill:#FF0000" />` + "\n" +
				`<path d="M1,2L3,4" style="fill:#FF0000" />` + "\n" +
				`<path d="M5,6L7,8" style="stroke:#FF0000" />` + "\n" +
				`<g transform="translate(1.5, 2)">` + "\n" + `<g transform="rotate(0)">` + "\n" +
				`<text x="-0.25" y="-1" transform="scale(1, -1)" style="fill:#202020">Said</text>` + "\n</g>\n</g>\n" +
				`<path d="M1,2L3,4" style="fill:#00FF00" />` + "\n" +
				`<path d="M1,2L3,4" style="fill:none;stroke:#FFFFFF" />` + "\n</svg>"),
			Numbers: document.Tables(numbers), Rows: []string{"fpr.csv", "fpr.timing.csv"},
		}, {
			Name: "beside", Title: "Beside", Caption: "A finding.", SVG: []byte(`<svg viewBox="0 0 2 2"></svg>`),
			Narrow: []byte(`<svg viewBox="0 0 1 3"></svg>`),
		}, {Name: "other", Title: "Another", Caption: "And so on.", SVG: []byte(`<svg viewBox="0 0 1 1"></svg>`)}},
		Peers: []document.Block{document.Paragraph("Committed.")},
		Explorer: page.Explorer{
			Users: []int{1, 10}, Windows: []int{100}, Rates: []float64{0.02}, Note: "Not all.",
			Strategies: []page.Strategy{{Name: "queue", About: "all"}, {Name: "fading", About: "some"}},
			Cells:      []*page.Cell{{Bytes: 40, Window: 100, Worst: 1. / 3, Mean: 1e-20}, nil},
		},
		Play: page.Playground{Links: 5, Capacity: 2, Bits: 8, Hashes: 1, Chain: []page.Number{0, 0.5}},
		Frontier: page.Frontier{
			Title: "Compare", Note: "All of them.", Window: 100,
			Axes: []page.Axis{
				{Key: "bytes", Name: "bytes", Unit: "B", Show: true},
				{Key: "window", Name: "window", More: true, Show: true},
				{Key: "mean", Name: "mean"},
			},
			Trades: []page.Trade{
				{Name: "a <", About: "the \"first\"", For: "2 %", Lasts: true, Values: []page.Measured{
					{Value: 40, Text: "40 B"},
					{Value: 5, Text: "5"},
					{Value: math.NaN(), Text: "–"},
				}},
				{Name: "b", For: "512 B", Values: []page.Measured{
					{Value: 1. / 3, Text: "a third"},
					{Value: 5, Text: "5"},
					{Value: 6, Text: "6"},
				}},
			},
		},
		Rest: document.Tables(document.Table{Title: "Run", Header: []string{"experiment"}, Rows: [][]string{{"fpr"}}}),
	}
}

func write(t *testing.T, p page.Page) string {
	t.Helper()
	var b strings.Builder
	strategytest.Must(t, page.Write(&b, p))
	return b.String()
}

// assets are the parts that are files of their own: a change of colour needs no new golden file.
var assets = regexp.MustCompile(`(?s)(<style>).*?(</style>)|(<script>).*?(</script>)`)

// fixed are parts common to all pages, and lines that show only the nesting.
var fixed = regexp.MustCompile(`(?ms)<head>.*?</head>|<form .*?</form>|<nav .*?</nav>|<noscript>.*?</noscript>|` +
	`(?-s)\n((</?(div|main|header|body|html|tbody|ol)>)*|(</[a-z]+>)*)$`)

func TestGolden(t *testing.T) {
	short := func(html string) string {
		return fixed.ReplaceAllString(assets.ReplaceAllString(html, "$1$2$3$4"), "")
	}
	got := short(write(t, sample()))
	golden.File(t, "sample.html", got)
	if again := write(t, sample()); short(again) != got {
		t.Error("the same page has other bytes the second time")
	}
}

// Every element that is opened is closed, in its place, and nothing is loaded.
func TestStructure(t *testing.T) {
	html := write(t, sample())
	strategytest.Equal(t, regexp.MustCompile(`https?://|\ssrc=|<link[^>]*href="[^d]|@import|url\(`).FindString(html), "",
		"the page has")
	if err := nested(assets.ReplaceAllString(html, "$1$2$3$4")); err != nil {
		t.Error(err)
	}
	for _, fault := range []string{"<p><b>x</p></b>", "<div><p>x</p>"} { // the check itself
		if nested("<html>"+fault+"</html>") == nil {
			t.Errorf("%s passes for well nested", fault)
		}
	}
	order := []string{
		`id="opening"`, `id="choose"`, `id="frontier"`, `id="play"`, `id="findings"`, `id="figure-fpr"`, `id="table1"`,
		`id="verdicts"`, `id="figures"`, `id="peers"`, `id="rest"`,
	}
	for i := 1; i < len(order); i++ {
		if strings.Index(html, order[i-1]) >= strings.Index(html, order[i]) {
			t.Errorf("%s stands before %s", order[i], order[i-1])
		}
	}
}

// void elements have no end.
var void = regexp.MustCompile(`<(meta|link|input|br)\b([^>]*)>`)

// bare attributes have no value.
var bare = regexp.MustCompile(`\s(hidden|open|checked|selected|download)(\s|>|/)`)

// nested reads HTML as strictly as XML.
func nested(html string) error {
	html = strings.Replace(html, "<!DOCTYPE html>", "", 1)
	html = bare.ReplaceAllString(void.ReplaceAllString(html, "<$1$2/>"), ` $1=""$2`)
	d := xml.NewDecoder(strings.NewReader(html))
	d.Entity = xml.HTMLEntity
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// An experiment that did not run leaves no empty part.
func TestEmptyParts(t *testing.T) {
	p := sample()
	html := write(t, page.Page{Title: p.Title, Explorer: p.Explorer})
	for _, part := range []string{"verdicts", "table1", "figures", "peers", "rest", "frontier", "findings"} {
		if strings.Contains(html, `id="`+part+`"`) || strings.Contains(html, `href="#`+part+`"`) {
			t.Errorf("the page has a part %s, and nothing to show there", part)
		}
	}
}

func TestWriteFaults(t *testing.T) {
	says := func(want string, spoil func(*page.Page)) {
		t.Helper()
		p := sample()
		spoil(&p)
		if err := page.Write(io.Discard, p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	says("figure fpr: no wide <svg> with a viewBox in 3 bytes", func(p *page.Page) { p.Figures[0].SVG = []byte("PNG") })
	says("no wide <svg> with a viewBox in 11 bytes", func(p *page.Page) { p.Figures[0].SVG = []byte("<svg></svg>") })
}
