package store_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"dejavu/store"
)

// namesIn is what lies in a folder.
func namesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// must fails the test at the first error.
func must(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Save to a link replaces, or makes, the file at its end. The link stays, and
// nothing else is left anywhere.
func TestSaveThroughLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("making a symbolic link takes a privilege on Windows")
	}
	s := lived(t, store.Config{Unsalted: true, Strategy: ladder{stride: 8}, Users: 30})
	for _, test := range []struct {
		name  string
		links [][2]string // name and where it leads, "/" for the absolute path of dir
		end   string
	}{
		{"relative", [][2]string{{"path", "there/file"}}, "there/file"},
		{"absolute", [][2]string{{"path", "/there/file"}}, "there/file"},
		{"chain", [][2]string{{"path", "there/second"}, {"there/second", "third"}, {"there/third", "../file"}}, "file"},
		{"folder", [][2]string{{"folder", "there/deep"}, {"path", "folder/../file"}}, "there/file"},
		{"beside", [][2]string{{"path", "file"}}, "file"},
	} {
		for _, dangling := range []bool{false, true} {
			dir := t.TempDir()
			must(t, os.MkdirAll(filepath.Join(dir, "there", "deep"), 0o700))
			for _, link := range test.links {
				to := link[1]
				if filepath.IsAbs(to) {
					to = dir + to
				}
				must(t, os.Symlink(to, filepath.Join(dir, link[0])))
			}
			end, mode := filepath.Join(dir, test.end), fs.FileMode(0o600)
			if !dangling {
				mode = 0o444
				must(t, os.WriteFile(end, []byte("old"), mode))
			}
			saved, err := s.Save(context.Background(), filepath.Join(dir, "path"), about, 0)
			if err != nil {
				t.Errorf("%s, dangling %v: %v", test.name, dangling, err)
				continue
			}
			if info, err := os.Lstat(end); err != nil || info.Mode() != mode || info.Size() != saved.Bytes {
				t.Errorf("%s, dangling %v: at its end %v, %v, want %d bytes, mode %v", test.name, dangling, info, err, saved.Bytes, mode)
			}
			for _, link := range test.links {
				if to, err := os.Readlink(filepath.Join(dir, link[0])); err != nil || !strings.HasSuffix(to, link[1]) {
					t.Errorf("%s, dangling %v: link %s leads to %q, %v", test.name, dangling, link[0], to, err)
				}
			}
			// Besides links and end there is the folder there, and deep in it.
			if n := len(namesIn(t, dir)) + len(namesIn(t, filepath.Join(dir, "there"))); n != len(test.links)+3 {
				t.Errorf("%s, dangling %v: %v and %v", test.name, dangling, namesIn(t, dir), namesIn(t, filepath.Join(dir, "there")))
			}
		}
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "path")
	must(t, os.Symlink("other", path), os.Symlink("path", filepath.Join(dir, "other")))
	if _, err := s.Save(context.Background(), path, about, 0); err == nil {
		t.Error("Save to links that lead to each other is no error")
	}
	must(t, os.Remove(path), os.Symlink("none/file", path))
	if _, err := s.Save(context.Background(), path, about, 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Save to a link into a folder that does not exist: %v, want fs.ErrNotExist", err)
	}
	// Where the caller stands does not matter either.
	t.Chdir(dir)
	must(t, os.Remove("path"), os.Symlink("other", "path"), os.Remove("other"))
	if _, err := s.Save(context.Background(), "path", about, 0); err != nil {
		t.Error(err)
	}
	if names := namesIn(t, dir); !slices.Equal(names, []string{"other", "path"}) {
		t.Errorf("in the folder lie %v", names)
	}
}

// What killed Saves left goes, read-only or not readable at all. What is not
// theirs stays as it is.
func TestLeftovers(t *testing.T) {
	s := lived(t, store.Config{Unsalted: true, Strategy: ladder{stride: 8}, Users: 30})
	dir := t.TempDir()
	path := filepath.Join(dir, "histories")
	var stays []string
	for _, file := range []struct {
		name string
		mode fs.FileMode
		goes bool
	}{
		{"histories.saving-1", 0o600, true},
		{"histories.saving-22", 0o444, true},
		{"histories.saving-333", 0, true},
		{"histories.saving-4294967295", 0o200, true},
		{"histories.saving-", 0o600, false},
		{"histories.saving-x1", 0o600, false},
		{"histories.saving-1.gz", 0o600, false},
		{"histories.saving-1.saving-2", 0o600, false},
		{"yesterday.histories.saving-1", 0o600, false},
		{"another.saving-1", 0o600, false},
	} {
		must(t, os.WriteFile(filepath.Join(dir, file.name), []byte("theirs"), 0o600), os.Chmod(filepath.Join(dir, file.name), file.mode))
		if !file.goes {
			stays = append(stays, file.name)
		}
	}
	must(t, os.Mkdir(path+".saving-5", 0o700))
	stays = append(stays, "histories.saving-5", "histories")
	if runtime.GOOS != "windows" {
		must(t, os.Symlink("another.saving-1", path+".saving-6"))
		stays = append(stays, "histories.saving-6")
	}
	for range 2 {
		if _, err := s.Save(context.Background(), path, about, 0); err != nil {
			t.Fatal(err)
		}
		slices.Sort(stays)
		if names := namesIn(t, dir); !slices.Equal(names, stays) {
			t.Fatalf("in the folder lie %v, want %v", names, stays)
		}
	}
	if got, err := os.ReadFile(filepath.Join(dir, "another.saving-1")); err != nil || string(got) != "theirs" {
		t.Errorf("the file that a link leads to is %.20q, %v", got, err)
	}
}

