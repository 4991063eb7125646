package measure

import (
	"context"
	"reflect"
	"testing"

	"dejavu/bloom"
	"dejavu/bloom/schemes"
	"dejavu/strategies"
	"dejavu/workload"
)

// Parts follow one another, cover the range, differ by one at most, and none is
// longer than the first.
func TestRangeParts(t *testing.T) {
	for _, r := range []Range{{0, 0}, {0, 1}, {0, 6}, {0, 7}, {0, 3000}, {17, 1 << 30}} {
		for _, n := range []int{1, 2, 3, 7, 10_000} {
			at, least, most := r.From, r.Len(), 0
			for i := range n {
				p := r.Part(i, n)
				if p.From != at || p.Len() < 0 {
					t.Fatalf("part %d of %d of %v is %v, want it to begin at %d", i, n, r, p, at)
				}
				at, least, most = p.To, min(least, p.Len()), max(most, p.Len())
			}
			if at != r.To || most-least > 1 {
				t.Errorf("%d parts of %v end at %d, and are %d to %d long", n, r, at, least, most)
			}
			if first := r.Part(0, n); r.Len() > 0 && first.Len() != most {
				t.Errorf("part 0 of %d of %v is %v, others are %d long", n, r, first, most)
			}
		}
	}
}

// divided is a range in n parts, and after the first an empty one.
func divided(r Range, n int) []Range {
	parts := []Range{r.Part(0, n), {r.Part(0, n).To, r.Part(0, n).To}}
	for i := 1; i < n; i++ {
		parts = append(parts, r.Part(i, n))
	}
	return parts
}

// What ranges of the full population count adds up to what the whole does, with
// milestones inside ranges (100), on their edges (200 of 400 in two) and in parts.
func TestFullAddsUp(t *testing.T) {
	const users = 400
	defer func(before []int) { milestones = before }(milestones)
	milestones = []int{100, 200, 301, 1000}
	population, err := workload.NewFull(2016, users)
	if err != nil {
		t.Fatal(err)
	}
	longer, err := newLongChain()
	if err != nil {
		t.Fatal(err)
	}
	s := subjects(t)[4]
	long := Subject{s.Name, longer, longer}
	measured := func(readers Range, o Options) (FullCounts, FullMachine, ExtendCounts) {
		extended := newExtendCounts()
		counts, machine, err := Full(context.Background(), s, population, readers, o, func(part Alive) error {
			c, err := Extend(context.Background(), o, long, true, s, population, part)
			extended.Add(c)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return counts, machine, extended
	}
	whole := Range{0, users}
	counts, machine, extended := measured(whole, Options{})
	if len(counts.Totals) != 4 || counts.Totals[3] != (Total{users, counts.Payload}) {
		t.Fatalf("the whole has totals %v, want those at 100, 200, 301 and %d", counts.Totals, users)
	}
	for _, n := range []int{2, 3, 7} {
		sum, all, grown := newFullCounts(), FullMachine{}, newExtendCounts()
		for i, part := range divided(whole, n) {
			c, m, e := measured(part, Options{Workers: 1 + i%2, Parts: 1 + i%3})
			sum.Add(&c)
			all.Add(m)
			grown.Add(e)
		}
		if !reflect.DeepEqual(sum, counts) {
			t.Errorf("the counts of %d ranges add up to %+v, want %+v", n, sum, counts)
		}
		if !reflect.DeepEqual(grown, extended) {
			t.Errorf("readers taken through the change in %d ranges add up to %+v, want %+v", n, grown, extended)
		}
		for i, h := range all.Held {
			total := counts.Totals[i]
			if h.Users != total.Users || h.Slabs < total.Payload || i > 0 && h.Slabs < all.Held[i-1].Slabs {
				t.Errorf("%d ranges: held at %d users %+v, whose payload is %d", n, total.Users, h, total.Payload)
			}
		}
		if len(all.Held) != len(machine.Held) || all.Held[len(all.Held)-1] != all.All || all.Parts < n {
			t.Errorf("%d ranges: %d milestones, %d parts, in all %+v", n, len(all.Held), all.Parts, all.All)
		}
	}
}

// So it is with the days of the daily population, and with filters.
func TestDaysAndFiltersAddUp(t *testing.T) {
	const users, days = 300, 3
	population, err := workload.NewDaily(2016, users)
	if err != nil {
		t.Fatal(err)
	}
	s, whole := subjects(t)[4], Range{0, users}
	live := func(readers Range) (DailyCounts, []Midnight) {
		counts, _, err := Daily(context.Background(), s, population, readers, Options{Parts: 2})
		if err != nil {
			t.Fatal(err)
		}
		midnights, err := Churn(context.Background(), s, population, readers, days, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for day := range midnights {
			midnights[day].Slabs, midnights[day].Resident = 0, 0 // the machine's
		}
		return counts, midnights
	}
	filled := func(filters Range) (scheme, digest Rate) {
		g := bloom.Geometry{Bits: 812, Hashes: 6}
		scheme, err := Scheme(context.Background(), Options{}, schemes.All[1], g, 100, 50, filters, 9)
		if err != nil {
			t.Fatal(err)
		}
		digest, err = Digest(context.Background(), Options{}, strategies.XXHash, g, 100, 50, filters)
		if err != nil {
			t.Fatal(err)
		}
		return scheme, digest
	}
	counts, midnights := live(whole)
	scheme, digest := filled(whole)
	for _, n := range []int{2, 3, 7} {
		sum, nights := DailyCounts{newRegime(), newRegime()}, make([]Midnight, days)
		var schemes, digests Rate
		for _, part := range divided(whole, n) {
			c, m := live(part)
			sum.Add(c)
			for day := range m {
				nights[day].Add(m[day])
			}
			s, d := filled(part)
			schemes, digests = schemes.Plus(s), digests.Plus(d)
		}
		if !reflect.DeepEqual(sum, counts) || !reflect.DeepEqual(nights, midnights) {
			t.Errorf("the days of %d ranges add up to\n%+v\n%+v, want\n%+v\n%+v", n, sum, nights, counts, midnights)
		}
		if schemes != scheme || digests != digest {
			t.Errorf("the rates of %d ranges add up to %+v and %+v, want %+v and %+v", n, schemes, digests, scheme, digest)
		}
	}
}
