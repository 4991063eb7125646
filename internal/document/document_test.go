package document

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"dejavu/internal/golden"
	"dejavu/strategies/strategytest"
)

// sample returns a document with one of everything.
func sample() []Block {
	numbers := Table{
		Title: "Numbers & 5 %", Header: []string{"name", "rate", "empty", "says"},
		Rows: [][]string{
			{"single", "2.03 % [2.03 %]", "–", "**behind**, with `--fpr` of a filter that has been full for a long time"},
			{"a_chain", "10.6 %", "", "≈ ~"},
			{"short"},
		},
	}
	return []Block{
		Heading{1, "A title"},
		Heading{2, "Abstract"},
		Paragraph("A `code_word`, **strong words**, a [link](to/it) & 5 % of \\*stars\\*."),
		Heading{2, "A section"},
		Heading{3, "A part"},
		List{Items: []string{"one", "another that is so long that no line of a terminal has room for the whole of it"}},
		List{Items: []string{"first", "second"}},
		Code("a := `*b*`"),
		Figure{"figures/fpr.png", "A caption."},
		numbers,
		Fold{"A fold", []Block{Paragraph("Inside."), Table{
			Title: "Another", Header: []string{"n"},
			Rows: [][]string{{"1"}},
		}}},
		Fold{"Quiet", []Block{Table{
			Title: "Quiet", Header: []string{"claim", "says"},
			Rows: [][]string{{"P1 (a)", "<yes>"}}, Anchor: "claim",
		}}},
		Table{Title: "Nothing", Header: []string{"n"}},
		Heading{2, "References"},
	}
}

// One document in every medium.
func TestGolden(t *testing.T) {
	all := sample()
	golden.File(t, "forms.golden", fmt.Sprintf("== terminal of 60\n%s\n== Markdown\n%s\n== HTML\n%s",
		Terminal(60, all...), Markdown(all...), HTML(all...)))
}

// Faulty marks in a text are shown as they are.
func TestInline(t *testing.T) {
	for s, want := range map[string]string{
		"a **b & `**c**` <d>** e":      "a <strong>b &amp; `</strong>c<strong>` &lt;d&gt;</strong> e",
		"`a` **b** [c](d) e":           "<code>a</code> <strong>b</strong> <code>c</code> e",
		"`open **open [open](open":     "`open **open [open](open",
		"2 % of 40 GB in 3 s, 5 sorts": "2\u00a0% of 40\u00a0GB in 3\u00a0s, 5 sorts",
		`\*a\* \\ \x`:                  `*a* \ \x`,
		"":                             "",
	} {
		strategytest.Equal(t, string(Inline(s)), want, "%q is", s)
	}
	const name = "a*b_c`d`[e](f) \\ <g> & ~#|"
	strategytest.Equal(t, unmarked(Literal(name)), name, "a file called %q is shown as", name)
	for s, want := range map[string]string{"P12": "p12", " Über a_b (9) ": "ber-a-b--9", "--": ""} {
		strategytest.Equal(t, Anchor(s), want, "%q is called", s)
	}
}

func TestWrap(t *testing.T) {
	for _, c := range [][2]string{
		{"", ""},
		{"one two", "one two"},
		{"one two three four", "one two\n > three\n > four"},
		{"  indented is kept", "  indented\n > is kept"},
		{"incomprehensibilities are long", "incomprehensibilities\n > are\n > long"},
		{"a\n\nb c d e f g h", "a\n\nb c d e f\n > g h"},
		{"é é é é é é", "é é é é é\n > é"}, // by letters, not bytes
		{"内存内存 内存", "内存内存\n > 内存"},         // which may be two columns wide
		{"2 %  3 in.", "2 %  3 in."},       // as it is, for it fits
		{"some 12345 GB", "some\n > 12345 GB"},
		{"they take 40 GB, 2 % of 3 sheets", "they take\n > 40 GB,\n > 2 % of\n > 3\n > sheets"},
	} {
		strategytest.Equal(t, Wrap(c[0], 10, " > "), c[1], "%q is wrapped as", c[0])
	}
}

