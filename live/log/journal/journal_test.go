package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"dejavu/live/log"
	"dejavu/strategies/strategytest"
)

const partitions = 4

func init() { ahead = 100 }

var all = map[int]log.Offset{0: 0, 1: 0, 2: 0, 3: 0}

// openOrBegin opens the log in a folder, or makes one if there is none.
func openOrBegin(folder string) (*Log, error) {
	found, err := Find(folder)
	if err == nil && !found.There {
		err = Begin(folder, 0)
	}
	if err != nil {
		return nil, err
	}
	return Open(folder, partitions)
}

func openAt(t testing.TB, folder string) *Log {
	t.Helper()
	l := strategytest.Value(openOrBegin(folder))
	l.Sync(false)
	t.Cleanup(func() { l.Close() })
	return l
}

// put appends records, each a commit of its own.
func put(t testing.TB, l *Log, records ...string) (last log.Offset) {
	t.Helper()
	for _, r := range records {
		at, ticket, err := l.Append(0, []byte(r))
		strategytest.Must(t, err)
		strategytest.Must(t, ticket.Wait(t.Context()))
		last = at
	}
	return last
}

func ignore(int, log.Offset, []byte) error { return nil }

// readAt opens a log as another process does, and joins its records.
func readAt(folder string) (got string, mended []string, err error) {
	l, err := Open(folder, partitions)
	if err != nil {
		return "", nil, err
	}
	if b, err := os.ReadFile(l.file.Name()); err != nil || len(bytes.TrimLeft(b[l.size:], "\x00")) > 0 {
		return "bytes that are left behind the end", nil, err
	}
	_, err = l.Read(context.Background(), all, func(_ int, _ log.Offset, record []byte) error {
		got += string(record) + " "
		return nil
	})
	return got, l.Mended, errors.Join(err, l.Close())
}

// Trimming removes unneeded segments, and keeps the offsets to come, across a restart.
func TestTrimKeepsNumbers(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "log")
	var last log.Offset
	for round := range 4 {
		l := openAt(t, folder)
		l.age = 0 // a segment a commit
		for range 5 {
			before := last
			last = put(t, l, "record")
			strategytest.AtLeast(t, last, before+1, "offset in round %d", round)
		}
		for _, before := range []log.Offset{last - 3<<placeBits, last + 1} {
			for p := range partitions {
				strategytest.Must(t, l.Trim(t.Context(), p, before))
			}
			strategytest.Value(l.Read(t.Context(), map[int]log.Offset{0: before}, ignore))
			trimmed := strategytest.ErrorOf(l.Read(t.Context(), all, ignore))
			strategytest.ErrorSays(t, "what was trimmed", trimmed, log.ErrGone.Error())
			segments := len(strategytest.Value(list(folder)))
			strategytest.Equal(t, segments, max(int(last-before)>>placeBits, 0)+1, "segments in round %d", round)
		}
		strategytest.Must(t, l.Close())
	}
}

// A Read ends where the log ended when it began, despite later appends.
func TestReadEnds(t *testing.T) {
	l := openAt(t, filepath.Join(t.TempDir(), "log"))
	l.age = 0
	put(t, l, "a", "b")
	l.age = time.Hour
	got := ""
	strategytest.Value(l.Read(t.Context(), all, func(_ int, _ log.Offset, record []byte) error {
		if got += string(record); got == "a" {
			put(t, l, "c") // behind b, in the segment that is read next
		}
		return nil
	}))
	strategytest.Equal(t, got, "ab", "what is read")
}

