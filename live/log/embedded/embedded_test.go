package embedded

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"dejavu/live/log"
)

const partitions = 4

var all = map[int]log.Offset{0: 0, 1: 0, 2: 0, 3: 0}

func openAt(t testing.TB, path string) *Log {
	t.Helper()
	l, err := Open(path, partitions)
	if err != nil {
		t.Fatal(err)
	}
	l.Sync(false)
	t.Cleanup(func() { l.Close() })
	return l
}

// A process has the file to itself.
func TestLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	openAt(t, path)
	defer func(d time.Duration) { lockTimeout = d }(lockTimeout)
	lockTimeout = 10 * time.Millisecond
	if _, err := Open(path, partitions); err == nil || !strings.Contains(err.Error(), "another process has it open") {
		t.Errorf("the second open: %v", err)
	}
}

// Trimming keeps what is not before its offset, and the newest batch: with it the offsets to come, across a restart.
func TestTrimKeepsNumbers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	var last log.Offset
	for round := range 4 {
		l := openAt(t, path)
		for i := range 600 {
			at, ticket, err := l.Append(0, []byte("record"))
			if err != nil || at <= last {
				t.Fatalf("round %d: offset %d after %d, %v", round, at, last, err)
			}
			last = at
			if i%100 == 99 {
				if err := ticket.Wait(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, before := range []log.Offset{last - 3<<placeBits, last + 1} {
			for p := range partitions {
				if err := l.Trim(t.Context(), p, before); err != nil {
					t.Fatal(err)
				}
			}
			ignore := func(int, log.Offset, []byte) error { return nil }
			if _, err := l.Read(t.Context(), map[int]log.Offset{0: before}, ignore); err != nil {
				t.Errorf("round %d: what a trim is to leave: %v", round, err)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// When the disk fails, nobody is told that a record is durable, and nothing is appended behind what is missing.
func TestFails(t *testing.T) {
	l := openAt(t, filepath.Join(t.TempDir(), "log"))
	l.db.Close() // as good as a disk that fails
	_, ticket, err := l.Append(0, []byte("lost"))
	if err != nil {
		t.Fatal(err)
	}
	if err := ticket.Wait(t.Context()); !errors.Is(err, berrors.ErrDatabaseNotOpen) {
		t.Errorf("a record is durable with %v", err)
	}
	if _, _, err := l.Append(0, []byte("behind")); err == nil || l.Err() == nil {
		t.Error("a record is appended behind one that was lost")
	}
}

// The log may be read to its end, and not from a place in the batch to come: the record before it is lost.
func TestShort(t *testing.T) {
	l := openAt(t, filepath.Join(t.TempDir(), "log"))
	for place, want := range []error{nil, log.ErrShort} {
		from := map[int]log.Offset{0: log.Offset(1<<placeBits | place)}
		if _, err := l.Read(t.Context(), from, nil); !errors.Is(err, want) {
			t.Errorf("from place %d: %v, want %v", place, err, want)
		}
	}
}

// A byte that changed on the disk is found.
func TestDamaged(t *testing.T) {
	l := openAt(t, filepath.Join(t.TempDir(), "log"))
	_, ticket, err := l.Append(0, []byte("a record of some bytes"))
	if err != nil || ticket.Wait(t.Context()) != nil {
		t.Fatal(err)
	}
	err = l.db.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket(batches)
		_, v := b.Cursor().First()
		v = append([]byte(nil), v...)
		v[9] ^= 1
		return b.Put(keyOf(1), v)
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Read(t.Context(), all, func(int, log.Offset, []byte) error { return nil }); err == nil ||
		!strings.Contains(err.Error(), "batch 1 of 28 bytes is damaged: the checksum is not its own") {
		t.Errorf("a batch with another byte: %v", err)
	}
}

// A batch is read record by record, and one that is damaged says where.
func TestBatch(t *testing.T) {
	for _, c := range []struct {
		name  string
		bytes []byte
		want  string // the records of partitions 0 to 3, or the error
	}{
		{"two", []byte{0, 0, 0, 0, 1, 2, 'a', 'b', 3, 1, 'c'}, "1:0:ab 3:1:c "},
		{"another partition's", []byte{0, 0, 0, 0, 9, 1, 'a', 3, 1, 'c'}, "3:1:c "},
		{"an empty record", []byte{0, 0, 0, 0, 2, 0}, "2:0: "},
		{"none", []byte{0, 0, 0, 0}, ""},
		{"cut in the checksum", []byte{0, 0, 0}, "no checksum"},
		{"cut after the partition", []byte{0, 0, 0, 0, 1, 1, 'a', 2}, "no record at 1 bytes before its end"},
		{"cut in the partition", []byte{0, 0, 0, 0, 0x80}, "no record at 1 bytes before its end"},
		{"cut in the length", []byte{0, 0, 0, 0, 1, 0x80}, "no record at 2 bytes before its end"},
		{"cut in the record", []byte{0, 0, 0, 0, 1, 3, 'a', 'b'}, "no record at 4 bytes before its end"},
		{"too many partitions", []byte{0, 0, 0, 0, 0x80, 0x80, 0x80, 0x80, 8, 0}, "no record at 6 bytes before its end"},
	} {
		if len(c.bytes) >= 4 {
			c.bytes = sealed(c.bytes)
		}
		got := ""
		err := readBatch(7, c.bytes, all, func(p int, at log.Offset, record []byte) error {
			got += fmt.Sprintf("%d:%d:%s ", p, at-7<<placeBits, record)
			return nil
		})
		if err != nil {
			got = err.Error()
		}
		if got != c.want && !(err != nil && strings.HasPrefix(got, "batch 7 of ") &&
			strings.HasSuffix(got, "is damaged: "+c.want)) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// No bytes make a batch's decoder panic or read beyond them.
func FuzzBatch(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 1, 3, 'a', 'b', 'c'})
	f.Add([]byte{0, 0, 0, 0, 1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) >= 4 { // so that the checksum does not stop them all
			b = sealed(b)
		}
		_ = readBatch(1, b, all, func(_ int, at log.Offset, record []byte) error {
			if at>>placeBits != 1 || len(record) > len(b) {
				return fmt.Errorf("offset %d, %d bytes", at, len(record))
			}
			return nil
		})
	})
}
