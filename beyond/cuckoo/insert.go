package cuckoo

import (
	"encoding/binary"
	"math/bits"

	"dejavu/bloom"
	"dejavu/internal/bitarray"
	"dejavu/internal/mix"
	"dejavu/strategies"
)

// maxCopies is how many entries there may be of articles that the filter cannot tell apart: of one article
// recorded again, or of several that share their fingerprint and buckets. One more takes the place of the
// oldest of them, and from then on none can be deleted, for nobody knows how many they stand for.
const maxCopies = 4

// maxKicks is how many entries move before one is put into the stash: as in Fan et al. (2014), algorithm 1.
const maxKicks = 500

// A found is what there is of an article.
type found struct {
	copies  int
	at      int // the first bit of the oldest
	stashed bool
	age     int
}

// find looks for all copies of an entry, whatever their tags.
func (f *Filter) find(t *table, history []byte, s state, e entry) found {
	var all found
	meet := func(at int, stashed bool, tag uint64) {
		if age := f.age(s, tag); all.copies == 0 || age > all.age {
			all.at, all.stashed, all.age = at, stashed, age
		}
		all.copies++
	}
	other := f.other(e)
	for _, e := range [...]entry{e, other} {
		at, key := t.at(t.first(e)), f.encode(e, t.shift)&(1<<t.key-1)
		if !t.wide { // as in query
			word := bitarray.Read(history, at, t.slots*t.bits)
			equal := ^((word^key*t.firsts)&t.keys + t.keys) & t.behind
			for ; equal != 0; equal &= equal - 1 {
				slot := at + bits.TrailingZeros64(equal) - t.key
				meet(slot, false, t.get(history, slot)>>t.key)
			}
			continue
		}
		for range t.slots {
			if word := t.get(history, at); word&(1<<t.key-1) == key {
				meet(at, false, word>>t.key)
			}
			at += t.bits
		}
	}
	for at, d := range f.inStash(t, history) {
		if d.fingerprint == e.fingerprint && (d.bucket == e.bucket || d.bucket == other.bucket) {
			meet(at, true, d.tag)
		}
	}
	return all
}

// add enters an article of the newest generation, and returns the history, maybe longer, and its table.
func (f *Filter) add(t *table, history []byte, s state, e entry) ([]byte, *table) {
	e.tag = uint64(s.newest)
	if all := f.find(t, history, s, e); all.copies >= maxCopies {
		width := t.bits
		if all.stashed {
			width = t.place
		}
		key := width - f.tagBits
		bitarray.Write(history, all.at+key, f.tagBits, e.tag)
		return history, t
	}
	for {
		left, ok := f.place(t, history, e)
		if ok || f.putAside(t, history, left) {
			return history, t
		}
		// The one left over goes into a longer history. That ends: the longest
		// has a stash for all that are alive, and what is forged is lost there.
		if t == &f.tables[len(f.tables)-1] {
			return history, t
		}
		e = left
		history, t = f.grow(t, history)
	}
}

// place finds a slot for an entry, maybe by moving others. What is left without one it returns, and false.
func (f *Filter) place(t *table, history []byte, e entry) (left entry, ok bool) {
	if f.enter(t, history, e) {
		return entry{}, true
	}
	if e = f.other(e); f.enter(t, history, e) {
		return entry{}, true
	}
	// Chance comes from the entry, so that the same articles always make the same history.
	chance := (e.bucket<<32 | e.fingerprint) * bloom.Multiplier
	for range maxKicks {
		chance = (chance ^ chance>>31) * bloom.Multiplier
		slot := int(chance >> 32 * uint64(t.slots) >> 32)
		at := t.at(t.first(e) + slot)
		victim := f.decode(t.get(history, at), t.shift, e.bucket>>t.shift)
		t.put(history, at, f.encode(e, t.shift))
		if e = f.other(victim); f.enter(t, history, e) {
			return entry{}, true
		}
	}
	return e, false
}

// enter puts an entry into its bucket, if a slot is free there.
func (f *Filter) enter(t *table, history []byte, e entry) bool {
	at := t.at(t.first(e))
	if !t.wide {
		// As in query: the bit behind a key is clear where the key is 0.
		word := bitarray.Read(history, at, t.slots*t.bits)
		free := ^(word&t.keys + t.keys) & t.behind
		if free == 0 {
			return false
		}
		t.put(history, at+bits.TrailingZeros64(free)-t.key, f.encode(e, t.shift))
		return true
	}
	for range t.slots {
		if t.get(history, at) == 0 {
			t.put(history, at, f.encode(e, t.shift))
			return true
		}
		at += t.bits
	}
	return false
}