// A file that a living Save writes stays, and the later Save is the error. Waiting
// for the folder ends with the context.
func TestSaveBesideALivingOne(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("nothing is locked on Windows: the caller saves once at a time")
	}
	s := lived(t, store.Config{Unsalted: true, Strategy: ladder{stride: 8}, Users: 30})
	dir := t.TempDir()
	path := filepath.Join(dir, "histories")
	locked := func(name string, flag int) *os.File {
		f, err := os.OpenFile(name, flag, 0o600)
		must(t, err, store.Lock(f))
		return f
	}
	f := locked(path+".saving-17", os.O_CREATE|os.O_RDWR)
	_, err := s.Save(context.Background(), path, about, 0)
	if err == nil || !strings.Contains(err.Error(), path+".saving-17: is being written by another Save") {
		t.Errorf("a Save while another writes: %v", err)
	}
	if names := namesIn(t, dir); !slices.Equal(names, []string{"histories.saving-17"}) {
		t.Errorf("in the folder lie %v, want the file that is being written", names)
	}
	if _, err := s.Save(context.Background(), filepath.Join(dir, "elsewhere"), about, 0); err != nil {
		t.Errorf("a Save to another path: %v", err)
	}
	f.Close()
	must(t, os.Remove(filepath.Join(dir, "elsewhere")))

	d := locked(dir, os.O_RDONLY)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := s.Save(ctx, path, about, 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a Save to a folder that another has locked: %v", err)
	}
	time.AfterFunc(10*time.Millisecond, func() { d.Close() })
	if _, err := s.Save(context.Background(), path, about, 0); err != nil {
		t.Errorf("a Save to a folder that another locked for a moment: %v", err)
	}
	if names := namesIn(t, dir); !slices.Equal(names, []string{"histories"}) {
		t.Errorf("in the folder lie %v, want the snapshot", names)
	}
}

// A patience is a context that is done when it has been asked so often.
type patience struct {
	context.Context
	asked, most int
}

func (p *patience) Err() error {
	if p.asked++; p.asked > p.most {
		return context.Canceled
	}
	return nil
}

// Cancelled at whatever moment, everything ends with the context's error, and
// leaves what was there and no more. One processor, so that moments have numbers.
func TestCancelled(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	c := store.Config{Unsalted: true, Strategy: ladder{stride: 1500}, Users: 120, Shards: 5}
	s := lived(t, c)
	data := written(t, s, 0)
	path := filepath.Join(t.TempDir(), "histories")
	if _, err := s.Save(context.Background(), path, about, 7); err != nil {
		t.Fatal(err)
	}
	old, err := os.ReadFile(path)
	must(t, err)
	blocks := len(partsOf(data)) - 2
	counted := &patience{context.Background(), 0, math.MaxInt}
	if _, err := s.WriteSnapshot(counted, &bytes.Buffer{}, about, 0); err != nil || counted.asked < 2+c.Shards {
		t.Fatalf("WriteSnapshot asks its context %d times, %v", counted.asked, err)
	}
	for _, test := range []struct {
		name string
		do   func(context.Context) error
		most int // times the context is asked at least
	}{
		{"WriteSnapshot", func(ctx context.Context) error {
			_, err := s.WriteSnapshot(ctx, &bytes.Buffer{}, about, 0)
			return err
		}, counted.asked},
		{"Save", func(ctx context.Context) error {
			_, err := s.Save(ctx, path, about, 8)
			return err
		}, 1 + counted.asked + 1}, // before and after
		{"ReadSnapshot", func(ctx context.Context) error {
			got, _, err := store.ReadSnapshot[int](ctx, bytes.NewReader(data), c, about)
			return noStore(got, err)
		}, 1 + 2*blocks},
		{"Open", func(ctx context.Context) error {
			got, _, err := store.Open[int](ctx, path, c, about)
			return noStore(got, err)
		}, 1 + 2*blocks},
		{"Inspect", func(ctx context.Context) error {
			_, err := store.Inspect(ctx, path)
			return err
		}, 1 + 2*blocks},
	} {
		for most := 0; ; most++ {
			ctx := &patience{context.Background(), 0, most}
			err := test.do(ctx)
			now, readErr := os.ReadFile(path)
			must(t, readErr)
			if names := namesIn(t, filepath.Dir(path)); len(names) != 1 {
				t.Fatalf("%s, cancelled at moment %d: in the folder lie %v", test.name, most, names)
			}
			if ctx.asked <= most {
				if err != nil || most < test.most {
					t.Errorf("%s: %v after %d moments, want no error and %d moments", test.name, err, most, test.most)
				}
				old = now // Save's
				break
			}
			if !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), "store: snapshot") {
				t.Fatalf("%s, cancelled at moment %d: %v", test.name, most, err)
			}
			if !bytes.Equal(now, old) {
				t.Fatalf("%s, cancelled at moment %d: the old snapshot is gone", test.name, most)
			}
		}
	}
}

