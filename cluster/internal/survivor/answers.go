package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"dejavu/chain"
	"dejavu/cluster/internal/script"
	"dejavu/cluster/remember"
	"dejavu/strategies"
)

// line is an answer as a line.
func line(user string, a remember.Answer) string {
	return fmt.Sprintf("%s\t%s\t%x\t%x", a.ID, user, a.Fresh, a.Vector)
}

// A writeFn writes answers to a file of its own, each by one call of the system: what
// is written outlives the process.
type writeFn struct {
	Dir string

	file *os.File
}

// ProcessElement writes one.
func (f *writeFn) ProcessElement(user string, a remember.Answer) (err error) {
	if f.file == nil {
		if f.file, err = os.CreateTemp(f.Dir, "answers-*"); err != nil {
			return err
		}
	}
	_, err = f.file.WriteString(line(user, a) + "\n")
	return err
}

// alone is what a loop answers, by request.
func alone(events []script.Event) (map[string]string, error) {
	s, err := chain.New(chain.Paper)
	if err != nil {
		return nil, err
	}
	lines := map[string]string{}
	histories, newest := map[string][]byte{}, map[string]time.Duration{}
	for _, e := range events {
		history, known := histories[e.User]
		if known && e.At-newest[e.User] >= *idle {
			history = nil
		}
		if shown := e.Request.Shown; len(shown) > 0 {
			if history == nil || e.At > newest[e.User] {
				newest[e.User] = e.At
			}
			history = s.Record(history, shown)
			histories[e.User] = history
		}
		a := remember.Answer{ID: e.Request.ID, Fresh: []strategies.ID{}}
		seen := make([]bool, len(e.Request.Candidates))
		s.Seen(history, e.Request.Candidates, seen)
		for i, id := range e.Request.Candidates {
			if !seen[i] {
				a.Fresh = append(a.Fresh, id)
			}
		}
		if e.Request.Vector {
			a.Vector = history
		}
		lines[a.ID] = line(e.User, a)
	}
	return lines, nil
}

// A watcher reads the answers that workers write.
type watcher struct {
	dir     string
	want    map[string]string
	got     map[string]bool
	done    map[string]int64 // bytes read, by file
	again   int              // answers that were there already
	vectors int              // those with a history
}

// read reads what is new, and says how many answers are.
func (w *watcher) read() (fresh int, err error) {
	files, err := filepath.Glob(filepath.Join(w.dir, "answers-*"))
	if err != nil {
		return 0, err
	}
	if w.done == nil {
		w.done = map[string]int64{}
	}
	for _, path := range files {
		b, err := readFrom(path, w.done[path])
		if err != nil {
			return fresh, err
		}
		b = b[:bytes.LastIndexByte(b, '\n')+1] // a line may be on its way, or cut for good
		w.done[path] += int64(len(b))
		for text := range strings.Lines(string(b)) {
			text = strings.TrimSuffix(text, "\n")
			id, _, _ := strings.Cut(text, "\t")
			switch {
			case text != w.want[id]:
				return fresh, fmt.Errorf("the answer to request %s is\n%s\nwant\n%s", id, text, w.want[id])
			case w.got[id]:
				w.again++
				continue
			}
			w.got[id] = true
			fresh++
			if !strings.HasSuffix(text, "\t") {
				w.vectors++
			}
		}
	}
	return fresh, nil
}

// readFrom is the rest of a file.
func readFrom(path string, at int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	b := make([]byte, info.Size()-at)
	n, err := f.ReadAt(b, at)
	if n == len(b) {
		err = nil
	}
	return b[:n], err
}
