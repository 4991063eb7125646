package store_test

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dejavu/store"
	"dejavu/strategies"
)

// A stamp is a toy whose histories are the last article, over and over, in one
// of three lengths that depend on it: with each the history moves.
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

// stamped is the article of a history, 0 of an empty one.
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

// saveUntilKilled is the child: it goes on from the last snapshot, shows every
// user article after article, saves after each, and says so when it is done.
func saveUntilKilled(path string) error {
	s, snapshot, err := store.Open[int](path, stampConfig, stampAbout)
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
		if _, err := s.Save(path, stampAbout, at); err != nil {
			return err
		}
		fmt.Println("saved", at)
	}
}

// TestKilledWhileSaving kills a process that saves in a loop, at random moments,
// with the signal that nothing can catch. Afterwards the file is always the last
// snapshot whose Save returned, or the one that was being saved: whole, every
// history of it.
func TestKilledWhileSaving(t *testing.T) {
	if path := os.Getenv(childVariable); path != "" {
		t.Fatal(saveUntilKilled(path))
	}
	kills := 100
	if testing.Short() || raceDetector {
		kills = 20
	}
	path := filepath.Join(t.TempDir(), "histories")
	rng := rand.New(rand.NewPCG(5, 5))
	leftovers, between := 0, 0
	var last store.Timestamp // what the file is at least
	for range kills {
		acknowledged := killOne(t, path, rng)
		if _, err := os.Stat(path + ".saving"); err == nil {
			leftovers++
		}
		if acknowledged > last {
			last = acknowledged
		}
		s, snapshot, err := store.Open[int](path, stampConfig, stampAbout)
		if errors.Is(err, fs.ErrNotExist) && last == 0 {
			continue
		}
		if err != nil {
			t.Fatalf("after Save %d and a kill: %v", last, err)
		}
		if snapshot.Now < last || snapshot.Now > last+1 {
			t.Fatalf("the snapshot is of %d, want %d, whose Save returned, or the next", snapshot.Now, last)
		}
		if snapshot.Now > last {
			between++
		}
		for user := range stampConfig.Users {
			h := s.History(user, 0, nil)
			if at, ok := s.Last(user); !ok || at != snapshot.Now || stamped(h) != uint64(snapshot.Now) {
				t.Fatalf("user %d has %d, %v, last recorded at %d, want %d", user, stamped(h), ok, at, snapshot.Now)
			}
		}
		check(t, s)
		s.Clear()
		last = snapshot.Now
	}
	t.Logf("%d kills: %d with a file half written, %d between renaming and returning; %d Saves in all", kills, leftovers, between, last)
	// The test would mean nothing if it never hit a Save: most of the child's
	// time is in one.
	if leftovers == 0 || last == 0 {
		t.Errorf("%d of %d kills hit a Save, after %d of them", leftovers, kills, last)
	}
}

// killOne runs a child and kills it, some time after it has begun to save. It
// returns the last Save that the child said had returned, 0 if none.
func killOne(t *testing.T, path string, rng *rand.Rand) store.Timestamp {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^TestKilledWhileSaving$", "-test.timeout=60s")
	child.Env = append(os.Environ(), childVariable+"="+path)
	var stderr strings.Builder
	child.Stderr = &stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	wait := time.Duration(rng.IntN(20_000)) * time.Microsecond
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
		}
		if !begun {
			begun = true
			time.AfterFunc(wait, func() { _ = child.Process.Kill() })
		}
	}
	if err := child.Wait(); err == nil || !begun {
		t.Fatalf("the child ended by itself: %v, %s", err, &stderr)
	}
	return acknowledged
}
