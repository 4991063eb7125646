package cuckoo

import (
	"errors"
	"math"
	"slices"
	"testing"

	"dejavu/internal/bitarray"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
	_ "dejavu/strategies/strategytest/seeded"

	"pgregory.net/rapid"
)

// A class is what the filter can tell of an article: the fingerprint and the lower of its two buckets.
type class struct{ fingerprint, bucket uint64 }

func (f *Filter) class(id strategies.ID) class {
	e := f.of(id)
	return class{e.fingerprint, min(e.bucket, f.other(e).bucket)}
}

// An exact model: for every class the generations of its copies, oldest first,
// and for every article those of its recordings that were not taken back.
type model struct {
	f          *Filter
	shown      int // articles
	copies     map[class][]int
	recordings map[strategies.ID][]int
}

func (m *model) record(id strategies.ID) {
	generation := m.shown / m.f.Capacity
	m.shown++
	alive := func(all []int) []int {
		return slices.DeleteFunc(all, func(g int) bool { return g <= generation-m.f.Generations })
	}
	for c := range m.copies {
		m.copies[c] = alive(m.copies[c])
	}
	for id := range m.recordings {
		m.recordings[id] = alive(m.recordings[id])
	}
	c := m.f.class(id)
	m.copies[c] = append(m.copies[c], generation)
	if len(m.copies[c]) > maxCopies {
		m.copies[c] = m.copies[c][1:]
	}
	m.recordings[id] = append(m.recordings[id], generation)
}

// remove takes an article back. What it removes of the article's own recordings
// is the newest, so that the model asks for the least.
func (m *model) remove(id strategies.ID) {
	c := m.f.class(id)
	if n := len(m.copies[c]); 0 < n && n < maxCopies {
		m.copies[c] = m.copies[c][1:]
	}
	if n := len(m.recordings[id]); n > 0 {
		m.recordings[id] = m.recordings[id][:n-1]
	}
}

// agrees holds a history against the model. Honest is whether only articles were
// taken back of which a recording was alive: then all that are left are seen.
func (m *model) agrees(history []byte, ids []strategies.ID, honest bool) error {
	if err := m.f.Validate(history); err != nil {
		return err
	}
	seen := make([]bool, len(ids))
	m.f.Seen(history, ids, seen)
	for i, id := range ids {
		switch {
		case honest && len(m.recordings[id]) > 0 && !seen[i]:
			return errors.New("an article is forgotten")
		case seen[i] != (len(m.copies[m.f.class(id)]) > 0):
			return errors.New("an article is seen, and its class has no copy, or the other way round")
		}
	}
	return nil
}

// Recorded and taken back in any order, by users who know what they were shown and by users who believe the
// filter, in tables with room and with none: the history answers exactly as the model does, for every class,
// and to those who know it never forgets an article of which a recording is alive.
func TestAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom([]Config{
			{Generations: 4, Capacity: 10, Buckets: 20, Slots: 2, Fingerprint: 6},
			{Generations: 3, Capacity: 5, Buckets: 10, Slots: 2, Fingerprint: 4},
			{Generations: 2, Capacity: 30, Buckets: 60, Slots: 1, Fingerprint: 5},
			{Generations: 5, Capacity: 12, Buckets: 32, Slots: 8, Fingerprint: 12},
			{Generations: 8, Capacity: 3, Buckets: 8, Slots: 4, Fingerprint: 5},
		}).Draw(t, "config")
		f := strategytest.Value(New(c))
		m := &model{f, 0, map[class][]int{}, map[strategies.ID][]int{}}
		// Few articles make repeats, many make classes of several.
		ids := strategytest.IDs(rapid.Uint64().Draw(t, "seed"), rapid.SampledFrom([]int{3, 30, 300}).Draw(t, "articles"))
		honest := true
		var history []byte
		t.Repeat(map[string]func(*rapid.T){
			"record": func(t *rapid.T) {
				from := rapid.IntRange(0, len(ids)-1).Draw(t, "from")
				shown := ids[from : from+rapid.IntRange(0, len(ids)-from).Draw(t, "articles")]
				shown = shown[:min(len(shown), 40)]
				history = f.Record(history, shown)
				for _, id := range shown {
					m.record(id)
				}
			},
			"delete": func(t *rapid.T) {
				var back []strategies.ID
				for _, id := range rapid.SliceOfN(rapid.SampledFrom(ids), 0, 10).Draw(t, "back") {
					if len(m.recordings[id]) > 0 {
						back = append(back, id)
						m.remove(id)
					}
				}
				history = f.Delete(history, back)
			},
			"believe": func(t *rapid.T) {
				if rapid.IntRange(0, 9).Draw(t, "seldom") > 0 {
					t.Skip("one turn in ten is enough: after it less is certain")
				}
				id := rapid.SampledFrom(ids).Draw(t, "back")
				history = f.Delete(history, []strategies.ID{id})
				m.remove(id)
				honest = false
			},
			"": func(t *rapid.T) {
				strategytest.Must(t, m.agrees(history, ids, honest))
			},
		})
	})
}

