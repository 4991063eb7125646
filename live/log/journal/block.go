package journal

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cespare/xxhash/v2"

	"dejavu/live/log"
)

// A segment is a head and blocks; all numbers of fixed length are little-endian, checksums 64-bit xxHash, seed 0.
//
//	head    8 magic, 8 number of the block before, 8 its checksum, 8 (1: no record was ever before), 8 checksum
//	blocks  8 checksum of the block before, 8 number, 8 length of the records, 8 checksum of those three,
//	        the records (each a varint of its partition, one of its length, and itself), 8 checksum of all before
const (
	magic       = "dejavu\x00\x02"
	segmentHead = 40
	headBytes   = 32 // of a block before its records
	sumBytes    = 8
)

var le = binary.LittleEndian

// A link is a place in the chain: the number of a block, and its checksum.
type link struct{ Last, Chain uint64 }

// A position is an end: the number of the last block, and so many bytes of its segment.
type position struct {
	number uint64
	bytes  int64
}

// seal makes a block of room for a head and of records, which takes the next place in the chain.
func (c *link) seal(b []byte) []byte {
	le.PutUint64(b, c.Chain)
	le.PutUint64(b[8:], c.Last+1)
	le.PutUint64(b[16:], uint64(len(b)-headBytes))
	le.PutUint64(b[24:], xxhash.Sum64(b[:24]))
	sum := xxhash.Sum64(b)
	*c = link{c.Last + 1, sum}
	return le.AppendUint64(b, sum)
}

// advice is what to do where a log cannot be used.
func advice(folder string) string {
	return fmt.Sprintf("restore log and snapshots from one backup, or move the folder %s away and start with --new-log, "+
		"which loses what no snapshot has", folder)
}

// A segment is read block by block, to its end or to so many bytes. What it says is believed when it was checked.
type segment struct {
	link         // of the block read last; before the first that of the block before the segment
	first   bool // no record was ever before
	file    *os.File
	in      *bufio.Reader
	at      int64 // of the next block
	left    int64 // bytes from there on
	records []byte
	folder  string
}

// errDamaged is what is not as it was written.
var errDamaged = errors.New("damaged")

func (s *segment) damaged(what string) error {
	return fmt.Errorf("log: %s is %w at byte %d, block %d: %s; %s", s.file.Name(), errDamaged, s.at, s.Last+1, what,
		advice(s.folder))
}

// open opens the segment of a first block, of which most bytes count; -1: all.
func (l *Log) open(first uint64, most int64) (*segment, error) {
	path := segmentPath(l.folder, first)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("log: %s is missing; %s", path, advice(l.folder))
	}
	if err != nil {
		return nil, fmt.Errorf("log: %w", err)
	}
	s := &segment{file: f, folder: l.folder, link: link{Last: first - 1}}
	info, err := f.Stat()
	if err == nil {
		s.left = info.Size()
		if most >= 0 {
			s.left = min(s.left, most)
		}
		s.in = bufio.NewReaderSize(f, 1<<20)
		err = s.readHead()
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return s, nil
}

// Close closes the file.
func (s *segment) Close() error { return s.file.Close() }

func headOf(before link, first bool) []byte {
	b := le.AppendUint64(le.AppendUint64([]byte(magic), before.Last), before.Chain)
	if first {
		b = le.AppendUint64(b, 1)
	} else {
		b = le.AppendUint64(b, 0)
	}
	return le.AppendUint64(b, xxhash.Sum64(b))
}

func (s *segment) readHead() error {
	var b [segmentHead]byte
	if _, err := io.ReadFull(s.in, b[:]); err != nil {
		return s.damaged("it has no whole head")
	}
	before := link{le.Uint64(b[8:]), le.Uint64(b[16:])}
	first := le.Uint64(b[24:]) == 1
	if string(headOf(before, first)) != string(b[:]) || before.Last != s.Last {
		return s.damaged("its head is not that of " + filepath.Base(s.file.Name()))
	}
	s.link, s.first, s.at, s.left = before, first, segmentHead, s.left-segmentHead
	return nil
}

// next reads the next block. Its records are valid until the next call. io.EOF is an end after a whole block.
func (s *segment) next() error {
	var head [headBytes]byte
	switch n, err := io.ReadFull(s.in, head[:min(headBytes, s.left)]); {
	case err != nil:
		return fmt.Errorf("log: %s at byte %d: %w", s.file.Name(), s.at, err)
	case n == 0:
		return io.EOF
	}
	number, length, ok := parseHead(head[:min(headBytes, s.left)])
	switch {
	case !ok:
		return s.damaged("no head of a block stands here")
	case number != s.Last+1 || le.Uint64(head[:]) != s.Chain:
		return s.damaged(fmt.Sprintf("here stands a block %d that does not follow the one before it", number))
	case length > uint64(s.left)-headBytes || uint64(s.left)-headBytes-length < sumBytes:
		return s.damaged(fmt.Sprintf("its %d bytes go on behind the end", length))
	}
	whole := headBytes + int(length) + sumBytes
	if cap(s.records) < whole {
		s.records = make([]byte, whole)
	}
	b := s.records[:whole]
	copy(b, head[:])
	if _, err := io.ReadFull(s.in, b[headBytes:]); err != nil {
		return fmt.Errorf("log: %s at byte %d: %w", s.file.Name(), s.at, err)
	}
	sum := le.Uint64(b[whole-sumBytes:])
	if xxhash.Sum64(b[:whole-sumBytes]) != sum {
		return s.damaged("the checksum is not its own")
	}
	s.records, s.link = b, link{number, sum}
	s.at, s.left = s.at+int64(whole), s.left-int64(whole)
	return nil
}

// parseHead is what a block's head says, if it is one. The checksum tells its length from damage.
func parseHead(b []byte) (number, length uint64, ok bool) {
	if len(b) < headBytes || xxhash.Sum64(b[:24]) != le.Uint64(b[24:]) {
		return 0, 0, false
	}
	return le.Uint64(b[8:]), le.Uint64(b[16:]), true
}

// readAll hands over the records of all blocks.
func (s *segment) readAll(ctx context.Context, each func(records []byte) error) error {
	for {
		err := s.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if err := each(s.records[headBytes : len(s.records)-sumBytes]); err != nil {
			return fmt.Errorf("log: %s: block %d: %w", s.file.Name(), s.Last, err)
		}
	}
}

// readRecords reads the records of a block.
func readRecords(n uint64, records []byte, each log.Each) error {
	rest := records
	for place := uint64(0); len(rest) > 0; place++ {
		p, a := binary.Uvarint(rest)
		size, b := uint64(0), 0
		if a > 0 {
			size, b = binary.Uvarint(rest[a:])
		}
		if a <= 0 || b <= 0 || size > uint64(len(rest)-a-b) || p > 1<<31-1 {
			return fmt.Errorf("no record stands %d bytes before its end", len(rest))
		}
		record := rest[a+b:][:size]
		rest = rest[a+b+int(size):]
		if err := each(int(p), log.Offset(n<<placeBits|place), record); err != nil {
			return err
		}
	}
	return nil
}
