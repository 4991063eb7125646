package tradeoff

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"dejavu/beyond/matrix"
	"dejavu/beyond/quotient"
	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/experiments/catalogue"
	"dejavu/experiments/golden"
	"dejavu/internal/document"
	"dejavu/strategies/strategytest"
)

// The table of docs/solved-links.md is what the structures' own theory and the bounds say.
func TestREADMESolvedBytes(t *testing.T) {
	const window, fpr = catalogue.SizedWindow, catalogue.SizedFPR
	m := catalogue.Must(matrix.New(matrix.Window400))
	slack := 0 // by how many articles the window may be longer
	for read := range 1000 {
		slack = max(slack, m.Window(read)-window)
	}
	table := document.Table{Header: []string{"what", "bytes"}}
	add := func(what string, bytes float64) {
		table.Rows = append(table.Rows, []string{what, fmt.Sprintf("%.0f B", bytes)})
	}
	add("a fixed set: lower bound", window*-math.Log2(fpr)/8)
	add("a window, at times twice as long: lower bound", bloom.WindowBound(window, window, fpr)/8)
	add(fmt.Sprintf("a window, at times %d articles longer: lower bound", slack), bloom.WindowBound(window, slack, fpr)/8)
	add("**solved links**", float64(longest(m, window)))
	add("sorted fingerprints, by entropy", sortedEntropy(window, fpr)/8)
	q := catalogue.Must(quotient.New(catalogue.Must(quotient.Sized(window, fpr))))
	add("sorted fingerprints, beyond/quotient", float64(longest(q, window)))
	c := catalogue.Must(chain.New(catalogue.Must(chain.Best(window, fpr))))
	add("the best chain", float64(longest(c, window)))
	golden.Document(t, "docs/solved-links.md", "bytes", strings.TrimSpace(table.Markdown())+"\n")
}

// sortedEntropy is the bits of sorted fingerprints by generations whose order within is not told, for the number of
// generations that takes fewest. One of them is being replaced, so that the others hold the window.
func sortedEntropy(window int, fpr float64) (least float64) {
	least = math.Inf(1)
	for generations := 2.; generations < 40; generations++ {
		each := math.Ceil(float64(window-1) / (generations - 1))
		values := 1 / -math.Expm1(math.Log1p(-fpr)/(generations*each)) // of a fingerprint, so that the rate is fpr
		orders, _ := math.Lgamma(each + 1)
		least = min(least, generations*(each*math.Log2(values)-orders/math.Ln2))
	}
	return least
}

// What else docs/solved-links.md says in numbers follows from the theory and the configuration, and it is short.
func TestSolvedDocument(t *testing.T) {
	data := strategytest.Value(os.ReadFile("../../docs/solved-links.md"))
	text := strings.Join(strings.Fields(string(data)), " ")
	c := matrix.Window400
	m := catalogue.Must(matrix.New(c))
	regular := 1. // of random square matrices of bits, the part that is
	for i := 1; i < 60; i++ {
		regular *= 1 - math.Exp2(-float64(i))
	}
	columns := c.Links * c.Articles * c.Columns / 8
	most := c.Links*c.Articles + c.Articles - 1
	for _, said := range []string{
		fmt.Sprintf("with a probability of %.3f", regular), fmt.Sprintf("takes %.2f seeds on average", 1/regular),
		fmt.Sprintf("takes %.2f r bits an article", math.Log2E), fmt.Sprintf("at least r + %.2f", math.Log2E),
		fmt.Sprintf("r is %.1f, and %d columns do", math.Log2(float64(c.Links)/0.02), c.Columns),
		fmt.Sprintf("r = %.1f, but 3 more", -math.Log2(0.02)), fmt.Sprintf("the first %d bits", c.KeyBits),
		fmt.Sprintf("Eight links of %d articles in %d columns take %d bytes, their seeds %d, the head %d and the header %d.",
			c.Articles, c.Columns, columns, c.Links, m.Bytes(most)-columns-c.Links-m.HeaderBytes(), m.HeaderBytes()),
		fmt.Sprintf("Then the window is %d. It grows to %d", m.Window(most+1), m.Window(most)),
		fmt.Sprintf("1 − (1 − 2⁻¹⁷)ⁿ (1 − 2⁻⁹)ᴷ: a key is equal to one of n, or a link agrees by chance. "+
			"At worst, n = %d and K = %d, that is %.2f %%", most, c.Links, 100*m.FPR(most)),
	} {
		if !strings.Contains(text, said) {
			t.Errorf("docs/solved-links.md does not say %q", said)
		}
	}
	if words := len(regexp.MustCompile(`\S*[\pL\pN]\S*`).FindAllString(text, -1)); words > 600 {
		t.Errorf("docs/solved-links.md has %d words, want at most 600", words)
	}
}

// Rows and columns of the drawing make its fingerprints, but of the last article, which was not shown.
func TestSolvedDrawing(t *testing.T) {
	data := strategytest.Value(os.ReadFile("../../docs/solved-links.svg"))
	all := func(class string) (lines []uint64) {
		for _, m := range regexp.MustCompile(`class="bits `+class+`">([01 ]+)<`).FindAllStringSubmatch(string(data), -1) {
			line, _ := strconv.ParseUint(strings.ReplaceAll(m[1], " ", ""), 2, 64)
			lines = append(lines, line)
		}
		return lines
	}
	rows, columns, fingerprints := all("row"), all("column"), all("finger")
	if len(rows) != 5 || len(columns) != 4 || len(fingerprints) != 5 {
		t.Fatalf("%d rows, %d lines of columns, %d fingerprints", len(rows), len(columns), len(fingerprints))
	}
	for i, row := range rows {
		parities := uint64(0)
		for k, line := range columns {
			parities ^= line * (row >> (3 - k) & 1)
		}
		if agrees := parities == fingerprints[i]; agrees != (i < 4) {
			t.Errorf("article %d agrees with the link: %v", i, agrees)
		}
	}
}
