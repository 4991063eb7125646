// Package cuckoo is a cuckoo filter of generations: a window, as package chain's, and articles can be taken back.
//
// A cuckoo filter (Fan, Andersen, Kaminsky and Mitzenmacher, "Cuckoo Filter: Practically Better Than Bloom",
// CoNEXT 2014) keeps a fingerprint of each article in one of two buckets of a few slots, and moves others to
// their second bucket where both are full. Here every slot also has the tag of a generation, of Capacity
// articles; when one begins, the oldest of Generations gives up its tag, and its slots are free. So the last
// (Generations-1)*Capacity + 1 to Generations*Capacity articles are remembered for certain. An article that
// finds no slot after many moves goes into a stash behind the table, and where that is full the history
// grows; in a table no fuller than Fillable that hardly ever happens.
//
// An unseen article is reported as seen where one alive has its fingerprint and its pair of buckets (FPR). Each of
// such articles has a copy, four at most, and the oldest goes when one is taken back. A fifth takes the place of the
// oldest, and none of them can be taken back any more. Taking back a false positive takes another article.
//
// The price is the tag, and the slots that are free: 749 bytes for a window of 400 at 2 %, where package chain takes
// 723 and can delete nothing. A query costs two loads. A light user's table is smaller: it doubles as articles come.
package cuckoo

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"dejavu/internal/bitarray"
	"dejavu/strategies"
)

// Config is the filter's parameters.
type Config struct {
	_           struct{}
	Generations int // alive at once, 2 to MaxGenerations
	Capacity    int // articles a generation takes, 1 to 65535
	Buckets     int // of the whole table, an even number of 2 to MaxBuckets
	Slots       int // of a bucket, 1 to MaxSlots; Buckets*Slots is at least Generations*Capacity
	Fingerprint int // bits, MinFingerprint to MaxFingerprint
}

// The limits that New enforces.
const (
	MaxGenerations = 32
	MaxBuckets     = 1 << 20
	MaxSlots       = 8
	MinFingerprint = 4
	MaxFingerprint = 32
)

const maxCapacity = math.MaxUint16

// Standard is Sized(400, 0.02): eight generations of 57 articles, 8 bits in buckets of three, in 749 bytes.
var Standard = Config{Generations: 8, Capacity: 57, Buckets: 178, Slots: 3, Fingerprint: 8}

// headerBytes follow the stash: the newest generation's count of articles in 16 bits, little-endian, then its
// tag and the number of full generations behind it, a byte each.
const headerBytes = 4

// A Filter is the strategy. It implements strategies.Strategy, strategies.Theory and strategies.Deleter.
type Filter struct {
	Config
	strategies.Layout        // every table from the smallest to the whole one, and that with longer stashes
	fingerprints      uint64 // values of a fingerprint: 1 to this
	tagBits           int
	indexBits         int // of a bucket's number
	tables            []table
}

// New returns the strategy, or an error that names the field out of range.
func New(c Config) (*Filter, error) {
	if err := cmp.Or(
		strategies.Within("cuckoo: Generations", c.Generations, 2, MaxGenerations),
		strategies.Within("cuckoo: Capacity", c.Capacity, 1, maxCapacity),
		strategies.Within("cuckoo: Buckets", c.Buckets, 2, MaxBuckets),
		strategies.Within("cuckoo: Slots", c.Slots, 1, MaxSlots),
		strategies.Within("cuckoo: Fingerprint", c.Fingerprint, MinFingerprint, MaxFingerprint),
	); err != nil {
		return nil, err
	}
	switch {
	case c.Buckets%2 != 0:
		return nil, fmt.Errorf("cuckoo: Buckets is %d, want an even number", c.Buckets)
	case c.Buckets*c.Slots < c.Generations*c.Capacity:
		return nil, fmt.Errorf(
			"cuckoo: Buckets is %d, of %d slots each, want at least %d slots for %d generations of %d articles",
			c.Buckets, c.Slots, c.Generations*c.Capacity, c.Generations, c.Capacity)
	}
	f := newFilter(c)
	f.tables = f.plan()
	var arrays []int
	for _, t := range f.tables {
		arrays = append(arrays, t.bytes-headerBytes)
	}
	f.Layout = strategies.NewLayout("cuckoo", headerBytes, arrays...)
	return f, nil
}

// newFilter is a filter without its tables.
func newFilter(c Config) *Filter {
	return &Filter{
		Config:       c,
		fingerprints: 1<<c.Fingerprint - 1,
		tagBits:      bits.Len(uint(c.Generations - 1)),
		indexBits:    bits.Len(uint(c.Buckets - 1)),
	}
}

type state struct { // what the header says
	count  int // articles in the newest generation
	newest int // its tag
	full   int // generations behind it that are alive
}

// load is the state that a history can be in, whatever its header says.
func (f *Filter) load(history []byte) state {
	s := header(history)
	s.count, s.newest, s.full = min(s.count, f.Capacity), min(s.newest, f.Generations-1), min(s.full, f.Generations-1)
	return s
}

