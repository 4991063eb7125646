package journal

import (
	"bytes"
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
//	head    8 magic, 8 number of the block before, 8 its checksum, 8 checksum
//	blocks  8 checksum of the block before, 8 number, 8 length of the records, 8 checksum of those three,
//	        the records (each a varint of its partition, one of its length, and itself), 8 checksum of all before
const (
	segmentMagic = "dejavu\x00\x02"
	segmentHead  = 32
	headBytes    = 32 // of a block before its records
	sumBytes     = 8
)

var (
	le         = binary.LittleEndian
	errDamaged = errors.New("damaged") // what is not as it was written
)

// A link is a place in the chain: the number of a block, and its checksum.
type link struct{ Last, Chain uint64 }

// part encodes magic, data and their checksum: a head, or a mark.
func part(magic string, what any) []byte {
	b, _ := binary.Append([]byte(magic), le, what) // fails for other types only
	return le.AppendUint64(b, xxhash.Sum64(b))
}

// isPart decodes b into what, and reports whether b is a valid part.
func isPart(b []byte, magic string, what any) bool {
	_, err := binary.Decode(b[len(magic):], le, what)
	return err == nil && string(part(magic, what)) == string(b)
}

// seal turns room for a head, followed by records, into the next block of the chain.
func (c *link) seal(b []byte) []byte {
	le.PutUint64(b, c.Chain)
	le.PutUint64(b[8:], c.Last+1)
	le.PutUint64(b[16:], uint64(len(b)-headBytes))
	le.PutUint64(b[24:], xxhash.Sum64(b[:24]))
	*c = link{c.Last + 1, xxhash.Sum64(b)}
	return le.AppendUint64(b, c.Chain)
}

// A segment is read block by block. A block is trusted only after its checks.
type segment struct {
	link // of the block read last; at first, the one before the segment
	name string
	b    []byte
	at   int // of the next block
}

func (s *segment) damaged(format string, args ...any) error {
	what := fmt.Sprintf(format, args...)
	return fmt.Errorf("%s is %w at byte %d, block %d: %s", s.name, errDamaged, s.at, s.Last+1, what)
}

// load reads the segment of a first block.
func (l *Log) load(first uint64) (*segment, error) {
	path := segmentPath(l.folder, first)
	s := &segment{name: filepath.Base(path), at: segmentHead}
	var err error
	s.b, err = os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s is missing", errDamaged, s.name)
	}
	if err != nil {
		return nil, err
	}
	if len(s.b) < segmentHead || !isPart(s.b[:segmentHead], segmentMagic, &s.link) || s.Last+1 != first {
		return nil, fmt.Errorf("%s is %w: bad header", s.name, errDamaged)
	}
	return s, nil
}

// next reads the next block. It returns io.EOF after a whole block followed by nothing or by zeros, which are no head.
func (s *segment) next() (records []byte, err error) {
	rest := s.b[s.at:]
	number, length, ok := parseHead(rest)
	switch {
	case !ok && len(bytes.TrimLeft(rest, "\x00")) == 0:
		return nil, io.EOF
	case !ok:
		return nil, s.damaged("no block header here")
	case number != s.Last+1 || le.Uint64(rest) != s.Chain:
		return nil, s.damaged("block %d does not follow the one before it", number)
	case length > uint64(len(rest)-headBytes) || len(rest)-headBytes-int(length) < sumBytes:
		return nil, s.damaged("its %d bytes reach beyond the end", length)
	}
	end := headBytes + int(length)
	sum := xxhash.Sum64(rest[:end])
	if le.Uint64(rest[end:]) != sum {
		return nil, s.damaged("checksum mismatch")
	}
	s.link, s.at = link{number, sum}, s.at+end+sumBytes
	return rest[headBytes:end], nil
}

// parseHead returns a block's number and length if b is a valid head.
func parseHead(b []byte) (number, length uint64, ok bool) {
	if len(b) < headBytes || xxhash.Sum64(b[:24]) != le.Uint64(b[24:]) {
		return 0, 0, false
	}
	return le.Uint64(b[8:]), le.Uint64(b[16:]), true
}

// readRecords reads the records of a block.
func readRecords(n uint64, rest []byte, each log.Each) error {
	for place := uint64(0); len(rest) > 0; place++ {
		p, a := binary.Uvarint(rest)
		size, b := uint64(0), 0
		if a > 0 {
			size, b = binary.Uvarint(rest[a:])
		}
		if a <= 0 || b <= 0 || size > uint64(len(rest)-a-b) || p > 1<<31-1 {
			return fmt.Errorf("block %d: no record stands %d bytes before its end", n, len(rest))
		}
		record := rest[a+b:][:size]
		rest = rest[a+b+int(size):]
		if err := each(int(p), log.Offset(n<<placeBits|place), record); err != nil {
			return err
		}
	}
	return nil
}
