package store_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// small returns a snapshot of three shards, with histories of all lengths and users without one, and a configuration
// to load it.
func small(tb testing.TB) ([]byte, store.Config) {
	c := store.Config{Unsalted: true, Strategy: ladder{stride: 8}, Users: 15, Shards: 3}
	s := mustNew(tb, c)
	for u := range c.Users {
		for id := range u {
			s.Record(u, store.Timestamp(u), []strategies.ID{strategies.ID(id + 1)})
		}
	}
	return written(tb, s, 0), c
}

// refused fails unless loading is refused, as damaged or of another version.
func refused(t *testing.T, data []byte, c store.Config, what string, at int) {
	t.Helper()
	s, _, err := loaded(data, c)
	if s != nil || !errors.Is(err, store.ErrDamaged) && !errors.Is(err, store.ErrMismatch) {
		t.Fatalf("%s at byte %d of %d: a store %v, %v, want none and an error that says so", what, at, len(data), s != nil,
			err)
	}
}

// Any changed byte is noticed, even without Validate, so by the format itself.
func TestEveryByteCounts(t *testing.T) {
	if testing.Short() {
		t.Skip("many loads")
	}
	data, c := small(t)
	for _, trust := range []bool{false, true} {
		c.TrustSnapshots = trust
		for at := range data {
			was := data[at]
			for bit := range 8 {
				data[at] = was ^ 1<<bit
				refused(t, data, c, "a flipped bit", at)
			}
			if data[at] = ^was; !trust {
				refused(t, data, c, "the opposite", at)
			}
			data[at] = was
		}
	}
	s, _, err := loaded(data, c)
	if err != nil {
		t.Fatalf("undamaged: %v", err)
	}
	s.Clear()
}

// So is every wrong length, a byte too many or too few inside, and any two blocks that are swapped, or of which one is
// missing or repeated.
func TestEveryLengthCounts(t *testing.T) {
	data, c := small(t)
	c.TrustSnapshots = true
	for at := range data {
		refused(t, data[:at], c, "the end", at)
		refused(t, append(bytes.Clone(data[:at]), data[at+1:]...), c, "a byte gone", at)
		refused(t, append(bytes.Clone(data[:at+1]), data[at:]...), c, "a byte twice", at)
	}
	refused(t, append(bytes.Clone(data), 0), c, "a byte more", len(data))
	refused(t, append(bytes.Clone(data), data...), c, "a snapshot more", len(data))
	parts := partsOf(data)
	if len(parts) < 8 {
		t.Fatalf("%d parts, want more", len(parts))
	}
	for i := 1; i < len(parts)-1; i++ {
		gone := append(append([][]byte(nil), parts[:i]...), parts[i+1:]...)
		refused(t, bytes.Join(gone, nil), c, "a block gone", i)
		twice := append(append([][]byte(nil), parts[:i+1]...), parts[i:]...)
		refused(t, bytes.Join(twice, nil), c, "a block twice", i)
		for j := i + 1; j < len(parts)-1; j++ {
			swapped := append([][]byte(nil), parts...)
			swapped[i], swapped[j] = parts[j], parts[i]
			refused(t, bytes.Join(swapped, nil), c, "blocks swapped", i)
		}
	}
}

// partsOf splits a sound snapshot into its header, blocks and end; of another, it returns the sound parts, and the
// rest.
func partsOf(data []byte) (parts [][]byte) {
	cut := func(n uint64) bool {
		if n > uint64(len(data)) {
			return false
		}
		parts, data = append(parts, data[:n:n]), data[n:]
		return true
	}
	number := func(at int) uint64 { return uint64(binary.LittleEndian.Uint32(data[at:])) }
	if len(data) >= 56 && cut(56+number(24)+number(48)+4*number(28)+8) {
		for len(data) >= 16 && string(data[:4]) == "HIST" && cut(16+number(12)*(12+number(8))+8) {
		}
	}
	if len(data) > 0 {
		parts = append(parts, data)
	}
	return parts
}

