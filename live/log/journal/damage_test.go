package journal

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"dejavu/live/exposure"
	"dejavu/live/keeper"
	"dejavu/live/layout"
	"dejavu/live/partition"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

var damages = flag.Int("damages", 300, "damaged folders that TestDamage starts with")

var (
	queue, _  = layout.Make(layout.Choice{Name: "queue"})
	secret, _ = strategies.NewSecret([]byte("a secret of the tests"))
)

// service returns a keeper over a log, in a folder as a service has it.
func service(t testing.TB, dir string, clock func() store.Timestamp) (*keeper.Keeper, *Log, error) {
	t.Helper()
	snapshots := filepath.Join(dir, "snapshots")
	folder, err := partition.OpenFolder(snapshots, true)
	if err != nil {
		return nil, nil, err
	}
	defer folder.Close()
	l, err := openOrBegin(filepath.Join(dir, "log"))
	if err != nil {
		return nil, nil, err
	}
	if err := cmp.Or(folder.Claim(), folder.Record(partitions, l.Identity, queue.Choice, false)); err != nil {
		return nil, nil, errors.Join(err, l.Close())
	}
	l.Sync(false)
	k := keeper.New(keeper.Config{
		Config: partition.Config{
			Of: partitions, Layout: queue, Secret: secret, Retries: 4, Log: l, Logs: folder.Logs, Dir: snapshots,
			Idle: store.Day,
		},
		Every: 100 * time.Millisecond, Logger: slog.New(slog.DiscardHandler), Clock: clock,
	})
	if err := k.Take(t.Context(), []int{0, 1, 2, 3}); err != nil {
		return nil, nil, errors.Join(err, l.Close())
	}
	return k, l, nil
}

func still() store.Timestamp { return 1 }

// histories returns the histories of all users of the test.
func histories(t testing.TB, k *keeper.Keeper) (all [][]byte) {
	t.Helper()
	for user := range 30 {
		all = append(all, strategytest.Value(k.History(t.Context(), fmt.Sprint("user ", user))))
	}
	return all
}

// filesOf returns all files below a folder.
func filesOf(t testing.TB, dir string) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	strategytest.Must(t, fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			var b []byte
			if b, err = os.ReadFile(filepath.Join(dir, name)); err == nil {
				files[name] = &fstest.MapFile{Data: b, Mode: 0o600}
			}
		}
		if errors.Is(err, fs.ErrNotExist) { // renamed or removed meanwhile
			return nil
		}
		return err
	}))
	return files
}

// lived returns the folder of a killed service: segments, some of them removed, a mark and snapshots.
func lived(t testing.TB) (files fstest.MapFS, want [][]byte) {
	t.Helper()
	dir := t.TempDir()
	k, l, err := service(t, dir, still)
	strategytest.Must(t, err)
	for i := range 240 {
		l.age = time.Hour
		if i%20 == 19 {
			l.age = 0
		}
		show := []exposure.Show{{
			User: fmt.Sprint("user ", i%30), Request: uint64(i % 2 * i), Limit: 3,
			Candidates: []strategies.ID{strategies.ID(i), strategies.ID(i + 1), strategies.ID(i + 2), strategies.ID(i % 7)},
		}}
		strategytest.Must(t, k.ShowAll(t.Context(), show))
		if i%60 == 59 && i < 200 {
			strategytest.Must(t, k.Save(t.Context()))
		}
	}
	files, want = filesOf(t, dir), histories(t, k) // as it is before Close
	strategytest.Must(t, l.Close())
	return files, want
}

// damage changes a file, or two of them, somehow.
func damage(random *rand.Rand, files fstest.MapFS) string {
	names := slices.Sorted(maps.Keys(files))
	draw := func() (name string, f *fstest.MapFile, at int) {
		name = names[random.IntN(len(names))]
		f = &fstest.MapFile{Data: bytes.Clone(files[name].Data), Mode: 0o600}
		files[name] = f
		return name, f, random.IntN(len(f.Data))
	}
	name, _, at := draw()
	other, f, from := draw()
	b, c := files[name].Data, f.Data // perhaps of one file
	size := 1 + random.IntN(min(len(b)-at, len(c)-from, 4096))
	switch random.IntN(10) {
	case 0, 1, 2, 3:
		b[at] ^= 1 << random.IntN(8)
		return fmt.Sprintf("%s: a bit of byte %d is flipped", name, at)
	case 4, 5:
		files[name].Data = b[:at]
		return fmt.Sprintf("%s: cut at byte %d", name, at)
	case 6, 7:
		one := bytes.Clone(b[at : at+size])
		copy(b[at:], bytes.Clone(c[from:from+size]))
		copy(c[from:], one)
		return fmt.Sprintf("%s at %d and %s at %d: %d bytes are exchanged", name, at, other, from, size)
	case 8:
		delete(files, name)
		return name + " is removed"
	default:
		with := byte(random.IntN(2) * random.IntN(256)) // zeros, often
		copy(b[at:], bytes.Repeat([]byte{with}, size))
		return fmt.Sprintf("%s: %d bytes are %d from byte %d on", name, size, with, at)
	}
}

