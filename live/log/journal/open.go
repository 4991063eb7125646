package journal

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"dejavu/internal/atomicfile"
	"dejavu/live/log"
)

// A mark says how far the log reaches. Its file has two places for it, written in turn, so that one is always whole.
//
//	8 magic, 8 block before the first that there ever was, 8 last block, 8 its checksum, 8 checksum of all before
type mark struct {
	Before  uint64
	Reached link
}

const (
	markName  = "mark"
	markMagic = "dejavu\x00\x03"
	markBytes = 40
	markEvery = 4096 // bytes from one place to the other: they share no page

	identityName = "identity" // of the file with the log's identity, in hex
)

func (m *mark) write(f io.WriterAt) error {
	_, err := f.WriteAt(part(markMagic, m), int64(m.Reached.Last&1)*markEvery)
	return err
}

// read reads the later of the two places, and returns how many are whole.
func (m *mark) read(f io.ReaderAt) (whole int, err error) {
	for place := range int64(2) {
		var b [markBytes]byte
		var one mark
		if _, err := f.ReadAt(b[:], place*markEvery); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if isPart(b[:], markMagic, &one) {
			whole++
			if whole == 1 || one.Reached.Last > m.Reached.Last {
				*m = one
			}
		}
	}
	return whole, nil
}

// A Found says what Find found in a folder.
type Found struct {
	There    bool         // a log, or what is left of one
	Written  bool         // it has blocks, or had some
	Identity log.Identity // zero: none, as in a log of a version that gave none
}

// Find looks at the log in a folder, and changes nothing.
func Find(folder string) (found Found, err error) {
	segments, err := list(folder)
	if err != nil {
		return found, err
	}
	var m mark
	if f, none := os.Open(filepath.Join(folder, markName)); none == nil {
		defer f.Close()
		found.There = true
		whole, err := m.read(f)
		found.Written = whole == 0 || err != nil || m.Reached.Last != m.Before // Open says what is damaged
	}
	for _, first := range segments {
		info, err := os.Stat(segmentPath(folder, first))
		found.There = true
		found.Written = found.Written || err != nil || info.Size() > segmentHead
	}
	if found.Identity, err = readIdentity(folder); err != nil {
		err = (&Log{folder: folder}).explained(err)
	}
	return found, err
}

// readIdentity returns the identity of a folder's log, zero if there is none.
func readIdentity(folder string) (log.Identity, error) {
	b, err := os.ReadFile(filepath.Join(folder, identityName))
	if errors.Is(err, fs.ErrNotExist) {
		return log.Identity{}, nil
	}
	i, ok := log.ParseIdentity(string(bytes.TrimSpace(b)))
	if err == nil && !ok {
		err = fmt.Errorf("%s is %w: want 32 digits in hex", identityName, errDamaged)
	}
	return i, err
}

// identify gives a log an identity, if it has none.
func identify(folder string) (i log.Identity, err error) {
	if i, err = readIdentity(folder); err == nil && i == (log.Identity{}) {
		_, _ = rand.Read(i[:]) // never fails
		err = atomicfile.Write(filepath.Join(folder, identityName), fmt.Appendln(nil, i))
	}
	return i, err
}

// list lists the first blocks of the segments that lie in a folder.
func list(folder string) (segments []uint64, err error) {
	entries, err := os.ReadDir(folder) // sorted
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("log: %w", err)
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".segment")
		if n, err := strconv.ParseUint(name, 16, 64); ok && err == nil && len(name) == 16 {
			segments = append(segments, n)
		}
	}
	return segments, nil
}

// Begin makes a log in a folder that has none. Its offsets begin behind the one that the histories reach.
func Begin(folder string, behind log.Offset) error {
	before := uint64(behind) >> placeBits
	b := append(part(markMagic, mark{before, link{Last: before}}), make([]byte, markEvery-markBytes)...)
	err := atomicfile.MakeFolder(folder)
	if err == nil {
		err = atomicfile.Write(filepath.Join(folder, markName), append(b, b...))
	}
	if err != nil {
		return fmt.Errorf("log: %w", err)
	}
	return nil
}

