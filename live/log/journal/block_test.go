package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"dejavu/live/log"
	"dejavu/strategies/strategytest"
)

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