// A log begun again continues the histories' offsets. A process has it to itself. Reading from behind its end fails.
func TestBegin(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "log")
	found := func(there, written bool) {
		t.Helper()
		got := strategytest.Value(Find(folder))
		strategytest.Equal(t, [2]bool{got.There, got.Written}, [2]bool{there, written}, "a log is there, and written to")
	}
	found(false, false)
	strategytest.Must(t, Begin(folder, 7<<placeBits|3))
	found(true, false)
	mark := filepath.Join(folder, markName)
	b := strategytest.Value(os.ReadFile(mark))
	strategytest.Must(t, os.WriteFile(mark, nil, 0o600))
	found(true, true) // for all that is known
	strategytest.Must(t, os.WriteFile(mark, b, 0o600))
	l := openAt(t, folder)
	strategytest.ErrorSays(t, "again", strategytest.ErrorOf(Open(folder, partitions)), "another process has it open")
	large := strategytest.ErrorOf(l.Append(0, make([]byte, maxRecord+1)))
	strategytest.ErrorSays(t, "a large record", large, "of 268435457 bytes, want at most 268435456")
	strategytest.Equal(t, put(t, l, "a"), 8<<placeBits, "the first offset, of block 8")
	for place, want := range []string{"", "the log ends before"} {
		from := map[int]log.Offset{0: log.Offset(9<<placeBits | place)}
		strategytest.ErrorSays(t, "from behind the end", strategytest.ErrorOf(l.Read(t.Context(), from, nil)), want)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	strategytest.Equal(t, strategytest.ErrorOf(l.Read(over, all, ignore)) != nil, true, "a Read that is given up fails")
	l.Close()
	found(true, true)
	got, _, err := readAt(folder)
	strategytest.Must(t, err)
	strategytest.Equal(t, got, "a ", "what is read")
	l = strategytest.Value(Open(folder, 0))
	strategytest.ErrorSays(t, "no partition", strategytest.ErrorOf(l.Read(t.Context(), all, ignore)), "of partition 0")
	const nowhere = "/dev/null/log"
	for what, err := range map[string]error{
		"find": strategytest.ErrorOf(Find(nowhere)), "begin": Begin(nowhere, 0),
		"open": strategytest.ErrorOf(Open(nowhere, 1)),
	} {
		strategytest.ErrorSays(t, what, err, "log: ")
	}
}

// An unfinished block is cut off, with a notice. One that the mark covers, or with a block behind it, was acknowledged.
func TestTails(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(blocks []byte, starts []int) []byte
		marked int    // the last block by the mark
		want   string // the records, or the error
		mended int
	}{
		{"the mark is behind", func(b []byte, _ []int) []byte { return b }, 1, "a b c ", 0},
		{"cut in the records", func(b []byte, at []int) []byte { return b[:len(b)-9] }, 2, "a b ", 1},
		{"zeros", func(b []byte, at []int) []byte { clear(b[at[2]:]); return b }, 2, "a b ", 0},
		{"zeros in front", func(b []byte, at []int) []byte { clear(b[at[2] : at[2]+headBytes]); return b }, 2, "a b ", 1},
		{"zeros and one", func(b []byte, _ []int) []byte { return append(b, 0, 0, 0, 1) }, 3, "a b c ", 1},
		{"zeros and a block", func(b []byte, at []int) []byte {
			return append(append(b[:at[2]:at[2]], make([]byte, 99)...), sealed(link{3, 0}, "d")...)
		}, 2, "block 4 stands behind", 0},
		{"a flip", func(b []byte, at []int) []byte { b[len(b)-9] ^= 1; return b }, 2, "a b ", 1},
		{"more than a block", func(b []byte, _ []int) []byte { return append(b, make([]byte, 99)...) }, 3, "a b c ", 0},
		{"a flip, known", func(b []byte, at []int) []byte { b[len(b)-9] ^= 1; return b }, 3, "checksum mismatch", 0},
		{"cut between", func(b []byte, at []int) []byte { return b[:at[2]] }, 3, "there are blocks to 3", 0},
		{"another's", func(b []byte, at []int) []byte {
			copy(b[at[1]:], sealed(link{1, 7}, "b"))
			return b
		}, 3, "not follow", 0},
		{"another end", func(b []byte, at []int) []byte {
			return append(b[:at[2]], sealed(link{2, le.Uint64(b[at[2]-sumBytes:])}, "d")...)
		}, 3, "differs from the mark's", 0},
		{"followed by a head alone", func(b []byte, at []int) []byte {
			clear(b[at[1] : at[1]+9])
			return b[:at[2]+headBytes]
		}, 1, "block 3 stands behind", 0},
		{"twice", func(b []byte, at []int) []byte { return append(b, b[at[2]:]...) }, 4, "does not follow the one before", 0},
	} {
		l := openAt(t, t.TempDir())
		var ends []int
		for _, record := range []string{"", "a", "b", "c"} {
			if record != "" {
				put(t, l, record)
			}
			ends = append(ends, int(l.size))
		}
		l.Close()
		path := segmentPath(l.folder, 1)
		b, err := os.ReadFile(path)
		var places [2][]byte // of the mark, the later of which counts
		for last := c.marked - 1; last <= c.marked; last++ {
			m := mark{Reached: link{Last: uint64(last)}}
			if 0 < last && last < len(ends) {
				m.Reached.Chain = le.Uint64(b[ends[last]-sumBytes:])
			}
			places[last&1] = part(markMagic, m)
		}
		both := bytes.Join(places[:], make([]byte, markEvery-markBytes))
		strategytest.Must(t, err, os.WriteFile(path, c.change(b, ends), 0o600),
			os.WriteFile(filepath.Join(l.folder, markName), both, 0o600))
		got, mended, err := readAt(l.folder)
		if err != nil {
			for _, want := range []string{c.want, filepath.Base(path), "restore"} {
				strategytest.ErrorSays(t, c.name, err, want)
			}
			continue
		}
		strategytest.Equal(t, fmt.Sprint(got, len(mended)), fmt.Sprint(c.want, c.mended), "%s: read, and mended", c.name)
		again, mended, err := readAt(l.folder)
		strategytest.Equal(t, fmt.Sprint(again, len(mended), err), fmt.Sprint(got, 0, nil), "%s, again", c.name)
	}
}

