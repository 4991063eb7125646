package store_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"dejavu/internal/golden"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// lived returns a store whose readers recorded now and then, some never, some longer ago than a day before endOfLife.
func lived(tb testing.TB, c store.Config) *store.Store[int] {
	tb.Helper()
	s := mustNew(tb, c)
	rng := rand.New(rand.NewPCG(4, 4))
	for range 3 * c.Users {
		shown := make([]strategies.ID, 1+rng.IntN(9))
		for i := range shown {
			shown[i] = strategies.ID(1 + rng.IntN(1000))
		}
		s.Record(rng.IntN(c.Users), store.Timestamp(rng.IntN(int(endOfLife))), shown)
	}
	return s
}

const (
	endOfLife store.Timestamp = 3 * store.Day
	about                     = "ladder, stride 8; IDs are small numbers"
)

func written(tb testing.TB, s *store.Store[int], now store.Timestamp) []byte {
	tb.Helper()
	var b bytes.Buffer
	snapshot := strategytest.Value(s.WriteSnapshot(context.Background(), &b, about, now, nil))
	if snapshot.Bytes != int64(b.Len()) {
		tb.Fatalf("WriteSnapshot says %d bytes, and wrote %d", snapshot.Bytes, b.Len())
	}
	return b.Bytes()
}

// same fails if the stores differ in histories or times; expired ones of the first do not count.
func same(tb testing.TB, before, after *store.Store[int], users int, now store.Timestamp) {
	tb.Helper()
	for u := range users {
		want := before.History(u, now, nil)
		wantAt, wantOK := before.Last(u)
		got := after.History(u, 0, nil)
		at, ok := after.Last(u)
		if !bytes.Equal(got, want) || at != wantAt && ok || ok != wantOK {
			tb.Fatalf("user %d: history %v of %d, %v, want %v of %d, %v", u, got, at, ok, want, wantAt, wantOK)
		}
	}
	check(tb, after)
}

// Histories come back for any numbers of shards; expired ones do not, and Idle is the new store's.
func TestSnapshot(t *testing.T) {
	for _, stride := range []int{8, 1500, 70_000} { // 70,000: a block holds one, a run few
		c := store.Config{Unsalted: true, Strategy: ladder{stride: stride}, Users: 700, Idle: store.Day, Shards: 3}
		if stride == 70_000 {
			c.Users = 40
		}
		s := lived(t, c)
		stats := s.Stats()
		data := written(t, s, endOfLife)
		if after := s.Stats(); after.Users != stats.Users {
			t.Errorf("writing a snapshot dropped %d histories", stats.Users-after.Users)
		}
		for i, shards := range []int{1, 3, 17} {
			into := c
			into.Shards, into.Users, into.Idle = shards, c.Users+50*i, 0
			got, snapshot, err := loaded(data, into)
			strategytest.Must(t, err)
			same(t, s, got, c.Users, endOfLife)
			now := s.Stats() // same dropped what had expired
			if snapshot.Histories != now.Users || snapshot.Payload != now.Payload || got.Stats().Users != now.Users {
				t.Errorf("%+v loaded, want %+v", snapshot, now)
			}
			if now.Users == stats.Users || now.Users == 0 {
				t.Errorf("%d of %d histories have expired, the test is to see some", stats.Users-now.Users, stats.Users)
			}
			if snapshot.About != about || snapshot.Users != c.Users || snapshot.Idle != c.Idle ||
				snapshot.Now != endOfLife || fmt.Sprint(snapshot.Sizes) != fmt.Sprint(c.Strategy.Sizes()) ||
				snapshot.Bytes != int64(len(data)) {
				t.Errorf("the snapshot says of itself %+v", snapshot)
			}
			got.Clear()
		}
	}
}

// A store at rest is written the same by any number of processors, and neither writing nor reading changes that
// number.
func TestSnapshotIsDeterministic(t *testing.T) {
	c := store.Config{Unsalted: true, Strategy: ladder{stride: 1500}, Users: 900, Shards: 40}
	s := lived(t, c)
	want := written(t, s, 0)
	for _, procs := range []int{1, 2, 7} {
		was := runtime.GOMAXPROCS(procs)
		got := written(t, s, 0)
		_, _, err := loaded(got, c)
		left := runtime.GOMAXPROCS(was)
		if !bytes.Equal(got, want) || err != nil || left != procs {
			t.Errorf("%d processors write another snapshot, or do not read it (%v), or are %d afterwards", procs, err, left)
		}
	}
}