// sealed returns the snapshot with correct checksums and totals, as far as its parts are sound: no checksum shows its
// faults then.
func sealed(data []byte) []byte {
	data = bytes.Clone(data)
	le := binary.LittleEndian
	var sums []byte
	var histories, payload uint64
	for _, part := range partsOf(data) {
		if len(part) == 40 && string(part[:4]) == "END." {
			le.PutUint64(part[8:], histories)
			le.PutUint64(part[16:], payload)
			le.PutUint64(part[24:], xxhash.Sum64(sums))
		}
		if len(part) < 24 {
			break
		}
		if string(part[:4]) == "HIST" {
			histories += uint64(le.Uint32(part[12:]))
			payload += uint64(le.Uint32(part[12:])) * uint64(le.Uint32(part[8:]))
		}
		body := part[:len(part)-8]
		le.PutUint64(part[len(body):], xxhash.Sum64(body))
		sums = append(sums, part[len(body):]...)
	}
	return data
}

// Faults under correct checksums, by a faulty writer, are reported with block, byte and reason.
func TestForgedSnapshots(t *testing.T) {
	data, c := small(t)
	if !bytes.Equal(sealed(data), data) {
		t.Fatal("sealing changes a sound snapshot")
	}
	var blocks []int // where they begin
	at := 0
	for _, part := range partsOf(data) {
		if string(part[:4]) == "HIST" {
			blocks = append(blocks, at)
		}
		at += len(part)
	}
	le := binary.LittleEndian
	second := blocks[1]
	forged := func(name string, forge func([]byte), want string) {
		t.Helper()
		copied := bytes.Clone(data)
		forge(copied)
		s, _, err := loaded(sealed(copied), c)
		if s != nil || !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "at byte ") {
			t.Errorf("%s: a store %v, %v, want %q and where", name, s != nil, err, want)
		}
	}
	forged("no such user", func(b []byte) { le.PutUint32(b[second+16:], 15) }, "history of user 15, want 0 to 14")
	forged("a user twice", func(b []byte) { copy(b[second+16:second+24], b[blocks[0]+16:]) }, "has two histories")
	forged("an invalid history", func(b []byte) { b[second+28] = 0 }, "ladder: 0 articles")
	forged("no histories", func(b []byte) { le.PutUint32(b[second+12:], 0) },
		"0 histories of 68 bytes, want 1 to 13107")
	forged("too many", func(b []byte) { le.PutUint32(b[second+12:], 1<<31) }, "2147483648 histories of 68 bytes, want")
	forged("a strange length", func(b []byte) { le.PutUint32(b[second+8:], 21) },
		"histories of 21 bytes, want one of [12 20")
	forged("a huge length", func(b []byte) { le.PutUint32(b[second+8:], 1<<32-1) }, "histories of 4294967295 bytes")
	forged("a strange mark", func(b []byte) { b[second] = 'h' }, `it begins with "hIST"`)
	damaged := func(at int, to uint32, want string) {
		t.Helper()
		copied := bytes.Clone(data)
		le.PutUint32(copied[at:], to)
		_, _, err := loaded(sealed(copied), c)
		if !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), want) {
			t.Errorf("header with %d at byte %d: %v, want %q", to, at, err, want)
		}
	}
	damaged(12, 0, "0 users")
	damaged(12, 1<<31, "2147483648 users")
	damaged(24, 0, "a description of 0 bytes")
	damaged(24, 1<<30, "a description of 1073741824 bytes")
	damaged(28, 0, "0 lengths")
	damaged(28, 1<<14-1, "header: damaged: it ends at byte") // the highest count is read
	damaged(28, 1<<30, "1073741824 lengths")
	damaged(24, 1025, "a description of 1025 bytes")
	damaged(28, 1<<14, "16384 lengths")
	damaged(32, 3, "known by 3")
	damaged(32, 1, "15 users")
	damaged(36, 2, "salted by 2")
	damaged(48, 0, "a strategy of 0,")
	damaged(48, 1<<16+1, "a strategy of 65537,")
	damaged(52, 2, "and 2 where 0 belongs")
	damaged(56, 0xffffffff, "want valid UTF-8")
	damaged(56+len(about), 0xffffffff, "want valid UTF-8")
	sizes := 56 + len(about) + len("store_test.ladder")
	damaged(sizes, 0, "Sizes[0] is 0 bytes")
	damaged(sizes+4, 1<<31, "Sizes[1] is 67108865 bytes") // the first that is too long stands for all
}

