package cuckoo

import (
	"iter"

	"dejavu/bloom"
	"dejavu/internal/bitarray"
	"dejavu/internal/mix"
	"dejavu/strategies"
)

// An article's entry is a fingerprint of 1 to 2^b−1, the generation's tag, and the one of its two buckets
// that it lies in. The buckets are i and h − i (mod m), where h depends on the fingerprint alone, so that
// either leads to the other without the article (Fan et al. 2014, §3.1, with a difference in place of their
// xor: m need not be a power of two). As m is even and h odd, the two always differ.
type entry struct {
	fingerprint, tag uint64
	bucket           uint64 // of the whole table, 0 to Buckets-1
}

// of is an article's entry, without a tag: the halves of a product are the bucket and the fingerprint.
func (f *Filter) of(id strategies.ID) entry {
	product := mix.Mix(uint64(id)) * bloom.Multiplier
	return entry{
		bucket:      product >> 32 * uint64(f.Buckets) >> 32,
		fingerprint: uint64(uint32(product))*f.fingerprints>>32 + 1,
	}
}

// other is the entry in its other bucket. The square keeps the differences of the h apart: if fingerprints were
// spread by a multiplication alone, few fingerprints would lead from a bucket to a few others over and over.
func (f *Filter) other(e entry) entry {
	m := uint64(f.Buckets)
	h := e.fingerprint*e.fingerprint*bloom.Multiplier>>32*(m/2)>>32*2 + 1
	e.bucket = h - min(e.bucket, m-1) // a forged entry may have any
	e.bucket += m & uint64(int64(e.bucket)>>63)
	return e
}

// A table is the layout of one length of history. The tables of a light user are smaller: in the one of shift j, 2^j
// neighbouring buckets of the whole table are one, and a slot has j more bits, which of them it was. So a table
// splits into the next without the articles. A slot is, from its lowest bit on, the fingerprint, those j bits, and
// the tag; it is free where it is 0. Behind the slots, from a whole byte on, lies the stash, of those that found no
// room: slots of a table of one single bucket, taken from the front. Then comes the header.
type table struct {
	bytes    int  // of a history
	articles int  // alive, that it is meant to hold
	buckets  int  // ceil(Buckets / 2^shift)
	slots    int  // of a bucket
	shift    int  // j
	bits     int  // of a slot
	key      int  // of them, the fingerprint and the j bits
	stash    int  // places of the stash
	place    int  // bits of each
	stashAt  int  // the stash's first byte
	wide     bool // a bucket does not fit a 64-bit load at a byte boundary

	// For a bucket in a word: bit 0 of each slot, the bits of its key, and the bit behind them.
	firsts, keys, behind uint64
}

const (
	stashPlaces = 4 // of the stash, before it has ever been too short
	leastTable  = 8 // buckets
)

// plan lists the tables, the smallest first.
func (f *Filter) plan() []table {
	total := f.Generations * f.Capacity
	var tables []table
	shift := 0
	for f.Buckets>>(shift+1) >= leastTable {
		shift++
	}
	for ; shift > 0; shift-- {
		t := f.layout(shift, stashPlaces)
		// A small table may be unlucky sooner: it is filled less.
		if t.articles = total * t.buckets / f.Buckets * 3 / 4; t.articles > 0 {
			tables = append(tables, t)
		}
	}
	for places := stashPlaces; ; places *= 2 {
		t := f.layout(0, places)
		t.articles = total
		tables = append(tables, t)
		if places >= total {
			return tables // nothing can be too much for it
		}
	}
}

func (f *Filter) layout(shift, places int) table {
	t := table{
		buckets: (f.Buckets-1)>>shift + 1, slots: f.Slots, shift: shift, stash: places,
		key:   f.Fingerprint + shift,
		place: f.Fingerprint + f.indexBits + f.tagBits, // with the whole number of the bucket
	}
	t.bits = t.key + f.tagBits
	t.stashAt = (t.buckets*t.slots*t.bits + 7) / 8
	// At least 8 bytes follow the slots, so that a load at any of them stays inside.
	t.bytes = t.stashAt + max((places*t.place+7)/8, 8-headerBytes) + headerBytes
	if t.wide = t.slots*t.bits > bitarray.Most; !t.wide {
		for slot := range t.slots {
			t.firsts |= 1 << (slot * t.bits)
		}
		t.keys, t.behind = t.firsts*(1<<t.key-1), t.firsts<<t.key
	}
	return t
}

