package main

import (
	"dejavu/bloom"
	"dejavu/results"
)

// sizedArticles is the n of the sizing table.
const sizedArticles = 500

// sizing is what the paper's equations, the lecture's and the exact optimum
// make of a target rate, and what rate each really reaches.
func sizing(*suite) (rows, timing []results.Row, err error) {
	for _, method := range []struct {
		name string
		size func(n int, fpr float64) (bloom.Geometry, error)
	}{
		{"paper", bloom.PaperGeometry},
		{"lecture", bloom.LectureGeometry},
		{"exact", bloom.BestGeometry},
	} {
		for _, epsilon := range []float64{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1} {
			g, err := method.size(sizedArticles, epsilon)
			if err != nil {
				return nil, nil, err
			}
			reached := bloom.Exact(sizedArticles, g)
			for _, v := range []struct {
				quantity, unit string
				value          float64
			}{
				{results.QBits, results.Bits, float64(g.Bits)},
				{results.QHashes, "", float64(g.Hashes)},
				{results.QSizedBytes, results.Bytes, float64((g.Bits + 7) / 8)},
				{results.QFPRReached, results.Ratio, reached},
				{results.QMiss, results.Ratio, reached / epsilon},
			} {
				r := results.Row{
					Experiment: results.Sizing, Strategy: method.name, X: results.Num(epsilon),
					Quantity: v.quantity, Unit: v.unit, Theory: results.Num(v.value),
				}
				if method.name == "paper" && epsilon == paperEpsilon {
					switch v.quantity {
					case results.QBits:
						r.Paper = results.Num(4064)
					case results.QHashes:
						r.Paper = results.Num(6)
					case results.QSizedBytes:
						r.Paper = results.Num(500)
					case results.QFPRReached:
						r.Paper = results.Num(paperFPR)
					}
				}
				rows = append(rows, r)
			}
		}
	}
	return rows, nil, nil
}