// A store that is closed or cleared while a snapshot is written gives an error, or the whole of it if all was copied
// before. After Close there is no snapshot, and the file at the path is the old one.
func TestSnapshotIsWholeOrAnError(t *testing.T) {
	c := store.Config{Unsalted: true, Strategy: ladder{stride: 8}, Users: 600, Shards: 12}
	path := filepath.Join(t.TempDir(), "histories")
	for _, closes := range []bool{true, false} {
		for at := 0; ; at++ { // writes of the header, of shards, and of the end
			s := lived(t, c)
			was := strategytest.Value(s.Save(t.Context(), path, about, 0))
			end := s.Clear
			if closes {
				end = s.Close
			}
			w := ending{io.Discard, at, end}
			snapshot, err := s.WriteSnapshot(t.Context(), &w, about, 0, nil)
			if w.at >= 0 {
				break // there are no more writes
			}
			if whole := snapshot.Histories == was.Histories; whole != (err == nil) || whole && at == 0 {
				t.Fatalf("ended after %d writes: %d of %d histories, %v", at, snapshot.Histories, was.Histories, err)
			}
			left := 0 // a cleared store can be saved as it is
			if _, err = s.Save(t.Context(), path, about, 0); closes {
				left = was.Histories
				strategytest.ErrorSays(t, "Save after Close", err, "the store is closed: save before Close")
			}
			_, now, err := store.Open[int](t.Context(), path, c, about)
			strategytest.Must(t, err)
			strategytest.Equal(t, now.Histories, left, "ended after %d writes: then the file has histories", at)
		}
	}
}

// An ending writer calls end before its write number at.
type ending struct {
	io.Writer
	at  int
	end func()
}

func (e *ending) Write(b []byte) (int, error) {
	if e.at--; e.at == -1 {
		e.end()
	}
	return e.Writer.Write(b)
}

// Blocks of any number of histories, up to the most of four bytes, are written as the format says, and read.
func TestBlockCounts(t *testing.T) {
	t.Run("keys", func(t *testing.T) { blockCounts(t, 0, func(n int) int { return n*65521 - 1 }) })
	t.Run("numbered", func(t *testing.T) { blockCounts(t, 65536, func(n int) int { return n }) })
}

func blockCounts(t *testing.T, numbered int, name func(int) int) {
	c := store.Config{Unsalted: true, Strategy: climb{4}, Shards: 1, Users: numbered}
	s, users := mustNew(t, c), 0
	for _, count := range []int{1, 127, 128, 255, 256, 257, 32767, 32768, 65535, 65536, 65537} {
		if numbered > 0 && count > numbered {
			break
		}
		for ; users < count; users++ {
			history := binary.LittleEndian.AppendUint32(nil, uint32(users)*0x9e3779b1)
			strategytest.Must(t, s.Put(name(users), store.Timestamp(users), history))
		}
		data := written(t, s, 1<<30)
		var counts []int
		for _, part := range partsOf(data) {
			if string(part[:4]) == "HIST" {
				counts = append(counts, int(binary.LittleEndian.Uint32(part[12:])))
			}
		}
		want := []int{count}
		if count == 65537 { // a MiB is 65,536 of 8 bytes of user, 4 of time and 4 of history
			want = []int{65536, 1}
		}
		strategytest.EqualSlices(t, counts, want, "the blocks of %d users have", count)
		again, _, err := loaded(data, c)
		strategytest.Must(t, err)
		for user := range users {
			history := again.History(name(user), 0, nil)
			if at, _ := again.Last(name(user)); at != store.Timestamp(user) ||
				len(history) != 4 || binary.LittleEndian.Uint32(history) != uint32(user)*0x9e3779b1 {
				t.Fatalf("user %d of %d has %x of %d", user, count, history, at)
			}
		}
		again.Clear()
	}
}

