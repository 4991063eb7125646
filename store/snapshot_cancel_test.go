package store_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"dejavu/store"
	"dejavu/strategies/strategytest"
)

// namesIn is what lies in a folder.
func namesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries := strategytest.Value(os.ReadDir(dir))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
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
	for _, test := range []struct {
		name string
		do   func(context.Context) error
		most int // times the context is asked at least
	}{
		{"WriteSnapshot", func(ctx context.Context) error {
			_, err := s.WriteSnapshot(ctx, &bytes.Buffer{}, about, 0, nil)
			return err
		}, counted.asked},
		{"Save", func(ctx context.Context) error {
			_, err := s.Save(ctx, path, about, 8)
			return err
		}, 1 + counted.asked + 1}, // before and after
		{"ReadSnapshot", func(ctx context.Context) error {
			got, _, err := store.ReadSnapshot[int](ctx, bytes.NewReader(data), c, about)
			return noStore(got, err)
		}, 1 + blocks},
		{"Open", func(ctx context.Context) error {
			got, _, err := store.Open[int](ctx, path, c, about)
			return noStore(got, err)
		}, 1 + blocks},
	} {
		for most := 0; ; most++ {
			ctx := &patience{context.Background(), 0, most}
			err := test.do(ctx)
			now, readErr := os.ReadFile(path)
			strategytest.Must(t, readErr)
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
	if took := after.TotalAlloc - before.TotalAlloc; took > 2*most+most/8 {
		t.Errorf("%d bytes of memory for a snapshot of %d, want at most %d", took, data.Size(), 2*most+most/8)
	}
}
