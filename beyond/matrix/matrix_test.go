package matrix_test

import (
	"fmt"
	"testing"

	"dejavu/beyond/matrix"
	"dejavu/strategies/strategytest"
)

var build = strategytest.Builder(matrix.New)

// others are configurations beside the window of 400: the fewest articles and columns, links of one word and of eight,
// of several words for fingerprints, some links with a column less, keys of few bits and of many.
var others = []matrix.Config{
	{Links: 2, Articles: 4, Columns: 1, KeyBits: 10},
	{Links: 3, Articles: 7, Columns: 32, KeyBits: 32},
	{Links: 10, Articles: 40, Columns: 10, Short: 4, KeyBits: 20},
	{Links: 5, Articles: 56, Columns: 9, Short: 5, KeyBits: 18},
	{Links: 4, Articles: 57, Columns: 17, KeyBits: 24},
	{Links: 127, Articles: 4, Columns: 12, KeyBits: 19},
	{Links: 2, Articles: 120, Columns: 8, KeyBits: 18},
}

func TestKit(t *testing.T) {
	for _, c := range append(others, matrix.Window400) {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			f := build(t, c)
			most := c.Links*c.Articles + c.Articles - 1
			subject := strategytest.Subject{
				Strategy: f, Theory: f,
				Forgets: func(read, age int) bool { return age > f.Window(read) },
				Reads:   []int{most, most + 1},
			}
			if f.FPR(most) < 1e-6 || most > 1000 { // a chance hit in all would fail the one; the other takes long
				subject.Forgets, subject.Reads = nil, []int{most / 3}
			}
			strategytest.Run(t, subject)
		})
	}
}

func TestSized(t *testing.T) {
	c, err := matrix.Sized(400, 0.02)
	if err != nil || c != matrix.Window400 {
		t.Errorf("%+v, %v", c, err)
	}
	f := build(t, c)
	t.Log(f.Sizes(), f.FPR(449), f.FPR(400))
}

func BenchmarkRecord(b *testing.B) {
	f := build(b, matrix.Window400)
	ids := strategytest.IDs(1, 100000)
	h := f.Record(nil, ids[:1000])
	i := 0
	for b.Loop() {
		h = f.Record(h, ids[i:i+10])
		if i += 10; i >= len(ids)-10 {
			i = 0
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(10*b.N), "ns/article")
}

func BenchmarkSeen(b *testing.B) {
	f := build(b, matrix.Window400)
	ids := strategytest.IDs(1, 2000)
	h := f.Record(nil, ids[:449])
	seen := make([]bool, 40)
	for b.Loop() {
		f.Seen(h, ids[1000:1040], seen)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(40*b.N), "ns/candidate")
}
