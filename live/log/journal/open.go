package journal

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"dejavu/internal/atomicfile"
	"dejavu/live/log"
)

// A mark is what the log reached. Its file has two places for it, which are written in turn: one of them is always whole.
//
//	8 magic, 8 block before the first that there ever was, 8 last block, 8 its checksum, 8 checksum of all before
type mark struct {
	Before uint64
	link
}

const (
	markName  = "mark"
	markMagic = "dejavu\x00\x03"
	markBytes = 40
	markEvery = 4096 // bytes from one place to the other: they share no page
)

func (m *mark) bytes() []byte {
	b, _ := binary.Append([]byte(markMagic), le, m) // fails for other types only
	return le.AppendUint64(b, xxhash.Sum64(b))
}

func (m *mark) write(f io.WriterAt) error {
	_, err := f.WriteAt(m.bytes(), int64(m.Last&1)*markEvery)
	return err
}

// read reads the later of the two places, and says how many of them are whole.
func (m *mark) read(f io.ReaderAt) (whole int, err error) {
	for place := range int64(2) {
		var b [markBytes]byte
		if _, err := f.ReadAt(b[:], place*markEvery); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		var one mark
		_, _ = binary.Decode(b[len(markMagic):], le, &one) // as above
		if !bytes.Equal(one.bytes(), b[:]) {
			continue
		}
		if whole++; whole == 1 || one.Last > m.Last {
			*m = one
		}
	}
	return whole, nil
}

// Exists says whether there is a log in the folder, or what is left of one.
func Exists(folder string) (bool, error) {
	segments, err := list(folder)
	_, none := os.Stat(filepath.Join(folder, markName))
	return len(segments) > 0 || none == nil, err
}

// list lists the first blocks of the segments that lie in a folder.
func list(folder string) (segments []uint64, err error) {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if info, is := os.Stat(folder); is == nil && !info.IsDir() {
		return nil, fmt.Errorf("log %s is a file, as earlier versions had it: stop the version that wrote it gracefully, "+
			"so that it writes snapshots (snapshots.on_stop), move the file away and start with --new-log", folder)
	}
	if err != nil {
		return nil, fmt.Errorf("log: %w", err)
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".segment")
		if n, err := strconv.ParseUint(name, 16, 64); ok && err == nil && len(name) == 16 {
			segments = append(segments, n)
		}
	}
	return segments, nil // os.ReadDir has sorted them
}

// Begin makes a log in a folder that has none. The offsets of its records are behind one that histories reach to already.
func Begin(folder string, behind log.Offset) error {
	if err := atomicfile.MakeFolder(folder); err != nil {
		return fmt.Errorf("log: %w", err)
	}
	before := uint64(behind) >> placeBits
	m := mark{before, link{Last: before}}
	err := atomicfile.Replace(context.Background(), filepath.Join(folder, markName), 0o600, func(w io.Writer) error {
		b := append(m.bytes(), make([]byte, markEvery-markBytes)...)
		_, err := w.Write(append(b, b...))
		return err
	})
	if err != nil {
		return fmt.Errorf("log: %w", err)
	}
	return nil
}

// OpenOrBegin opens the log in a folder, and makes one where there is none.
func OpenOrBegin(folder string, partitions int) (*Log, error) {
	there, err := Exists(folder)
	if err == nil && !there {
		err = Begin(folder, 0)
	}
	if err != nil {
		return nil, err
	}
	return Open(folder, partitions)
}

