package standing

import (
	"slices"
	"strings"
	"testing"

	"dejavu/experiments/golden"
	"dejavu/internal/document"
	"dejavu/results"
	"dejavu/results/by"
)

// lines are the texts of a report, and the rows of its tables.
func lines(blocks []document.Block) (all []string) {
	for _, b := range blocks {
		switch b := b.(type) {
		case document.Paragraph:
			line, _, _ := strings.Cut(string(b), " It is ahead or behind where") // the rule is the same
			all = append(all, line)
		case document.List:
			all = append(all, b.Items...)
		case document.Table:
			for _, row := range b.Rows {
				all = append(all, strings.Join(row, " | "))
			}
		case document.Fold:
			all = append(all, lines(b.Blocks)...)
		}
	}
	return all
}

// What a report says of a made-up run.
func TestGolden(t *testing.T) {
	golden.File(t, "standing.golden", document.Markdown(Report(peersRun())...))
}

// Which lines of the report differ where one row is gone, or a million times as much.
func TestOneRow(t *testing.T) {
	ours, swift := OurName("chain"), Name("swift", "chain")
	unseen, bytes, million := Timed[0].Query, results.Find(results.QBytesPerUser), by.Users.At(1e6)
	const more = true
	for _, c := range []struct {
		row  results.Query
		more bool
		want string
	}{
		{results.Find(results.QFPR, by.Bits.At(4064), by.Keys.Is("random")).Of(Ours), !more, `
Of 6 comparisons, ours is ahead in 4, level in 1 and behind in 1.
dejavu | – | +0.00 % | – | –
swift (Rust) | – | ahead, +50.00 % | – | –
swift at rest | – | – | – | –`},
		{results.Find(results.QFPR, by.Bits.At(4064), by.Keys.Is("sequential")).Of(Ours), more, `
Of 8 comparisons, ours is ahead in 3, level in 3 and behind in 2.
dejavu | +0.50 % | +99999900.00 % | – | –
swift (Rust) | level, -2.00 % | **behind**, +50.00 % | – | –
Behind swift (Rust; 4096 bits, ours 4064): FPR over theory by shape of keys: sequential.
Behind swift (Rust; 4096 bits, ours 4064): false positives by shape of keys: 1.96 % against 2.01 % (random), ` +
			`3 % against 2000000 % (sequential).`},
		{results.Find(results.QStatic, by.Bits.At(6144)).Of("swift at rest"), !more, `
Level with swift at rest (it denies 0.2 % of the articles shown; 6144 bits, ours 4064): ` +
			`FPR over theory by shape of keys: random.`},
		{results.Find(results.QLost, by.Bits.At(6144)).Of("swift at rest"), !more, `
Level with swift at rest (static: it cannot be added to; 6144 bits, ours 4064): ` +
			`FPR over theory by shape of keys: random.`},
		{unseen.Of(ours), !more, `
Of 6 comparisons, ours is ahead in 3, level in 3 and behind in 0.
dejavu/chain | 8 ns | 520 B | 0
swift chain (Rust) | level, 1.01× | ahead, 2× | ahead, 11 to 0
swift at rest chain | – | – | –
absent (C) | not measured: cc is missing | – | –`},
		{Over(unseen).Of(swift), !more, `
Of 8 comparisons, ours is ahead in 4, level in 4 and behind in 0.
swift chain (Rust) | level, 0× | level, 1.01× | ahead, 2× | ahead, 11 to 0
Level with swift chain (Rust): unseen candidate 3 ns against 6.25 ns, article recorded, by ten 1.01× (0.9 to 1.2).`},
		{bytes.Of(ours).With(million), !more, "\nMeasured on 2026-11-20 by `go run . --rounds 21` in `peers`, a module of " +
			`its own: Some CPU, 2 processors, go1.26.8, linux/amd64.
Of 7 comparisons, ours is ahead in 3, level in 3 and behind in 1.
dejavu/chain | 6.25 ns | 8 ns | 0
swift chain (Rust) | **behind**, 0.48× | level, 1.01× | ahead, 11 to 0
swift at rest chain | ahead, 9.9× | – | –
absent (C) | not measured: cc is missing | – | –`},
		{bytes.Of(ours).With(million), more, `
Of 8 comparisons, ours is ahead in 3, level in 3 and behind in 2.
dejavu/chain | 6.25 ns | 8 ns | 520000000 B | 0
swift chain (Rust) | **behind**, 0.48× | level, 1.01× | **behind**, 2e-06× | ahead, 11 to 0
Behind swift chain (Rust): unseen candidate 0.48× (0.47 to 0.5), bytes a user 1040 B against 520000000 B.`},
		{results.Find(results.QCollectShare, million).Of(ours + Roomy), more, `
Behind swift chain (Rust): gc pause 41000 ns against 80000 ns, gc cpu 4 % against 1000000 %.`},
		{results.Find(results.QLanguage, by.Language.Is("C")).Of("absent"), !more, `
absent | not measured: cc is missing | – | – | –`},
	} {
		run, known := peersRun(), lines(Report(peersRun()))
		found := false
		for _, rows := range [][]results.Row{run.Rows, run.Timing} {
			for i := range rows {
				r := &rows[i]
				if r.Name() != c.row.In(results.Peers) {
					continue
				}
				if found = true; !c.more {
					r.Experiment = "another"
				}
				for _, v := range []*results.Number{&r.Value, &r.Low, &r.High} {
					if n, ok := v.Get(); ok {
						*v = results.Num(1e6 * n)
					}
				}
			}
		}
		others := slices.DeleteFunc(lines(Report(run)), func(line string) bool { return slices.Contains(known, line) })
		if got := "\n" + strings.Join(others, "\n"); !found || got != c.want {
			t.Errorf("%v, a million times as much %v: got%s\nwant%s", c.row, c.more, got, c.want)
		}
	}
}