// Blocks are written over zeros. A killed process leaves them, the next continues with them, a segment ends without.
func TestZeros(t *testing.T) {
	folder, copied := filepath.Join(t.TempDir(), "log"), filepath.Join(t.TempDir(), "log")
	l := openAt(t, folder)
	sizes := func(folder string) (sizes string) {
		for _, first := range []uint64{1, 4} {
			if b, err := os.ReadFile(segmentPath(folder, first)); err == nil {
				sizes += fmt.Sprint(len(b), " ")
			}
		}
		return sizes
	}
	block := len(sealed(link{}, "a"))
	put(t, l, "a", "b")
	m := &l.Meter
	counts := [4]int64{m.Commits.Load(), m.Records.Load(), m.Bytes.Load(), min(m.Nanos.Load(), 1)}
	strategytest.Equal(t, counts, [4]int64{2, 2, int64(2 * block), 1}, "commits, records, bytes, and some time")
	strategytest.Equal(t, sizes(folder), fmt.Sprint(segmentHead+ahead, " "), "lengths")
	strategytest.Must(t, os.CopyFS(copied, os.DirFS(folder)))
	again := openAt(t, copied)
	put(t, again, "c")
	again.age = 0
	put(t, again, "d")
	again.Close()
	strategytest.Equal(t, sizes(copied), fmt.Sprint(segmentHead+3*block, " ", segmentHead+block, " "), "lengths")
	strategytest.Equal(t, fmt.Sprintln(readAt(copied)), "a b c d  [] <nil>\n", "read, and mended")
	// A torn commit's remains are no room: zeros follow the next block.
	path := segmentPath(copied, 4)
	torn := append(strategytest.Value(os.ReadFile(path)), bytes.Repeat([]byte{1}, 200)...)
	strategytest.Must(t, os.WriteFile(path, torn, 0o600))
	again = openAt(t, copied)
	put(t, again, "e")
	strategytest.Equal(t, sizes(copied), fmt.Sprint(segmentHead+3*block, " ", segmentHead+block+ahead, " "), "lengths")
}

