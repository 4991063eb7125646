package store_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"dejavu/internal/sysinfo"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// A stamp is a toy whose histories are the last article, over and over, in one of three lengths that depend
// on it: with each the history moves.
type stamp struct{}

var stampSizes = []int{80, 160, 240}

func (stamp) Sizes() []int                         { return stampSizes }
func (stamp) Seen([]byte, []strategies.ID, []bool) {}
func (stamp) Record(h []byte, ids []strategies.ID) []byte {
	id := ids[len(ids)-1]
	h = h[:0]
	for range stampSizes[id%3] / 8 {
		h = binary.LittleEndian.AppendUint64(h, uint64(id))
	}
	return h
}

func (stamp) Validate(h []byte) error {
	if len(h) == 0 {
		return nil
	}
	if len(h)%8 != 0 || len(h) != stampSizes[stamped(h)%3] {
		return fmt.Errorf("stamp: %d bytes stamped %d", len(h), stamped(h))
	}
	for at := 8; at < len(h); at += 8 {
		if stamped(h[at:]) != stamped(h) {
			return fmt.Errorf("stamp: stamped %d and %d", stamped(h), stamped(h[at:]))
		}
	}
	return nil
}

// stamped returns the article of a history, 0 for an empty one.
func stamped(h []byte) uint64 {
	if len(h) < 8 {
		return 0
	}
	return binary.LittleEndian.Uint64(h)
}

const (
	childVariable = "DEJAVU_SAVES_UNTIL_KILLED" // the path, for the child
	stampAbout    = "stamp"
)

var stampConfig = store.Config{Unsalted: true, Strategy: stamp{}, Users: 3000, Shards: 7}

// saveUntilKilled is the child: it continues from the last snapshot, shows every user article after article, saves
// after each, and says when it is done.
func saveUntilKilled(path string) error {
	s, snapshot, err := store.Open[int](context.Background(), path, stampConfig, stampAbout)
	if errors.Is(err, fs.ErrNotExist) {
		s, err = store.New[int](stampConfig)
	}
	if err != nil {
		return err
	}
	for at := snapshot.Now + 1; ; at++ {
		for user := range stampConfig.Users {
			s.Record(user, at, []strategies.ID{strategies.ID(at)})
		}
		fmt.Println("saving", at)
		if _, err := s.Save(context.Background(), path, stampAbout, at); err != nil {
			return err
		}
		fmt.Println("saved", at)
	}
}

// kills scales TestKilledWhileSaving: -kills 1000 takes some minutes.
var kills = flag.Int("kills", 40, "kills in TestKilledWhileSaving")

// TestKilledWhileSaving kills a process that saves in a loop, at random moments, with the signal that nothing can
// catch. Afterwards the file is always the last snapshot whose Save returned, or the one that was being saved: whole,
// every history of it. What was left does not keep the next process from saving, and does not grow in number.
func TestKilledWhileSaving(t *testing.T) {
	if path := os.Getenv(childVariable); path != "" {
		t.Fatal(saveUntilKilled(path))
	}
	n := *kills
	if testing.Short() || sysinfo.RaceDetector {
		n = min(n, 20)
	}
	path := filepath.Join(t.TempDir(), "histories")
	rng := rand.New(rand.NewPCG(5, 0))
	halves, between := 0, 0
	var last store.Timestamp // what the file is at least
	for range n {
		last = max(last, killOne(t, path, rng))
		left := strategytest.Value(filepath.Glob(path + ".saving*"))
		if halves += len(left); len(left) > 1 {
			t.Fatalf("what the killed left grows in number: %v", left)
		}
		if now := checkSaved(t, path, last); now > last {
			between++
			last = now
		}
	}
	t.Logf("%d kills: %d with a file half written, %d between renaming and returning; %d Saves in all", n, halves,
		between, last)
	// The test would mean nothing if it never hit a Save: most of the child's time is in one.
	if halves == 0 || last == 0 {
		t.Errorf("%d of %d kills hit a Save, after %d of them", halves, n, last)
	}
}

// checkSaved checks every history of the snapshot, and returns which it is: the last or the one after.
func checkSaved(t *testing.T, path string, last store.Timestamp) store.Timestamp {
	s, snapshot, err := store.Open[int](context.Background(), path, stampConfig, stampAbout)
	if errors.Is(err, fs.ErrNotExist) && last == 0 {
		return 0
	}
	if err != nil {
		t.Fatalf("after Save %d and a kill: %v", last, err)
	}
	defer s.Clear()
	if snapshot.Now < last || snapshot.Now > last+1 {
		t.Fatalf("the snapshot is of %d, want %d, whose Save returned, or the next", snapshot.Now, last)
	}
	for user := range stampConfig.Users {
		h := s.History(user, 0, nil)
		if at, ok := s.Last(user); !ok || at != snapshot.Now || stamped(h) != uint64(snapshot.Now) {
			t.Fatalf("user %d has %d, %v, last recorded at %d, want %d", user, stamped(h), ok, at, snapshot.Now)
		}
	}
	check(t, s)
	return snapshot.Now
}