// putAside puts an entry into the stash, if it has room.
func (f *Filter) putAside(t *table, history []byte, e entry) bool {
	for place := range t.stash {
		if bitarray.Read(history, t.stashed(place), t.place) == 0 {
			bitarray.Write(history, t.stashed(place), t.place, f.encode(e, f.indexBits))
			return true
		}
	}
	return false
}

// unstash tries to find slots for what lies in the stash.
func (f *Filter) unstash(t *table, history []byte) {
	for place := 0; place < t.stash; {
		at := t.stashed(place)
		word := bitarray.Read(history, at, t.place)
		if word == 0 {
			return
		}
		if left, ok := f.place(t, history, f.decode(word, f.indexBits, 0)); ok {
			f.drop(t, history, at)
		} else {
			bitarray.Write(history, at, t.place, f.encode(left, f.indexBits))
			place++
		}
	}
}

// grow makes a history one of the next length: of twice the buckets, or else of twice the stash.
func (f *Filter) grow(from *table, history []byte) ([]byte, *table) {
	to := &f.tables[f.Index(history)+1]
	if from.shift == 0 {
		clear(history[from.bytes-headerBytes:])
		return strategies.Grow(history, to.bytes), to
	}
	var stash [stashPlaces]entry
	n := 0
	for _, e := range f.inStash(from, history) {
		stash[n] = e
		n++
	}
	clear(history[from.stashAt:])
	history = strategies.Grow(history, to.bytes)
	f.split(from, to, history)
	for _, e := range stash[:n] {
		if left, ok := f.place(to, history, e); !ok {
			f.putAside(to, history, left)
		}
	}
	return history, to
}

// split makes two buckets of each, from the last on: they begin behind all that are still to be split.
func (f *Filter) split(from, to *table, history []byte) {
	for bucket := from.buckets - 1; bucket >= 0; bucket-- {
		var entries [MaxSlots]entry
		for slot := range from.slots {
			word := from.get(history, from.at(bucket*from.slots+slot))
			entries[slot] = f.decode(word, from.shift, uint64(bucket))
		}
		for slot := 2 * bucket * to.slots; slot < min(2*bucket+2, to.buckets)*to.slots; slot++ {
			to.put(history, to.at(slot), 0)
		}
		for _, e := range entries[:from.slots] {
			if e.fingerprint != 0 {
				f.enter(to, history, e)
			}
		}
	}
}

// query sets seen[i] to whether one of the two buckets of candidates[i] holds its
// key. All slots of a bucket are compared in one word: the difference of a key,
// and a key's worth of ones, reach the bit behind it wherever they differ.
func (f *Filter) query(t *table, history []byte, candidates []strategies.ID, seen []bool) {
	seen = seen[:len(candidates)]
	m, fingerprints := uint64(f.Buckets), f.fingerprints
	bucketBits, shift := uint64(t.slots)*uint64(t.bits), t.shift&63
	low, above := uint64(1)<<shift-1, (t.key-t.shift)&63
	firsts, keys, behind := t.firsts, t.keys, t.behind
	for i, id := range candidates {
		// What of, other and encode say.
		product := mix.Mix(uint64(id)) * bloom.Multiplier
		bucket := product >> 32 * m >> 32
		fingerprint := uint64(uint32(product))*fingerprints>>32 + 1
		other := fingerprint*fingerprint*bloom.Multiplier>>32*(m/2)>>32*2 + 1 - bucket
		other += m & uint64(int64(other)>>63)

		at := bucket >> shift * bucketBits
		word := binary.LittleEndian.Uint64(history[at>>3:]) >> (at & 7)
		differ := (word^(fingerprint|bucket&low<<above)*firsts)&keys + keys
		at = other >> shift * bucketBits
		word = binary.LittleEndian.Uint64(history[at>>3:]) >> (at & 7)
		differ &= (word^(fingerprint|other&low<<above)*firsts)&keys + keys
		seen[i] = differ&behind != behind
	}
}

// queryStash adds to seen what lies in the stash.
func (f *Filter) queryStash(t *table, history []byte, candidates []strategies.ID, seen []bool) {
	for _, e := range f.inStash(t, history) {
		other := f.other(e).bucket
		for i, id := range candidates {
			if c := f.of(id); c.fingerprint == e.fingerprint && (c.bucket == e.bucket || c.bucket == other) {
				seen[i] = true
			}
		}
	}
}
