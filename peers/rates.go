package main

import (
	"encoding/binary"
	"math/rand/v2"
	"strconv"

	"github.com/FastFilter/xorfilter"

	"dejavu/bloom"
	"dejavu/experiments/peers/standing"
	"dejavu/measure"
	"dejavu/peers/library"
	"dejavu/results"
	"dejavu/strategies"
)

const (
	items   = 500
	queries = 500
)

// A shape is one of results.KeyShapes: the i-th key, appended to dst.
type shape struct {
	name    string
	integer bool // eight bytes, big-endian
	key     func(dst []byte, i uint64) []byte
}

var shapes = []shape{
	{"random", true, func(dst []byte, i uint64) []byte {
		return binary.BigEndian.AppendUint64(dst, rand.NewPCG(5, i).Uint64())
	}},
	{"sequential", true, binary.BigEndian.AppendUint64},
	{"decimal", false, func(dst []byte, i uint64) []byte { return strconv.AppendUint(dst, i, 10) }},
	{"URL", false, func(dst []byte, i uint64) []byte {
		return strconv.AppendUint(append(dst, "https://news.example/articles/"...), i, 10)
	}},
}

// rates fills filters and asks them for keys that were not added: the ones that
// follow. Rows of libraries that draw numbers nobody can seed are random.
func rates(filters int, say func(string)) (rows, random []results.Row) {
	ours := library.Library{
		Name: standing.Ours, New: library.OurFilter,
		Geometry: func(g bloom.Geometry) bloom.Geometry { return g },
		Bits:     func(g bloom.Geometry) int { return g.Bits },
		FPR:      func(g bloom.Geometry, n int) float64 { return bloom.Exact(n, g) },
	}
	for _, l := range append([]library.Library{ours}, library.All()...) {
		if l.Like != "" {
			continue
		}
		say("false positives of " + l.Name)
		bits := float64(l.Bits(library.One))
		var found []results.Row
		if g := l.Geometry(library.One); g.Hashes > 0 {
			found = append(found, row(l.Name, bits, results.QHashes, "", float64(g.Hashes)))
		}
		if l.Static {
			found = append(found, row(l.Name, bits, results.QStatic, "", 1))
		}
		var lost measure.Rate
		for _, s := range shapes {
			var rate measure.Rate
			for f := range filters {
				hits, denied := fill(l, s, uint64(f*(items+queries)))
				rate.Add(queries, hits)
				lost.Add(items, denied)
			}
			r := rateRow(l.Name, bits, results.QFPROf+s.name, rate)
			r.Theory = results.Num(l.FPR(library.One, items))
			found = append(found, r)
		}
		found = append(found, rateRow(l.Name, bits, results.QLost, lost))
		if l.Random {
			random = append(random, found...)
		} else {
			rows = append(rows, found...)
		}
	}
	return rows, random
}

func rateRow(name string, bits float64, quantity string, rate measure.Rate) results.Row {
	r := row(name, bits, quantity, results.Ratio, rate.Value())
	low, high := rate.Interval()
	r.Low, r.High, r.Count = results.Num(low), results.Num(high), rate.Queries
	return r
}

// fill makes a filter of the keys from the first on, and counts which of the
// following it takes for its own, and which of its own it denies.
func fill(l library.Library, s shape, first uint64) (hits, denied int) {
	var f asker
	if l.Static {
		f = newStatic(s, first)
	} else {
		filter := l.New(library.One)
		var key []byte
		for i := range uint64(items) {
			key = s.key(key[:0], first+i)
			filter.AddKey(key)
		}
		f = filter
	}
	var key []byte
	for i := range uint64(items + queries) {
		key = s.key(key[:0], first+i)
		switch has := f.HasKey(key); {
		case i < items && !has:
			denied++
		case i >= items && has:
			hits++
		}
	}
	return hits, denied
}

// asker is a filter that has been filled.
type asker interface{ HasKey(key []byte) bool }

// static is a filter of 64-bit numbers, which it hashes itself: integers go in
// as they are, strings by their digest.
type static struct {
	filter  *xorfilter.BinaryFuse[uint8]
	integer bool
}

func newStatic(s shape, first uint64) static {
	st := static{integer: s.integer}
	keys := make([]uint64, items)
	for i := range keys {
		keys[i] = st.number(s.key(nil, first+uint64(i)))
	}
	st.filter = library.BuildFuse(keys)
	return st
}

func (st static) number(key []byte) uint64 {
	if st.integer {
		return binary.BigEndian.Uint64(key)
	}
	return uint64(strategies.XXHash(key))
}

func (st static) HasKey(key []byte) bool { return st.filter.Contains(st.number(key)) }
