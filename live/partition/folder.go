package partition

import (
	"cmp"
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

	"dejavu/internal/atomicfile"
	"dejavu/live/layout"
	"dejavu/live/log"
)

// A Folder is a folder of snapshots. Its file "partitions" contains what they have in common: the number of partitions
// in the first line, and below it, in any order, lines such as
//
//	log 6ad1c09c4e5c1be5a91d3b5b7ff2f1a3
//	strategy beyond/matrix window 400 fpr 0.02
//
// The file is only appended to. Earlier versions wrote only the number.
type Folder struct {
	Partitions int            // 0 if not recorded
	Logs       []log.Identity // the logs of the snapshots: the last is in use, the others were lost
	Strategy   *layout.Choice // nil if not recorded

	dir   string
	alone bool
	file  *os.File // locked if alone is set
}

// OpenFolder reads what a folder records, and changes nothing. If alone is set, no other process can open it alone
// until Close.
func OpenFolder(dir string, alone bool) (*Folder, error) {
	f := &Folder{dir: dir, alone: alone}
	err := f.open(0)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return f, err
}

func (f *Folder) path() string { return filepath.Join(f.dir, "partitions") }

func (f *Folder) open(flag int) (err error) {
	if f.file != nil {
		return f.read()
	}
	if f.file, err = os.OpenFile(f.path(), os.O_RDWR|flag, 0o600); err != nil {
		f.file = nil
		return fmt.Errorf("snapshots: %w", err)
	}
	if !f.alone {
		defer f.Close()
	} else if err := atomicfile.Lock(f.file); err != nil {
		return fmt.Errorf("snapshots: another process uses %s: give each service a snapshots.folder of its own", f.dir)
	}
	return f.read()
}

func (f *Folder) read() error {
	b, err := io.ReadAll(io.NewSectionReader(f.file, 0, 1<<20))
	if err != nil {
		return fmt.Errorf("snapshots: %w", err)
	}
	f.Partitions, f.Logs, f.Strategy = 0, nil, nil
	for n, line := range strings.Split(strings.TrimSpace(string(b)), "\n") {
		key, value, _ := strings.Cut(line, " ")
		var ok bool
		switch {
		case line == "" && n == 0: // a process was killed before it wrote anything
			ok = true
		case n == 0:
			f.Partitions, err = strconv.Atoi(line)
			ok = err == nil && f.Partitions > 0
		case key == "log":
			var i log.Identity
			i, ok = log.ParseIdentity(value)
			f.Logs = append(f.Logs, i)
		case key == "strategy":
			f.Strategy = &layout.Choice{}
			ok = f.Strategy.Scan(value) == nil
		}
		if !ok {
			return fmt.Errorf("snapshots: %s is damaged in line %d, %.80q: restore log and snapshots from one backup",
				f.path(), n+1, line)
		}
	}
	return nil
}

// Check returns why a service cannot use the folder. A zero identity is not checked.
func (f *Folder) Check(partitions int, i log.Identity) error {
	if f.Partitions != 0 && f.Partitions != partitions {
		return fmt.Errorf("%s says that users are divided into %d partitions, and the configuration says %d: set it to the "+
			"former, restore log and snapshots from one backup, or move them away to begin anew", f.path(), f.Partitions,
			partitions)
	}
	if n := len(f.Logs); n > 0 && i != (log.Identity{}) && f.Logs[n-1] != i {
		return fmt.Errorf("%s says that the snapshots are of log %v, and this log is %v: give each service a "+
			"snapshots.folder of its own, or restore log and snapshots from one backup", f.path(), f.Logs[n-1], i)
	}
	return nil
}

// Claim makes the folder and its file if they are missing, and locks the file if alone is set.
func (f *Folder) Claim() error {
	if err := atomicfile.MakeFolder(f.dir); err != nil {
		return fmt.Errorf("snapshots: %w", err)
	}
	return cmp.Or(f.open(os.O_CREATE), atomicfile.SyncDir(f.dir))
}

// Record writes what is not recorded yet. If anew is set, the recorded log was lost, and i takes its place.
func (f *Folder) Record(partitions int, i log.Identity, strategy layout.Choice, anew bool) (err error) {
	if !f.alone { // other processes may record theirs
		if f.file, err = os.OpenFile(f.path(), os.O_RDWR, 0); err != nil {
			return fmt.Errorf("snapshots: %w", err)
		}
		defer f.Close()
		for try := 0; ; try++ {
			if err = atomicfile.Lock(f.file); err == nil {
				break
			}
			if try == 100 {
				return fmt.Errorf("snapshots: %s: %w", f.path(), err)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	if err := f.read(); err != nil {
		return err
	}
	replaced := anew && !slices.Contains(f.Logs, i)
	if replaced {
		f.Logs = append(f.Logs, i)
	}
	if err := f.Check(partitions, i); err != nil {
		return err
	}
	more := ""
	if f.Partitions == 0 {
		more += fmt.Sprintln(partitions)
	}
	if i != (log.Identity{}) && (replaced || len(f.Logs) == 0) {
		more += fmt.Sprintln("log", i)
	}
	if f.Strategy == nil {
		more += fmt.Sprintln("strategy", strategy)
	}
	if more == "" {
		return nil
	}
	end, err := f.file.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = f.file.WriteAt([]byte(more), end)
	}
	if err = cmp.Or(err, f.file.Sync()); err != nil {
		return fmt.Errorf("snapshots: %w", err)
	}
	return f.read()
}

// Close lets other processes use the folder.
func (f *Folder) Close() {
	if f.file != nil {
		f.file.Close()
		f.file = nil
	}
}

// Reached returns the largest offset in the names of snapshots, or 0. other is a partition whose snapshot has another
// layout or secret, by the check in its header, or -1.
func (f *Folder) Reached(check uint32) (furthest log.Offset, other int, err error) {
	all, err := fs.Glob(os.DirFS(f.dir), "partition-*-????????????????"+suffix)
	other = -1
	for _, name := range all {
		number := strings.TrimSuffix(name, suffix)
		if n, err := strconv.ParseInt(number[len(number)-16:], 16, 64); err == nil {
			furthest = max(furthest, log.Offset(n))
		}
		if h, err := readHeaderOf(filepath.Join(f.dir, name)); err == nil && h.Check != check {
			other = int(h.Number)
		}
	}
	return furthest, other, err
}