// Of several damaged blocks the first is named, for any number of readers.
func TestFirstDamageIsNamed(t *testing.T) {
	c := store.Config{Unsalted: true, Strategy: ladder{stride: 1500}, Users: 1500, Shards: 16}
	data := written(t, lived(t, c), 0)
	parts := partsOf(data)
	offset := 0
	for i, part := range parts {
		if i > 20 && i < len(parts)-1 {
			part[34] ^= 1 // parts are the data's own memory
		}
		if i <= 20 {
			offset += len(part)
		}
	}
	for range 10 {
		if _, _, err := loaded(data, c); err == nil || !strings.Contains(err.Error(), "block 21, at byte ") {
			t.Fatalf("%v, want block 21", err)
		}
	}
}

// A length is checked before memory is reserved, and a store that fails to load gives its memory back.
func TestNoRunawayMemory(t *testing.T) {
	data, c := small(t)
	long := bytes.Clone(data)
	binary.LittleEndian.PutUint32(long[28:], 16383) // lengths, and then the file ends
	block := len(partsOf(data)[0])
	most := bytes.Clone(data)
	binary.LittleEndian.PutUint32(most[block+12:], 13107)
	for name, data := range map[string][]byte{"cut": data[:100], "sizes": long, "count": most} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		strategytest.ErrorSays(t, fmt.Sprintf("%s: no error", name), strategytest.ErrorOf(loaded(data, c)), "before its end")
		runtime.ReadMemStats(&after)
		strategytest.AtMost(t, after.TotalAlloc-before.TotalAlloc, 4<<20,
			"%s: bytes of memory for a snapshot of %d", name, len(data))
	}
}

// jumpy panics where the Validate of other strategies returns an error.
type jumpy struct{ ladder }

func (jumpy) Validate(h []byte) error { panic("jumpy: index out of range") }

func TestValidatePanics(t *testing.T) {
	data, c := small(t)
	c.Strategy, c.Extends = jumpy{ladder{stride: 8}}, c.Strategy
	if _, _, err := loaded(data, c); err == nil || !strings.Contains(err.Error(), "block 1, at byte") ||
		!strings.Contains(err.Error(), "jumpy: index") {
		t.Errorf("a Validate that panics gives the error %v", err)
	}
	c.TrustSnapshots = true
	s, _, err := loaded(data, c)
	if err != nil {
		t.Fatalf("trusted: %v", err)
	}
	s.Clear()
}

// Arbitrary bytes are refused or loaded, and what was loaded is whole: it can be written and comes back. With
// seal the checksums are right, so that fuzzing gets behind them.
func FuzzReadSnapshot(f *testing.F) {
	data, c := small(f)
	for _, seal := range []bool{false, true} {
		f.Add(data, seal)
		f.Add(data[:len(data)-1], seal)
		f.Add(data[:70], seal)
		f.Add([]byte{}, seal)
	}
	f.Fuzz(func(t *testing.T, data []byte, seal bool) {
		if seal {
			data = sealed(data)
		}
		s, snapshot, err := loaded(data, c)
		if err != nil {
			if s != nil || !errors.Is(err, store.ErrDamaged) && !errors.Is(err, store.ErrMismatch) {
				t.Errorf("a store %v, %v, want none, and damaged or a mismatch", s != nil, err)
			}
			return
		}
		defer s.Clear()
		if st := s.Stats(); st.Users != snapshot.Histories || st.Payload != snapshot.Payload ||
			snapshot.Bytes != int64(len(data)) {
			t.Errorf("%+v of %d bytes loaded, the store holds %+v", snapshot, len(data), st)
		}
		again, _, err := loaded(written(t, s, 0), c)
		strategytest.Must(t, err)
		defer again.Clear()
		same(t, s, again, c.Users, 0)
	})
}