// noStore is err, or what is wrong with a store beside it.
func noStore(s *store.Store[int], err error) error {
	if s == nil {
		return err
	}
	defer s.Clear()
	if err != nil {
		return errors.New("a store in spite of " + err.Error())
	}
	return nil
}

// A canceller reads or writes, and cancels after some bytes.
type canceller struct {
	*bytes.Buffer
	cancel context.CancelFunc
	left   int // bytes until then; negative, bytes since
}

func (c *canceller) count(n int) {
	if c.left -= n; c.left <= 0 {
		c.cancel()
	}
}

func (c *canceller) Write(b []byte) (int, error) {
	c.count(len(b))
	return c.Buffer.Write(b)
}

func (c *canceller) Read(b []byte) (int, error) {
	n, err := c.Buffer.Read(b[:min(len(b), 4096)])
	c.count(n)
	return n, err
}

// It ends promptly: in one large shard too, and with many processors.
func TestCancelledPromptly(t *testing.T) {
	c := store.Config{Unsalted: true, Strategy: ladder{stride: 1500}, Users: 1000, Shards: 1}
	s := lived(t, c)
	data := written(t, s, 0)
	const at = 3 << 20
	if len(data) < 3*at {
		t.Fatalf("the snapshot has %d bytes, too few", len(data))
	}
	ctx, cancel := context.WithCancel(context.Background())
	w := &canceller{&bytes.Buffer{}, cancel, at}
	if _, err := s.WriteSnapshot(ctx, w, about, 0); !errors.Is(err, context.Canceled) || w.left < -2<<20 {
		t.Errorf("WriteSnapshot: %v, %d bytes written after it was cancelled", err, -w.left)
	}
	ctx, cancel = context.WithCancel(context.Background())
	r := &canceller{bytes.NewBuffer(data), cancel, at}
	got, _, err := store.ReadSnapshot[int](ctx, r, c, about)
	if err := noStore(got, err); !errors.Is(err, context.Canceled) || r.left < -2<<20 {
		t.Errorf("ReadSnapshot: %v, %d bytes read after it was cancelled", err, -r.left)
	}
}

// TestReadingMemory pins what reading takes, beside the store, with one processor:
// 16 MiB at once, and as much on the way there, whatever lies where. Here the
// large blocks come after ever more small ones of their shard.
func TestReadingMemory(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const shards, large = 24, 2
	const most = 16 << 20
	sizes := climb{}
	for size := 1; size <= shards*large; size++ {
		sizes = append(sizes, size)
	}
	sizes = append(sizes, 1<<20-8)
	c := store.Config{Unsalted: true, Strategy: sizes, Users: shards * (len(sizes) + large), Shards: shards}
	s := mustNew(t, c)
	for shard := range shards {
		user := shard
		put := func(size int) {
			must(t, s.Put(user, 0, make([]byte, size)))
			user += shards
		}
		for _, size := range sizes[:shard*large] {
			put(size)
		}
		for range large {
			put(sizes[len(sizes)-1])
		}
	}
	path := filepath.Join(t.TempDir(), "histories")
	saved, err := s.Save(context.Background(), path, about, 0)
	must(t, err)
	s.Clear()
	if saved.Bytes < 3*most {
		t.Fatalf("the snapshot has %d bytes, too few", saved.Bytes)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	inspected, err := store.Inspect(context.Background(), path)
	runtime.ReadMemStats(&after)
	if err != nil || inspected.Histories != saved.Histories {
		t.Fatalf("%+v, %v, want %+v", inspected, err, saved)
	}
	took := after.TotalAlloc - before.TotalAlloc
	t.Logf("%d bytes of memory for a snapshot of %d", took, saved.Bytes)
	if took > 2*most+1<<20 {
		t.Errorf("%d bytes of memory for a snapshot of %d, want at most %d", took, saved.Bytes, 2*most)
	}
}
