package journal

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"dejavu/live/log"
	"dejavu/strategies/strategytest"
)

// broken lets an open file be the device at a path, until mend is called.
func broken(t testing.TB, f *os.File, device string) (mend func()) {
	t.Helper()
	fd := int(f.Fd())
	own, other := strategytest.Value(syscall.Dup(fd)), strategytest.Value(os.OpenFile(device, os.O_RDWR, 0))
	strategytest.Must(t, syscall.Dup3(int(other.Fd()), fd, 0), other.Close())
	return func() { strategytest.Must(t, syscall.Dup3(own, fd, 0), syscall.Close(own)) }
}

// No record is durable while the disk fails. Then all are written once, in order; Close says if they are lost.
func TestStalls(t *testing.T) {
	const full, null = "/dev/full", "/dev/null" // null can be written to, and not be synced
	for name, fail := range map[string]func(*Log) (mend func()){
		"segment":      func(l *Log) func() { return broken(t, l.file, full) },
		"segment sync": func(l *Log) func() { return broken(t, l.file, null) },
		"mark":         func(l *Log) func() { return broken(t, l.mark, full) },
		"segment to come": func(l *Log) func() {
			l.age = 0
			strategytest.Must(t, os.Rename(l.folder, l.folder+".away"))
			return func() { strategytest.Must(t, os.Rename(l.folder+".away", l.folder)) }
		},
	} {
		for _, recovers := range []bool{true, false} {
			l := openAt(t, filepath.Join(t.TempDir(), "log"))
			l.Sync(true)
			put(t, l, "a")
			mend := fail(l)
			var tickets []*log.Ticket
			for _, record := range []string{"b", "c"} {
				_, ticket, err := l.Append(0, []byte(record))
				strategytest.Must(t, err)
				if err := ticket.Wait(t.Context()); !errors.Is(err, log.ErrStalled) || !errors.Is(l.Err(), log.ErrStalled) {
					t.Fatalf("%s: %s is durable with %v, and Err says %v", name, record, err, l.Err())
				}
				tickets = append(tickets, ticket)
			}
			if recovers {
				mend()
			} else {
				strategytest.ErrorSays(t, name, l.Close(), log.ErrStalled.Error())
				mend()
			}
			for i, ticket := range tickets {
				err := ticket.Wait(t.Context())
				for end := time.Now().Add(10 * time.Second); recovers && err != nil && time.Now().Before(end); {
					time.Sleep(time.Millisecond)
					err = ticket.Wait(t.Context())
				}
				strategytest.Equal(t, err == nil, recovers, "%s: record %d is durable, %v", name, i, err)
			}
			if !recovers {
				continue
			}
			put(t, l, "d")
			strategytest.Must(t, l.Err(), l.Close())
			strategytest.Equal(t, fmt.Sprintln(readAt(l.folder)), "a b c d  [] <nil>\n", "%s: read, and mended", name)
		}
	}
}

// The mark is synced within a second of a commit, or at the end.
func TestMarkIsSynced(t *testing.T) {
	for _, wait := range []time.Duration{0, 10 * time.Second} {
		l := openAt(t, filepath.Join(t.TempDir(), "log"))
		l.Sync(true)
		mend := broken(t, l.mark, "/dev/null")
		put(t, l, "a")
		for end := time.Now().Add(wait); l.Err() == nil && time.Now().Before(end); {
			time.Sleep(10 * time.Millisecond)
		}
		strategytest.Equal(t, l.Err() == nil, wait == 0, "the mark is not synced after %v", wait)
		strategytest.ErrorSays(t, "the end", l.Close(), syscall.EINVAL.Error())
		mend()
	}
}

// A log that is opened on a full disk says so at once, reads what it has, and goes on when there is space.
func TestOpenFull(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skip("left out: a small file system, which needs root: ", err)
	}
	t.Cleanup(func() { strategytest.Must(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	folder, fill := filepath.Join(dir, "log"), filepath.Join(dir, "fill")
	l := openAt(t, folder)
	put(t, l, strings.Repeat("a", 4096-segmentHead-headBytes-4-sumBytes)) // to the end of a page, where nothing has room
	strategytest.Must(t, l.Close())
	strategytest.ErrorSays(t, "the disk", os.WriteFile(fill, make([]byte, 1<<16), 0o600), syscall.ENOSPC.Error())
	l = openAt(t, folder)
	strategytest.ErrorSays(t, "a start on a full disk", l.Err(), log.ErrStalled.Error())
	strategytest.ErrorSays(t, "a start on a full disk", l.Err(), syscall.ENOSPC.Error())
	_, ticket, err := l.Append(0, []byte("b"))
	strategytest.Must(t, err)
	strategytest.ErrorSays(t, "a record on a full disk", ticket.Wait(t.Context()), log.ErrStalled.Error())
	strategytest.Must(t, os.Remove(fill))
	for end := time.Now().Add(10 * time.Second); ticket.Wait(t.Context()) != nil && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	strategytest.Must(t, ticket.Wait(t.Context()), l.Close())
	strategytest.Contains(t, fmt.Sprintln(readAt(folder)), "aa b  [] <nil>\n", "read, and mended")
}

// The system calls by strace: files and blocks are synced before the mark names them, the folder after each removal.
func TestSyncs(t *testing.T) {
	if folder := os.Getenv("JOURNAL_FOLDER"); folder != "" { // the process that is watched
		strategytest.Must(t, Begin(folder, 0))
		l := strategytest.Value(Open(folder, 1))
		l.age = time.Hour
		put(t, l, "a", "b")
		l.age = 0
		last := put(t, l, "c", "d")
		strategytest.Must(t, l.Trim(t.Context(), 0, last), l.Close())
		return
	}
	folder, out := filepath.Join(t.TempDir(), "log"), filepath.Join(t.TempDir(), "calls")
	cmd := exec.Command("strace", "-f", "-y", "-o", out, "-e", "trace=pwrite64,fdatasync,fsync,unlinkat",
		os.Args[0], "-test.run=^TestSyncs$")
	cmd.Env = append(os.Environ(), "JOURNAL_FOLDER="+folder)
	if b, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("left out: strace, which may be missing or forbidden: %v %s", err, b)
	}
	call := regexp.MustCompile(`(\w+)\((?:\d+<|AT_FDCWD\S*, ")` + regexp.QuoteMeta(folder) + `([^>"]*)`)
	got := ""
	for _, of := range call.FindAllStringSubmatch(string(strategytest.Value(os.ReadFile(out))), -1) {
		what := strings.TrimSuffix(filepath.Base(of[2]), ".saving")
		if before, ok := strings.CutSuffix(what, ".segment"); ok {
			what = before[15:]
		}
		got += of[1] + " " + strings.Replace(what, ".", "folder", 1) + ", "
	}
	const mark, begin = "fdatasync mark, ", "fsync N, fsync folder, pwrite64 N, " // the blocks' zeros are written, too
	const commit = "pwrite64 N, fdatasync N, pwrite64 mark, "
	want := "fsync mark, fsync folder, fsync identity, fsync folder, " +
		strings.ReplaceAll(begin+commit+commit, "N", "1") +
		strings.ReplaceAll(begin+commit, "N", "3") + strings.ReplaceAll(begin+commit, "N", "4") +
		"unlinkat 1, fsync folder, unlinkat 3, fsync folder, "
	strategytest.Equal(t, strings.ReplaceAll(got, mark, ""), want, "calls but those that sync the mark")
	synced, written := strings.LastIndex(got, mark), strings.LastIndex(got, "pwrite64 mark")
	strategytest.AtLeast(t, synced, written, "the last sync of the mark")
}