// Columns of numbers are set flush right, and long ones share the page.
func TestLaTeX(t *testing.T) {
	text := strings.Repeat("x", longest)
	table := Table{
		Title:  "A_title & 5 %",
		Header: []string{"name", "n", "fits", "long"},
		Rows:   [][]string{{"**a** {b}", "1", text, text + "y"}, {"c", "–", "≈ --"}, {"d"}},
	}
	want := `\begin{longtable}{lrlp{6.0cm}}
\caption{A\_title \& 5 \%} \\
\toprule
name & n & fits & long \\
\midrule
\endhead
\textbf{a} \{b\} & 1 & ` + text + ` & ` + text + `y \\
c & -- & $\approx$ -{}- \\
d \\
\bottomrule
\end{longtable}
`
	if got := LaTeX(table); got != "{\\footnotesize\n"+want+"}\n" {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	table.Header = []string{"a", "b", "c"}
	table.Rows = [][]string{{text + "y", text + "y", text + "y"}}
	strategytest.Contains(t, table.latex(), "{p{4.7cm}p{4.7cm}p{4.7cm}}", "three long columns")
}

// HTML leaves out empty columns except the first. Sentences may break; numbers are flush right except in the first.
func TestHTMLTable(t *testing.T) {
	limit, more := strings.Repeat("é", sentence), strings.Repeat("é", sentence+1)
	got := string(HTML(Table{
		Header: []string{"", "empty", "numbers", "36", "37", "last"},
		Rows:   [][]string{{"", "", "1", limit, "a", "`x`"}, {"–", "–", "2", "b", more}, {}},
	}))
	want := `<thead><tr><th scope="col"></th><th scope="col" class="n">numbers</th>` +
		`<th scope="col">36</th><th scope="col">37</th><th scope="col">last</th></tr></thead>
<tbody>
<tr><th scope="row"></th><td class="n">1</td><td>` + limit + `</td><td class="l">a</td><td><code>x</code></td></tr>
<tr><th scope="row">–</th><td class="n">2</td><td>b</td><td class="l">` + more + `</td><td></td></tr>
<tr><th scope="row"></th><td class="n"></td><td></td><td class="l"></td><td></td></tr>
</tbody>`
	if !strings.Contains(got, want) {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestCSV(t *testing.T) {
	var b strings.Builder
	if err := (Table{Header: []string{"a", "b"}, Rows: [][]string{{"1", "x,\"y\""}, {"2", ""}}}).CSV(&b); err != nil ||
		b.String() != "a,b\n1,\"x,\"\"y\"\"\"\n2,\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
}

// A table for a given width has no longer line if its cells can be broken, and loses no word.
func TestTableWithin(t *testing.T) {
	table := Table{
		Title: "A table of several columns", Header: []string{"name", "what it says", "how often"},
		Rows: [][]string{{"one", "a sentence that goes on for some time", "12"}, {"another", "short", "345678"}},
	}
	for _, columns := range []int{40, 50, 80} {
		text := table.Within(columns)
		for line := range strings.Lines(text) {
			strategytest.AtMost(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), columns,
				"within %d columns: the width of %s", columns, line)
		}
		for _, word := range strings.Fields("one a sentence that goes on for some time 12 another short 345678 often") {
			if !strings.Contains(text, word) {
				t.Errorf("within %d columns: %q is lost:\n%s", columns, word, text)
			}
		}
	}
	line, _, _ := strings.Cut(table.Within(80), "\n")
	width := utf8.RuneCountInString(line)
	if table.Within(width) != table.Within(80) || table.Within(width-1) == table.Within(80) {
		t.Errorf("a table %d wide is broken within as many columns:\n%s\nor not within fewer:\n%s", width,
			table.Within(width), table.Within(width-1))
	}
	table.Title = "A title that is longer than the terminal, of which no word may be broken"
	for word := range strings.FieldsSeq(table.Title) {
		if text := table.Within(40); !strings.Contains(text, word) {
			t.Errorf("%q is broken:\n%s", word, text)
		}
	}
	if text := table.Within(5); !strings.Contains(text, "another") { // as narrow as it gets
		t.Errorf("within 5 columns:\n%s", text)
	}
}

func TestTable(t *testing.T) {
	table := Table{
		Title:  "Memory 内存, 100% sure",
		Header: []string{"Strategy", "bytes", "note"},
		Rows:   [][]string{{"queue", "4000"}, {"队列", "–", "a|b <c>"}},
	}
	// Every line is as wide on a terminal as the others; a Chinese sign is two columns.
	width := func(s string) (n int) {
		for _, r := range s {
			n++
			if r >= 0x4e00 && r <= 0x9fff {
				n++
			}
		}
		return n
	}
	lines := strings.Split(strings.TrimSpace(table.Within(80)), "\n")
	for _, line := range lines {
		if width(line) != width(lines[0]) {
			t.Errorf("ragged:\n%s", table.Within(80))
			break
		}
	}
	for _, c := range []struct{ name, text, want string }{
		{"text", table.Within(80), "│ queue    │  4000 │"},
		{"text", table.Within(80), "100% sure"},
		{
			"Markdown", table.Markdown(),
			"**Memory 内存, 100% sure**\n\n| Strategy | bytes | note |\n| --- | ---:| --- |\n| queue | 4000 |",
		},
		{"Markdown", table.Markdown(), `a\|b`},
	} {
		if !strings.Contains(c.text, c.want) {
			t.Errorf("%s lacks %q:\n%s", c.name, c.want, c.text)
		}
	}
}

// Which columns are numbers, and how wide a table is for its title.
func TestTableEdges(t *testing.T) {
	table := Table{Header: []string{"a", "b", "c", "d", "e", "f"}, Rows: [][]string{
		{"0", "–", "x", "9 B", "≈ 0", "1"}, {"9", "", "1", "−3", "±1", "a"}, {"1.5", "—", "2", "× 2"},
	}}
	for i, want := range []bool{true, false, false, true, true, false} {
		strategytest.Equal(t, table.numeric(i), want, "column %s: numeric is", table.Header[i])
	}
	if short := (Table{Header: []string{"a", "b"}, Rows: [][]string{{"1"}, {"1", "2"}}}); !short.numeric(1) {
		t.Error("a row that is shorter than the others hides them")
	}
	if table.numeric(6) {
		t.Error("a column that is none is numeric")
	}
	for _, digit := range []string{"/", ":"} { // beside '0' and '9'
		if (Table{Header: []string{"a"}, Rows: [][]string{{digit}}}).numeric(0) {
			t.Errorf("%q is numeric", digit)
		}
	}
	for n, want := range map[int]int{1: 5, 30: 34, 116: 120, 117: 120, 140: 120} {
		small := Table{Title: strings.Repeat("t", n), Header: []string{"a"}, Rows: [][]string{{"b"}}}
		line, _, _ := strings.Cut(small.Within(120), "\n")
		strategytest.Equal(t, len([]rune(line)), want, "a title of %d letters makes a table wide", n)
	}
	if got := (Table{Header: []string{"a"}, Rows: [][]string{{"1"}}}).Markdown(); got != "| a |\n| ---:|\n| 1 |\n" {
		t.Errorf("%q", got)
	}
}