// killOne runs a child and kills it, some time after it has begun its first Save or its second. It returns
// the last Save that the child said had returned, 0 if none.
func killOne(t *testing.T, path string, rng *rand.Rand) store.Timestamp {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^TestKilledWhileSaving$", "-test.timeout=5m")
	child.Env = append(os.Environ(), childVariable+"="+path)
	var stderr strings.Builder
	child.Stderr = &stderr
	out := strategytest.Value(child.StdoutPipe())
	strategytest.Must(t, child.Start())
	wait := time.Duration(rng.IntN(20_000)) * time.Microsecond
	saves := 1 + rng.IntN(2) // begun before the wait: a disk may take longer for one
	var acknowledged store.Timestamp
	begun := false
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var what string
		var at store.Timestamp
		if _, err := fmt.Sscan(lines.Text(), &what, &at); err != nil || what != "saving" && what != "saved" {
			t.Errorf("the child says %q", lines.Text())
		}
		if what == "saved" {
			acknowledged = at
			continue
		}
		if saves--; saves == 0 {
			begun = true
			time.AfterFunc(wait, func() { _ = child.Process.Kill() })
		}
	}
	if err := child.Wait(); err == nil || !begun {
		t.Fatalf("the child ended by itself: %v, %s", err, &stderr)
	}
	return acknowledged
}

// namesIn lists a folder.
func namesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries := strategytest.Value(os.ReadDir(dir))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// A patience is a context that is done after a number of questions.
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

// Cancelled at any moment, everything ends with the context's error, and leaves what was there and no more. It uses
// one processor, so that moments can be numbered.
func TestCancelled(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	c := store.Config{Unsalted: true, Strategy: ladder{stride: 1500}, Users: 600, Shards: 2} // a shard is several MiB
	s := lived(t, c)
	data := written(t, s, 0)
	path := filepath.Join(t.TempDir(), "histories")
	strategytest.Must(t, strategytest.ErrorOf(s.Save(t.Context(), path, about, 7)))
	old := strategytest.Value(os.ReadFile(path))
	blocks := len(partsOf(data)) - 2
	counted := &patience{context.Background(), 0, math.MaxInt}
	if _, err := s.WriteSnapshot(counted, &bytes.Buffer{}, about, 0, nil); err != nil || counted.asked < 2+len(data)>>20 {
		t.Fatalf("WriteSnapshot asks its context %d times, %v", counted.asked, err)
	}
	cancelled := func(name string, do func(context.Context) error, least int) {
		t.Helper()
		for most := 0; ; most++ {
			ctx := &patience{context.Background(), 0, most}
			err := do(ctx)
			now, readErr := os.ReadFile(path)
			strategytest.Must(t, readErr)
			if names := namesIn(t, filepath.Dir(path)); len(names) != 1 {
				t.Fatalf("%s, cancelled at moment %d: in the folder lie %v", name, most, names)
			}
			if ctx.asked <= most {
				if err != nil || most < least {
					t.Errorf("%s: %v after %d moments, want no error and %d moments", name, err, most, least)
				}
				old = now // Save's
				break
			}
			if !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), "store: snapshot") {
				t.Fatalf("%s, cancelled at moment %d: %v", name, most, err)
			}
			if !bytes.Equal(now, old) {
				t.Fatalf("%s, cancelled at moment %d: the old snapshot is gone", name, most)
			}
		}
	}
	cancelled("WriteSnapshot", func(ctx context.Context) error {
		_, err := s.WriteSnapshot(ctx, &bytes.Buffer{}, about, 0, nil)
		return err
	}, counted.asked)
	cancelled("Save", func(ctx context.Context) error {
		_, err := s.Save(ctx, path, about, 8)
		return err
	}, 1+counted.asked+1) // before and after
	cancelled("ReadSnapshot", func(ctx context.Context) error {
		got, _, err := store.ReadSnapshot[int](ctx, bytes.NewReader(data), c, about)
		return noStore(got, err)
	}, 1+blocks)
	cancelled("Open", func(ctx context.Context) error {
		got, _, err := store.Open[int](ctx, path, c, about)
		return noStore(got, err)
	}, 1+blocks)
}

// noStore returns err, or an error if there is a store beside it.
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

// TestReadingMemory pins what reading takes, beside the store, with one processor: a
// block's memory, however many blocks there are, and however long.
func TestReadingMemory(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const users, most = 64, 1 << 20
	s := mustNew(t, store.Config{Unsalted: true, Strategy: climb{100, most - 100}, Users: users, Shards: 8})
	for user := range users {
		strategytest.Must(t, s.Put(user, 0, make([]byte, []int{100, most - 100}[user%2])))
	}
	data := bytes.NewReader(written(t, s, 0))
	s.Clear()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	inspected, err := store.Inspect(t.Context(), data)
	runtime.ReadMemStats(&after)
	if err != nil || inspected.Histories != users || data.Size() < 20*most {
		t.Fatalf("%+v of %d bytes, %v", inspected, data.Size(), err)
	}
	// The race detector takes some of its own.
	strategytest.AtMost(t, after.TotalAlloc-before.TotalAlloc, 2*most+most/8,
		"bytes of memory for a snapshot of %d", data.Size())
}
