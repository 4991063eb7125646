package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dejavu/cluster/internal/script"
)

// Answers are read as they are written, a line that is cut when it is whole; one that is
// there twice is counted, and one that is not the loop's is an error.
func TestWatcherComparesAnswers(t *testing.T) {
	want, err := alone(script.Ask(script.Config{Users: 3, Seed: 1}.Events()))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, text := range want {
		lines = append(lines, text)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "answers-1")
	add := func(text string) {
		t.Helper()
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	w := watcher{dir: dir, want: want, got: map[string]bool{}}
	expect := func(fresh, again int) {
		t.Helper()
		if got, err := w.read(); err != nil || got != fresh || w.again != again {
			t.Errorf("%d answers are new, %d came again, %v; want %d and %d", got, w.again, err, fresh, again)
		}
	}
	expect(0, 0)
	add(lines[0] + "\n" + lines[1][:5])
	expect(1, 0)
	add(lines[1][5:] + "\n" + lines[0] + "\n")
	expect(1, 1)
	path = filepath.Join(dir, "answers-2")
	for _, text := range lines[1:] {
		add(text + "\n")
	}
	expect(len(lines)-2, 2)
	if w.vectors != 3 {
		t.Errorf("%d answers have a history, want 3", w.vectors)
	}
	add(strings.Replace(lines[2], "\t", "\tx", 1) + "\n")
	if _, err := w.read(); err == nil || !strings.Contains(err.Error(), "\nwant\n") {
		t.Errorf("another answer than the loop's: %v", err)
	}
}

// The last requests ask for every user's history, at a time when none is forgotten.
func TestNewcomersAndHistoriesAreAskedFor(t *testing.T) {
	c := script.Config{Users: 20, Seed: 1}
	last := map[string]script.Event{}
	events := script.Ask(c.Events())
	for _, e := range events {
		if l, ok := last[e.User]; ok && e.Request.Vector && e.At < l.At {
			t.Errorf("%s is asked at %v, after a request of %v", e.User, e.At, l.At)
		}
		last[e.User] = e
	}
	for user, e := range last {
		if !e.Request.Vector || len(e.Request.Shown) > 0 {
			t.Errorf("%s: the last request is %+v", user, e.Request)
		}
	}
	now := time.Now()
	for _, e := range c.Newcomers(now) {
		if e.Request.Vector != true || len(e.Request.Shown) != script.Shown || !script.Moment(e.At).Equal(now.Round(0)) {
			t.Errorf("a newcomer's request: %v, %+v, want %v", script.Moment(e.At), e.Request, now)
		}
	}
}