// A table without a slot to spare, over ten lives: articles end in the
// stash, histories get longer, up to the longest, and nothing is forgotten.
func TestOverfull(t *testing.T) {
	f := strategytest.Value(New(Config{Generations: 4, Capacity: 10, Buckets: 40, Slots: 1, Fingerprint: 6}))
	lengths := map[int]bool{}
	for life := range uint64(10) {
		m := &model{f, 0, map[class][]int{}, map[strategies.ID][]int{}}
		ids := strategytest.IDs(life, 200)
		var history []byte
		for i, id := range ids {
			history = f.Record(history, ids[i:i+1])
			m.record(id)
			lengths[len(history)] = true
			if err := m.agrees(history, ids, true); err != nil {
				t.Fatalf("life %d, after %d articles: %v", life, i+1, err)
			}
		}
		if !slices.Equal(history, f.Record(nil, ids)) {
			t.Fatalf("life %d: one request makes another history", life)
		}
	}
	if len(lengths) < 5 {
		t.Errorf("histories of %d lengths, of %d that there are: the stash is hardly tried", len(lengths), len(f.Sizes()))
	}
}

// The two buckets of an article are each other's, differ, and lie in the table;
// fingerprints are never 0, which is a free slot.
func TestBuckets(t *testing.T) {
	for _, c := range []Config{
		{Generations: 2, Capacity: 1, Buckets: 2, Slots: 4, Fingerprint: 4},
		{Generations: 2, Capacity: 1, Buckets: 178, Slots: 4, Fingerprint: 8},
		{Generations: 2, Capacity: 1, Buckets: MaxBuckets, Slots: 4, Fingerprint: 32},
	} {
		f := strategytest.Value(New(c))
		for _, id := range append(strategytest.IDs(3, 5000), 0, 1, 1<<32, 1<<64-1) {
			e := f.of(id)
			o := f.other(e)
			if e.fingerprint < 1 || e.fingerprint > f.fingerprints || e.bucket >= uint64(c.Buckets) ||
				o.bucket >= uint64(c.Buckets) || e.bucket%2 == o.bucket%2 || f.other(o) != e {
				t.Fatalf("%+v, ID %#x: entry %+v, and the other %+v", c, id, e, o)
			}
		}
	}
}

// A stash is seldom needed in a table as full as Fillable says: of users of few articles and of many, with
// fingerprints short and long, at most one generation in 300 ends with an entry in it, where buckets have
// three slots, and none of the histories is longer for it.
func TestFillable(t *testing.T) {
	for _, n := range []int{40, 464, 2400} {
		for _, slots := range []int{3, 4, MaxSlots} {
			for _, bits := range []int{shortest(n), 9} {
				buckets := int(math.Ceil(float64(n) / (float64(slots) * Fillable(slots, n))))
				c := Config{Generations: 8, Capacity: n / 8, Buckets: (buckets + 1) / 2 * 2, Slots: slots, Fingerprint: bits}
				f := strategytest.Value(New(c))
				stashed, generations := 0, 0
				for life := uint64(0); generations*c.Capacity < 20_000; life++ {
					var history []byte
					for ids := strategytest.IDs(life, 5*n); len(ids) > 0; ids = ids[c.Capacity:] {
						history = f.Record(history, ids[:c.Capacity])
						generations++
						table := f.table(history)
						if bitarray.Read(history, table.stashed(0), table.place) != 0 {
							stashed++
						}
					}
					strategytest.Equal(t, len(history), f.Bytes(n), "%+v: bytes", c)
				}
				if stashed > generations/300 {
					t.Errorf("%+v: %d of %d generations end with a stash", c, stashed, generations)
				}
			}
		}
	}
}