// Open opens the log in a folder, of so many partitions.
func Open(folder string, partitions int) (_ *Log, err error) {
	l := &Log{
		folder: folder, age: segmentAge, trimmed: make([]uint64, partitions),
		wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
	if l.segments, err = list(folder); err != nil {
		return nil, err
	}
	path := filepath.Join(folder, markName)
	l.mark, err = os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("log: %s is missing; %s", path, advice(folder))
	}
	if err != nil {
		return nil, fmt.Errorf("log: %w", err)
	}
	defer func() {
		if err != nil {
			_ = l.mark.Close()
		}
	}()
	if err := atomicfile.Lock(l.mark); err != nil {
		return nil, fmt.Errorf("log %s: another process has it open: %s %w", folder, markName, err)
	}
	whole, err := l.places.read(l.mark)
	switch {
	case err != nil:
		return nil, fmt.Errorf("log: %s: %w", path, err)
	case whole == 0:
		return nil, fmt.Errorf("log: %s is damaged, in both places; %s", path, advice(folder))
	case whole == 1:
		l.note("%s is damaged in one of two places, the other serves", path)
	}
	if m := &l.places; len(l.segments) == 0 && m.Last == m.Before { // nothing was ever written
		if err := l.create(m.link, true); err != nil {
			return nil, fmt.Errorf("log: %w", err)
		}
		_ = l.file.Close() // findEnd opens it
	}
	if len(l.segments) == 0 {
		return nil, fmt.Errorf("log: %s has no segment, and blocks to %d by its mark; %s", folder, l.places.Last, advice(folder))
	}
	if err := l.findEnd(); err != nil {
		return nil, err
	}
	oldest, err := l.open(l.segments[0], -1)
	if err != nil {
		return nil, errors.Join(err, l.file.Close())
	}
	l.first = oldest.first
	_ = oldest.Close()
	l.filling = &batch{number: l.places.Last + 1}
	go l.write()
	return l, nil
}

func (l *Log) note(format string, args ...any) {
	l.Mended = append(l.Mended, fmt.Sprintf(format, args...))
}

// findEnd reads the newest segment, holds it to the mark, and cuts off what was not finished.
func (l *Log) findEnd() error {
	s, err := l.open(l.segments[len(l.segments)-1], -1)
	if err != nil {
		return err
	}
	defer s.Close()
	marked, began := l.places.link, s.at // of the last block
	for {
		if s.Last == marked.Last && s.Chain != marked.Chain {
			return s.damaged(fmt.Sprintf("the checksum of the block before is not that of the %s beside it", markName))
		}
		at := s.at
		if err = s.next(); err != nil {
			break
		}
		began = at
	}
	if !errors.Is(err, io.EOF) && (!errors.Is(err, errDamaged) || s.Last < marked.Last) {
		return err
	}
	if s.Last < marked.Last {
		return s.damaged(fmt.Sprintf("it ends here, and by the %s beside it has blocks to %d", markName, marked.Last))
	}
	path := s.file.Name()
	f, err2 := os.OpenFile(path, os.O_RDWR, 0)
	if err2 == nil && errors.Is(err, errDamaged) {
		err2 = l.cut(f, s, err)
	}
	if err2 == nil && s.Last > marked.Last {
		// Memory may have it and the disk not, where its sync failed: only what is written again is sure to be synced.
		_, err2 = f.WriteAt(s.records, began)
		err2 = errors.Join(err2, f.Sync())
	}
	if err2 != nil {
		return fmt.Errorf("log: %s: %w", path, errors.Join(err2, f.Close()))
	}
	l.file, l.size = f, s.at
	if s.at > segmentHead {
		l.begun = time.Now()
	}
	l.places.link, l.end = s.link, position{s.Last, s.at}
	return nil
}

// cut cuts off a block that was not finished. Only the last one can be such: with one behind it, it is damaged.
func (l *Log) cut(f *os.File, s *segment, damage error) error {
	rest, err := io.ReadAll(io.NewSectionReader(f, s.at, 1<<62))
	if err != nil {
		return err
	}
	for i := 1; i+headBytes <= len(rest); i++ {
		if number, _, ok := parseHead(rest[i:]); ok && number > s.Last+1 {
			return fmt.Errorf("block %d stands behind what is damaged: %w", number, damage)
		}
	}
	l.note("%s: %d bytes behind block %d are cut off, a commit that was not finished", f.Name(), len(rest), s.Last)
	return errors.Join(f.Truncate(s.at), f.Sync())
}

// roll begins a new segment.
func (l *Log) roll() error {
	old := l.file
	if !l.lazy {
		if err := l.mark.Sync(); err != nil {
			return err
		}
	}
	return errors.Join(l.create(l.places.link, false), old.Close())
}

// create makes the segment behind a block.
func (l *Log) create(behind link, first bool) error {
	path := segmentPath(l.folder, behind.Last+1)
	err := atomicfile.Replace(context.Background(), path, 0o600, func(w io.Writer) error {
		_, err := w.Write(headOf(behind, first))
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	l.file, l.size, l.begun = f, segmentHead, time.Time{}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.segments = append(slices.Clip(l.segments), behind.Last+1)
	l.end = position{behind.Last, l.size}
	return nil
}