func header(history []byte) state {
	if len(history) == 0 {
		return state{}
	}
	word := binary.LittleEndian.Uint32(history[len(history)-headerBytes:])
	return state{count: int(word & 0xffff), newest: int(word >> 16 & 0xff), full: int(word >> 24)}
}

// alive is how many articles the generations alive were shown.
func (f *Filter) alive(s state) int { return s.count + s.full*f.Capacity }

// age is how many generations the tag lies behind the newest.
func (f *Filter) age(s state, tag uint64) int {
	age := s.newest - int(tag)
	if age < 0 {
		age += f.Generations
	}
	return age
}

// Seen looks each candidate up in its two buckets, and in the stash where there is something in it.
func (f *Filter) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	if len(history) == 0 {
		clear(seen)
		return
	}
	t := f.table(history)
	if !t.wide {
		f.query(t, history, candidates, seen)
		f.queryStash(t, history, candidates, seen)
		return
	}
	s := f.load(history)
	for i, id := range candidates {
		seen[i] = f.find(t, history, s, f.of(id)).copies > 0
	}
}

// Record enters the articles, oldest first, into the newest generation, and begins another when it is full
// and the next article needs room. The history grows to the table that holds all generations, by doubling,
// before an article that the table is not meant to hold.
func (f *Filter) Record(history []byte, shown []strategies.ID) []byte {
	if len(shown) == 0 {
		return history
	}
	s := f.load(history)
	// Memory for the last table at once, and then table by table in place.
	last := f.Bytes(f.alive(s) + len(shown))
	history = slices.Grow(history, max(0, last-len(history)))
	history = strategies.Grow(history, f.tables[0].bytes)
	t := f.table(history)
	for _, id := range shown {
		if s.count == f.Capacity {
			s = f.turn(t, history, s)
		}
		s.count++
		for f.alive(s) > t.articles {
			history, t = f.grow(t, history)
		}
		history, t = f.add(t, history, s, f.of(id))
	}
	word := uint32(s.count | s.newest<<16 | s.full<<24)
	binary.LittleEndian.PutUint32(history[len(history)-headerBytes:], word)
	return history
}

// turn begins a generation. Where all tags are in use it takes the oldest's, whose slots are free.
func (f *Filter) turn(t *table, history []byte, s state) state {
	s.count = 0
	if s.newest++; s.newest == f.Generations {
		s.newest = 0
	}
	if s.full < f.Generations-1 {
		s.full++
		return s
	}
	f.expire(t, history, uint64(s.newest))
	f.unstash(t, history)
	return s
}

// Delete takes each article back once: the oldest of its copies goes (see strategies.Deleter). An article of
// which the filter has maxCopies stays, until it expires. The history keeps its length.
func (f *Filter) Delete(history []byte, articles []strategies.ID) []byte {
	if len(history) == 0 {
		return history
	}
	s, t := f.load(history), f.table(history)
	for _, id := range articles {
		found := f.find(t, history, s, f.of(id))
		if found.copies == 0 || found.copies >= maxCopies {
			continue
		}
		if found.stashed {
			f.drop(t, history, found.at)
		} else {
			t.put(history, found.at, 0)
		}
	}
	return history
}

// Validate accepts nothing, or entries and a header that agree with each other.
func (f *Filter) Validate(history []byte) error {
	if err := f.CheckLength(history); err != nil || len(history) == 0 {
		return err
	}
	t, s := f.table(history), header(history)
	least := s.full // the newest's tag, until tags are used again
	if s.full == f.Generations-1 {
		least = 0
	}
	if err := cmp.Or(
		strategies.Within("cuckoo: the number of full generations", s.full, 0, f.Generations-1),
		strategies.Within("cuckoo: the newest generation", s.newest, least, s.full),
		strategies.Within("cuckoo: the newest generation's number of articles", s.count, 1, f.Capacity),
		strategies.Within("cuckoo: the number of articles", f.alive(s), 1, t.articles),
	); err != nil {
		return err
	}
	end := t.stashed(0) // of the stash
	for range f.inStash(t, history) {
		end += t.place
	}
	if bitarray.Ones(history, t.at(t.buckets*t.slots), t.stashed(0))+
		bitarray.Ones(history, end, (t.bytes-headerBytes)*8) > 0 {
		return errors.New("cuckoo: a bit is set beyond the last slot, or behind the stash")
	}
	var entries [MaxGenerations]int // by tag
	for e := range f.entries(t, history) {
		most := f.Capacity
		if int(e.tag) == s.newest {
			most = s.count
		}
		switch {
		case e.fingerprint == 0:
			return errors.New("cuckoo: an entry without a fingerprint")
		case e.bucket >= uint64(f.Buckets):
			return fmt.Errorf("cuckoo: an entry of bucket %d of %d", e.bucket, f.Buckets)
		case e.tag >= uint64(f.Generations) || f.age(s, e.tag) > s.full:
			return fmt.Errorf("cuckoo: an entry of generation %d, which is not alive", e.tag)
		}
		if entries[e.tag]++; entries[e.tag] > most {
			return fmt.Errorf("cuckoo: generation %d holds more than its %d articles", e.tag, most)
		}
	}
	return nil
}