// TestSnapshotLayout pins the format: others have it on disk. The bytes were taken from the program once and
// read against the comment of Snapshot; the checksums agree with the xxhsum program.
func TestSnapshotLayout(t *testing.T) {
	s := mustNew(t, store.Config{Unsalted: true, Strategy: climb{3, 5}, Users: 6, Idle: 0x1234, Shards: 2})
	s.Record(5, 0x11, []strategies.ID{0x2221})
	s.Record(3, 0x13, []strategies.ID{0x2423})
	s.Record(3, 0x14, []strategies.ID{0x2625})
	s.Record(4, 0x15, []strategies.ID{0x2827})
	s.Record(1, 0x16, []strategies.ID{0x2a29})
	golden.File(t, "snapshot.hex", hex.Dump(written(t, s, 0x1000)))
}

// A snapshot with other parameters is refused, and both are named.
func TestSnapshotMismatch(t *testing.T) {
	c := store.Config{Unsalted: true, Strategy: ladder{stride: 8}, Users: 40}
	data := written(t, lived(t, c), 0)
	with := func(change func(*store.Config)) store.Config {
		other := c
		change(&other)
		return other
	}
	newer := bytes.Clone(data)
	newer[8] = 5
	most := bytes.Clone(data)
	binary.LittleEndian.PutUint32(most[12:], 1<<31-1)
	most = sealed(most)
	many := make(climb, 100)
	for i := range many {
		many[i] = 1000 + i
	}
	mismatch := func(name, about string, data []byte, c store.Config, phrases ...string) {
		t.Helper()
		s, _, err := store.ReadSnapshot[int](t.Context(), bytes.NewReader(data), c, about)
		if s != nil || !errors.Is(err, store.ErrMismatch) || errors.Is(err, store.ErrDamaged) {
			t.Errorf("%s: a store %v, %v, want none and ErrMismatch", name, s != nil, err)
			return
		}
		for _, want := range phrases {
			strategytest.ErrorSays(t, name, err, want)
		}
	}
	mismatch("about", "another", data, c, about, `want "another"`)
	mismatch("sizes", about, data, with(func(c *store.Config) { c.Strategy = ladder{stride: 9} }),
		"have lengths [12 20 36 68 132], the strategy's Sizes are [13 22 40 76 148]")
	mismatch("many sizes", about, data, with(func(c *store.Config) { c.Strategy, c.Extends = many, c.Strategy }),
		"Sizes are [1000 1001", "1011 ... 1099], 100 in all")
	mismatch("users", about, data, with(func(c *store.Config) { c.Users = 39 }), "of 40 users, want at most the 39")
	mismatch("as many users as can be", about, most, c, "of 2147483647 users, want at most the 40")
	mismatch("salts", about, data, with(func(c *store.Config) { c.Unsalted = false }), "salted: false, want true")
	mismatch("version", about, newer, c, "format version is 5, want 3 to 4")
	longer := with(func(c *store.Config) { c.Strategy = append(climb{2}, append(c.Strategy.Sizes(), 1000)...) })
	mismatch("strategy", about, data, longer,
		"of the strategy store_test.ladder, want store_test.climb (Config.Strategy, or one that it continues as "+
			"Config.Extends)")
	longer.Extends = c.Strategy // and more lengths than the snapshot has are no mismatch
	s, _, err := loaded(data, longer)
	if err != nil {
		t.Fatalf("with more lengths: %v", err)
	}
	s.Clear()
}

func TestSnapshotArguments(t *testing.T) {
	c := store.Config{Unsalted: true, Strategy: ladder{stride: 8}, Users: 4}
	s := mustNew(t, c)
	for _, about := range []string{"", strings.Repeat("x", 1025), "\xff"} {
		_, err := s.WriteSnapshot(t.Context(), io.Discard, about, 0, nil)
		strategytest.ErrorSays(t, fmt.Sprintf("WriteSnapshot about %.10q", about), err, "want 1 to 1024 of valid UTF-8")
		strategytest.ErrorSays(t, fmt.Sprintf("ReadSnapshot about %.10q", about),
			strategytest.ErrorOf(store.ReadSnapshot[int](t.Context(), strings.NewReader(""), c, about)), "want 1 to 1024")
	}
	longest := strings.Repeat("x", 1024)
	var b bytes.Buffer
	strategytest.ErrorSays(t, "WriteSnapshot about as much as there can be",
		strategytest.ErrorOf(s.WriteSnapshot(t.Context(), &b, longest, 0, nil)), "")
	strategytest.ErrorSays(t, "ReadSnapshot about as much as there can be",
		strategytest.ErrorOf(store.ReadSnapshot[int](t.Context(), &b, c, longest)), "")
	c.Users = 0
	strategytest.ErrorSays(t, "ReadSnapshot for keys", strategytest.ErrorOf(loaded(written(t, s, 0), c)),
		"by number, want integer")
}

