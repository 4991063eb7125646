package journal

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"dejavu/strategies/strategytest"
)

// The system calls in order, seen by strace: a segment's head has its name, and a block is synced, before the mark
// tells of it; the folder is synced after each removal of a segment, and in the end the mark.
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