// Open opens the log of these partitions in a folder.
func Open(folder string, partitions int) (*Log, error) {
	l := &Log{
		folder: folder, age: segmentAge, trimmed: make([]uint64, partitions),
		wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
	if err := l.open(); err != nil {
		_, _ = l.mark.Close(), l.file.Close() // of nil, too
		return nil, l.explained(err)
	}
	l.filling = &batch{number: l.places.Reached.Last + 1}
	if l.size == l.room { // a start on a full disk says so
		if err := l.reserve(); err != nil {
			l.stalled = fmt.Errorf("%w: %w", log.ErrStalled, l.explained(err))
		}
	}
	go l.write()
	return l, nil
}

func (l *Log) open() (err error) {
	if l.segments, err = list(l.folder); err != nil {
		return err
	}
	l.mark, err = os.OpenFile(filepath.Join(l.folder, markName), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s is missing", errDamaged, markName)
	}
	if err != nil {
		return err
	}
	if err := atomicfile.Lock(l.mark); err != nil {
		return fmt.Errorf("another process has it open: %s %w", markName, err)
	}
	if l.Identity, err = identify(l.folder); err != nil {
		return err
	}
	m := &l.places
	switch whole, err := m.read(l.mark); {
	case err != nil:
		return err
	case whole == 0:
		return fmt.Errorf("%s is %w, in both places", markName, errDamaged)
	case whole == 1:
		l.note("%s is damaged in one of two places, the other serves", markName)
	}
	if len(l.segments) > 0 {
		return l.findEnd()
	}
	if m.Reached.Last == m.Before { // nothing was ever written
		return l.create()
	}
	return fmt.Errorf("%w: there is no segment, and by its %s it has blocks to %d", errDamaged, markName, m.Reached.Last)
}

func (l *Log) note(format string, args ...any) {
	l.Mended = append(l.Mended, "log "+l.folder+": "+fmt.Sprintf(format, args...))
}

// findEnd reads the newest segment, compares it with the mark, and cuts off what was not finished.
func (l *Log) findEnd() error {
	s, err := l.load(l.segments[len(l.segments)-1])
	if err != nil {
		return err
	}
	marked, began := l.places.Reached, s.at // of the last block
	for {
		if s.Last == marked.Last && s.link != marked {
			return s.damaged("the checksum of the block before differs from the %s's", markName)
		}
		at := s.at
		if _, err = s.next(); err != nil {
			break
		}
		began = at
	}
	cut := errors.Is(err, errDamaged)
	if s.Last < marked.Last {
		if !cut {
			err = s.damaged("it ends here")
		}
		return fmt.Errorf("%w; by the %s there are blocks to %d", err, markName, marked.Last)
	}
	if cut {
		// Only the last commit can be unfinished: with a block behind it, it is damaged.
		for i := s.at + 1; i+headBytes <= len(s.b); i++ {
			if number, _, ok := parseHead(s.b[i:]); ok && number > s.Last+1 {
				return fmt.Errorf("%w; block %d stands behind it", err, number)
			}
		}
		written := len(bytes.TrimRight(s.b[s.at:], "\x00"))
		l.note("%s: %d bytes behind block %d are cut off, a commit that was not finished", s.name, written, s.Last)
	}
	l.file, err = os.OpenFile(segmentPath(l.folder, l.segments[len(l.segments)-1]), os.O_RDWR, 0)
	if err == nil && (cut || s.Last > marked.Last) {
		// If its sync failed, the last block may be in memory only: what is written again is synced again.
		_, err = l.file.WriteAt(s.b[began:s.at], int64(began))
		err = errors.Join(err, l.file.Truncate(int64(s.at)), l.file.Sync())
		s.b = s.b[:s.at]
	}
	l.size, l.room, l.places.Reached = int64(s.at), int64(len(s.b)), s.link
	if s.at > segmentHead {
		l.begun = time.Now()
	}
	return err
}

// create makes the segment behind the last block.
func (l *Log) create() error {
	reached := l.places.Reached
	path := segmentPath(l.folder, reached.Last+1)
	if err := atomicfile.Write(path, part(segmentMagic, reached)); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.file, l.size, l.room, l.begun = f, segmentHead, segmentHead, time.Time{}
	l.segments = append(l.segments, reached.Last+1)
	return nil
}