// full is a writer on a disk with that many bytes left.
type full int

var errFull = errors.New("the disk is full")

func (f *full) Write(b []byte) (int, error) {
	if n := int(*f); len(b) > n {
		*f = 0
		return n, errFull
	}
	*f -= full(len(b))
	return len(b), nil
}

// cut is a reader whose disk fails after data.
type cut struct{ data []byte }

func (c *cut) Read(b []byte) (int, error) {
	n := copy(b, c.data)
	if c.data = c.data[n:]; n == 0 {
		return 0, errFull
	}
	return n, nil
}

func TestSnapshotWriterAndReaderFail(t *testing.T) {
	c := store.Config{Unsalted: true, Strategy: ladder{stride: 8}, Users: 200, Shards: 4}
	s := lived(t, c)
	data := written(t, s, 0)
	for n := 0; n < len(data); n += 97 {
		room := full(n)
		if _, err := s.WriteSnapshot(t.Context(), &room, about, 0, nil); !errors.Is(err, errFull) ||
			!strings.Contains(err.Error(), fmt.Sprintf("after %d bytes", n)) {
			t.Fatalf("WriteSnapshot to %d bytes of disk: %v", n, err)
		}
		got, _, err := store.ReadSnapshot[int](t.Context(), &cut{data: data[:n]}, c, about)
		if got != nil || !errors.Is(err, errFull) || errors.Is(err, store.ErrDamaged) {
			t.Fatalf("ReadSnapshot from a disk that fails after %d bytes: a store %v, %v", n, got != nil, err)
		}
	}
	// Nobody knows then whether anything comes after the snapshot.
	if got, _, err := store.ReadSnapshot[int](t.Context(), &cut{data: data}, c, about); got != nil ||
		!errors.Is(err, errFull) || errors.Is(err, store.ErrDamaged) {
		t.Errorf("ReadSnapshot from a disk that fails where the snapshot ends: a store %v, %v", got != nil, err)
	}
}

func TestSaveAndOpen(t *testing.T) {
	c := store.Config{Unsalted: true, Strategy: ladder{stride: 8}, Users: 300}
	path := filepath.Join(t.TempDir(), "histories")
	if _, _, err := store.Open[int](t.Context(), path, c, about); !errors.Is(err, fs.ErrNotExist) ||
		!strings.Contains(err.Error(), path) {
		t.Errorf("Open of nothing: %v", err)
	}
	s := lived(t, c)
	saved := strategytest.Value(s.Save(t.Context(), path, about, 7))
	info, err := os.Stat(path)
	if err != nil || info.Size() != saved.Bytes || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v, want %d bytes, mode 0600", info, err, saved.Bytes)
	}
	got, opened, err := store.Open[int](t.Context(), path, c, about)
	strategytest.Must(t, err)
	defer got.Clear()
	same(t, s, got, c.Users, 7)
	strategytest.Equal(t, fmt.Sprint(opened), fmt.Sprint(saved), "opened")
	strategytest.ErrorSays(t, "Save without a description", strategytest.ErrorOf(s.Save(t.Context(), path, "", 8)), path)
	// A mismatch names the file too.
	strategytest.ErrorSays(t, "Open as another", strategytest.ErrorOf(store.Open[int](t.Context(), path, c, "another")),
		path)
	strategytest.Must(t, os.Truncate(path, saved.Bytes-1))
	if _, _, err := store.Open[int](t.Context(), path, c, about); !errors.Is(err, store.ErrDamaged) ||
		!strings.Contains(err.Error(), path) {
		t.Errorf("Open of a short file: %v", err)
	}
}
