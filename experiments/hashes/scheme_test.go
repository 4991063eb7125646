package hashes

import (
	"context"
	"testing"

	"dejavu/bloom"
	"dejavu/bloom/schemes"
	"dejavu/measure"
	"dejavu/strategies"
)

func TestSchemeIsTheSameForAnyWorkers(t *testing.T) {
	g := bloom.Geometry{Bits: 812, Hashes: 6}
	one, err := Scheme(context.Background(), measure.Options{Workers: 1}, schemes.All[0], g, 100, 50, measure.Range{To: 300}, 9)
	if err != nil {
		t.Fatal(err)
	}
	three, err := Scheme(context.Background(), measure.Options{Workers: 3}, schemes.All[0], g, 100, 50, measure.Range{To: 300}, 9)
	if err != nil {
		t.Fatal(err)
	}
	if one != three || one.Users != 300 || one.Hits == 0 {
		t.Errorf("one worker counts %+v, three %+v", one, three)
	}
	if _, err := Scheme(context.Background(), measure.Options{}, schemes.All[0], bloom.Geometry{}, 1, 1, measure.Range{To: 1}, 1); err == nil {
		t.Error("an empty geometry is accepted")
	}
}

// What ranges of filters count adds up to what the whole does.
func TestFiltersAddUp(t *testing.T) {
	whole := measure.Range{To: 300}
	g := bloom.Geometry{Bits: 812, Hashes: 6}
	filled := func(filters measure.Range) (scheme, digest measure.Rate) {
		scheme, err := Scheme(context.Background(), measure.Options{}, schemes.All[1], g, 100, 50, filters, 9)
		if err != nil {
			t.Fatal(err)
		}
		digest, err = Digest(context.Background(), measure.Options{}, strategies.XXHash, g, 100, 50, filters)
		if err != nil {
			t.Fatal(err)
		}
		return scheme, digest
	}
	scheme, digest := filled(whole)
	for _, n := range []int{2, 3, 7} {
		var schemes, digests measure.Rate
		for i := range n {
			s, d := filled(whole.Part(i, n))
			measure.Sum(&schemes, s)
			measure.Sum(&digests, d)
		}
		if schemes != scheme || digests != digest {
			t.Errorf("the rates of %d ranges add up to %+v and %+v, want %+v and %+v", n, schemes, digests, scheme, digest)
		}
	}
}