// A service starts with all that was acknowledged, or says in one line which file is damaged and what to do.
func TestDamage(t *testing.T) {
	files, want := lived(t)
	dir, random := t.TempDir(), rand.New(rand.NewPCG(34, 1))
	var harmless, mended, refused int
	for range *damages {
		damaged := maps.Clone(files)
		what := damage(random, damaged)
		strategytest.Must(t, os.RemoveAll(dir), os.CopyFS(dir, damaged))
		watch := time.AfterFunc(time.Minute, func() { panic("a start hangs: " + what) })
		k, l, err := service(t, dir, still)
		watch.Stop()
		switch {
		case err != nil:
			refused++
			says := err.Error()
			helpful := strings.Contains(says, dir) && (strings.Contains(says, "restore") || strings.Contains(says, "set it"))
			strategytest.Equal(t, helpful && !strings.Contains(says, "\n"), true, "%s: %s is a helpful line", what, says)
			continue
		case len(l.Mended) > 0:
			mended++
		default:
			harmless++
		}
		strategytest.DeepEqual(t, histories(t, k), want, "histories after %s", what)
		strategytest.ErrorSays(t, what, l.Close(), "")
	}
	t.Logf("%d files; %d harmless, %d mended, %d refused", len(files), harmless, mended, refused)
	strategytest.Equal(t, harmless > 0 && mended > 0 && refused > 0, true, "there are some of each")
}

// A mark with one damaged place serves, with a notice, and other files are ignored. A missing segment is noticed.
func TestOnePlace(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "log")
	strategytest.Must(t, openAt(t, folder).Close())
	l := openAt(t, folder)
	l.age = 0
	put(t, l, "a")
	strategytest.Equal(t, len(l.segments), 1, "segments")
	strategytest.Must(t, l.Close(), l.Close())
	strategytest.ErrorSays(t, "after the end", strategytest.ErrorOf(l.Append(0, nil)), errClosed.Error())
	b := strategytest.Value(os.ReadFile(filepath.Join(folder, markName)))
	b[0]++ // block 1 stands in the other place
	for _, name := range []string{markName, "1.segment", "000000000000000f", "zzzzzzzzzzzzzzzz.segment"} {
		strategytest.Must(t, os.WriteFile(filepath.Join(folder, name), b, 0o600))
	}
	got, mended, err := readAt(folder)
	strategytest.Must(t, err)
	strategytest.Contains(t, got+strings.Join(mended, ""), "a log "+folder+": mark is damaged in one of two places",
		"read")
	strategytest.Must(t, os.Remove(segmentPath(folder, 1)))
	strategytest.ErrorSays(t, "no segment", strategytest.ErrorOf(readAt(folder)), "by its mark it has blocks to 1")
	strategytest.Must(t, os.Mkdir(segmentPath(folder, 1), 0o700))
	strategytest.ErrorSays(t, "a folder in its place", strategytest.ErrorOf(readAt(folder)), "is a directory")
}

// A forgotten user's articles leave the disk with two more snapshots, but not while the call can be repeated.
func TestForgotten(t *testing.T) {
	dir := t.TempDir()
	var now atomic.Uint32
	now.Store(1)
	k, l, err := service(t, dir, func() store.Timestamp { return store.Timestamp(now.Load()) })
	strategytest.Must(t, err)
	defer l.Close()
	l.age = 0
	const article = 0x1122334455667788
	user := le.AppendUint64(nil, uint64(secret.DigestString("ann")))
	onDisk := func() (files []string) {
		for name, f := range filesOf(t, dir) {
			if bytes.Contains(f.Data, le.AppendUint64(nil, article)) || bytes.Contains(f.Data, user) {
				files = append(files, name)
			}
		}
		return files
	}
	err = k.Record(t.Context(), "ann", 7, []strategies.ID{article})
	strategytest.Must(t, errors.Join(err, k.Save(t.Context()), k.Forget(t.Context(), "ann"), k.Save(t.Context())))
	strategytest.AtLeast(t, len(onDisk()), 2, "files before it is time, a segment and a snapshot")
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { k.Run(ctx); close(done) }()
	defer func() { stop(); <-done }()
	time.Sleep(500 * time.Millisecond)
	strategytest.AtLeast(t, len(onDisk()), 1, "files with a call that may come again")
	now.Add(uint32(partition.RetryAge) + 1)
	for range 600 {
		if len(onDisk()) == 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("they are still in %q", onDisk())
}