// A segment ends when it is large enough; one that lost blocks since the log was opened is found by Read.
func TestLarge(t *testing.T) {
	l := openAt(t, filepath.Join(t.TempDir(), "log"))
	strategytest.Equal(t, fmt.Sprint(l.age, segmentBytes), "1m0s 67108864", "what a segment takes")
	put(t, l, "a")
	l.mu.Lock()
	l.size = segmentBytes
	l.mu.Unlock()
	at := put(t, l, "b", "c")
	strategytest.EqualSlices(t, l.segments, []uint64{1, uint64(at)>>placeBits - 1}, "segments")
	b := strategytest.Value(os.ReadFile(l.mark.Name()))
	for place, want := range []uint64{2, 3} {
		strategytest.Equal(t, le.Uint64(b[place*markEvery+16:]), want, "block in place %d of the mark", place)
	}
	strategytest.Must(t, os.Truncate(l.file.Name(), l.size/2))
	strategytest.ErrorSays(t, "cut", strategytest.ErrorOf(l.Read(t.Context(), all, ignore)), errDamaged.Error())
	strategytest.Must(t, os.Truncate(l.file.Name(), segmentHead))
	strategytest.ErrorSays(t, "without blocks", strategytest.ErrorOf(l.Read(t.Context(), all, ignore)), "want block 3")
	strategytest.Must(t, os.Remove(l.file.Name()))
	strategytest.ErrorSays(t, "without a file", strategytest.ErrorOf(l.Read(t.Context(), all, ignore)), "is missing")
	strategytest.Must(t, os.Remove(segmentPath(l.folder, 1)))
	for p, want := range []string{"", "", "", "trim: remove "} { // when all have trimmed it
		strategytest.ErrorSays(t, "without the first file", l.Trim(t.Context(), p, at+1), want)
	}
}

// The bytes of a segment of two blocks, and of a mark, as python's xxhash and struct make them from the comments.
func TestFormat(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "log")
	strategytest.Must(t, Begin(folder, 0))
	l := openAt(t, folder)
	put(t, l, "a", "bc")
	strategytest.Must(t, l.Close())
	got := fmt.Sprintf("%x", strategytest.Value(os.ReadFile(segmentPath(folder, 1))))
	b := strategytest.Value(os.ReadFile(filepath.Join(folder, "mark")))
	got += fmt.Sprintf("\n%x %d", b[:40], len(b))
	const want = "64656a61767500020000000000000000" + "00000000000000001657603a41f6fb1d" + // head
		"00000000000000000100000000000000" + "0300000000000000719e0541da26575b" + "0001611d63d4f6028e1f9c" +
		"1d63d4f6028e1f9c0200000000000000" + "040000000000000017e2853701223f7c" + "00026263ce179edbb9b02538" +
		"\n64656a6176750003000000000000000002000000000000" + "00ce179edbb9b02538033d36cb848e1319 8192"
	strategytest.Equal(t, got, want, "segment and mark")
}

// sealed returns a block of one record of partition 0.
func sealed(behind link, record string) []byte {
	return behind.seal(append(append(make([]byte, headBytes), 0, byte(len(record))), record...))
}

// No bytes make the decoders panic or read beyond them.
func FuzzSegment(f *testing.F) {
	segment := append(part(segmentMagic, link{}), sealed(link{}, "abc")...)
	f.Add(segment, []byte{1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1})
	f.Fuzz(func(t *testing.T, b, records []byte) {
		l := &Log{folder: t.TempDir()}
		strategytest.Must(t, os.WriteFile(segmentPath(l.folder, 1), b, 0o600))
		if s, err := l.load(1); err == nil {
			for err == nil {
				_, err = s.next()
			}
			strategytest.AtMost(t, s.at, len(b), "bytes that are read")
		}
		_ = readRecords(1, records, func(_ int, at log.Offset, record []byte) error {
			if at>>placeBits != 1 || len(record) > len(records) {
				return fmt.Errorf("offset %d, %d bytes", at, len(record))
			}
			return nil
		})
	})
}