// table is the layout of a history.
func (f *Filter) table(history []byte) *table { return &f.tables[f.Index(history)] }

// enough is the first table that is meant for so many articles.
func (f *Filter) enough(articles int) *table {
	i := 0
	for f.tables[i].articles < articles {
		i++
	}
	return &f.tables[i]
}

// at is the first bit of a slot, stashed that of a place in the stash.
func (t *table) at(slot int) int       { return slot * t.bits }
func (t *table) stashed(place int) int { return t.stashAt*8 + place*t.place }

// first is the number of the first slot of the bucket that an entry lies in.
func (t *table) first(e entry) int { return int(e.bucket>>t.shift) * t.slots }

func (t *table) get(history []byte, at int) uint64 { return bitarray.Read(history, at, t.bits) }

func (t *table) put(history []byte, at int, word uint64) { bitarray.Write(history, at, t.bits, word) }

// encode and decode turn an entry into a slot of the table of a shift, and back.
func (f *Filter) encode(e entry, shift int) uint64 {
	b := f.Fingerprint
	return e.fingerprint | e.bucket&(1<<shift-1)<<b | e.tag<<(b+shift)
}

func (f *Filter) decode(word uint64, shift int, bucket uint64) entry {
	b := f.Fingerprint
	return entry{
		fingerprint: word & f.fingerprints,
		bucket:      bucket<<shift | word>>b&(1<<shift-1),
		tag:         word >> (b + shift),
	}
}

// entries yields all, those in the stash last.
func (f *Filter) entries(t *table, history []byte) iter.Seq[entry] {
	return func(yield func(entry) bool) {
		for slot := range t.buckets * t.slots {
			word := t.get(history, t.at(slot))
			if word != 0 && !yield(f.decode(word, t.shift, uint64(slot/t.slots))) {
				return
			}
		}
		for _, e := range f.inStash(t, history) {
			if !yield(e) {
				return
			}
		}
	}
}

// inStash yields the entries in the stash, and the first bit of each.
func (f *Filter) inStash(t *table, history []byte) iter.Seq2[int, entry] {
	return func(yield func(int, entry) bool) {
		for place := range t.stash {
			at := t.stashed(place)
			word := bitarray.Read(history, at, t.place)
			if word == 0 || !yield(at, f.decode(word, f.indexBits, 0)) {
				return
			}
		}
	}
}

// expire frees the slots of a generation, and closes the gaps it leaves in the stash.
func (f *Filter) expire(t *table, history []byte, tag uint64) {
	for bucket := range t.buckets {
		at := t.at(bucket * t.slots)
		if t.wide {
			for range t.slots {
				if word := t.get(history, at); word>>t.key == tag && word != 0 {
					t.put(history, at, 0)
				}
				at += t.bits
			}
			continue
		}
		// As in query: the bit behind a key is clear where the tags are equal.
		width := t.slots * t.bits
		word := bitarray.Read(history, at, width)
		tags := t.firsts * (1<<f.tagBits - 1)
		differ := (word>>t.key^t.firsts*tag)&tags + tags
		equal := ^differ >> f.tagBits & t.firsts
		if equal != 0 {
			bitarray.Write(history, at, width, word&^(equal*(1<<t.bits-1)))
		}
	}
	for place := 0; place < t.stash; {
		word := bitarray.Read(history, t.stashed(place), t.place)
		if word == 0 {
			break
		}
		if f.decode(word, f.indexBits, 0).tag == tag {
			f.drop(t, history, t.stashed(place))
		} else {
			place++
		}
	}
}

// drop takes an entry out of the stash; the last one moves into its place.
func (f *Filter) drop(t *table, history []byte, at int) {
	last := at
	for last = range f.inStash(t, history) {
	}
	bitarray.Write(history, at, t.place, bitarray.Read(history, last, t.place))
	bitarray.Write(history, last, t.place, 0)
}
