package remember_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

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
func alone(events []arrival) map[string]string {
	s := remember.Must("chain")
	lines := map[string]string{}
	histories, newest := map[string][]byte{}, map[string]time.Duration{}
	for _, e := range events {
		history := histories[e.user]
		if e.at-newest[e.user] >= *idle {
			history = nil
		}
		if len(e.request.Shown) > 0 {
			if history == nil || e.at > newest[e.user] {
				newest[e.user] = e.at
			}
			history = s.Record(history, e.request.Shown)
			histories[e.user] = history
		}
		a := remember.Answer{ID: e.request.ID, Fresh: []strategies.ID{}}
		seen := make([]bool, len(e.request.Candidates))
		s.Seen(history, e.request.Candidates, seen)
		for i, id := range e.request.Candidates {
			if !seen[i] {
				a.Fresh = append(a.Fresh, id)
			}
		}
		if e.request.Vector {
			a.Vector = history
		}
		lines[a.ID] = line(e.user, a)
	}
	return lines
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

// read reads what is new.
func (w *watcher) read() error {
	if w.got == nil {
		w.got, w.done = map[string]bool{}, map[string]int64{}
	}
	files, err := filepath.Glob(filepath.Join(w.dir, "answers-*"))
	if err != nil {
		return err
	}
	for _, path := range files {
		b, err := readFrom(path, w.done[path])
		if err != nil {
			return err
		}
		b = b[:bytes.LastIndexByte(b, '\n')+1] // a line may be on its way, or cut for good
		w.done[path] += int64(len(b))
		for text := range strings.Lines(string(b)) {
			text = strings.TrimSuffix(text, "\n")
			id, _, _ := strings.Cut(text, "\t")
			switch {
			case text != w.want[id]:
				return fmt.Errorf("the answer to request %s is\n%s\nwant\n%s", id, text, w.want[id])
			case w.got[id]:
				w.again++
				continue
			}
			w.got[id] = true
			if !strings.HasSuffix(text, "\t") {
				w.vectors++
			}
		}
	}
	return nil
}

// readFrom is the rest of a file.
func readFrom(path string, at int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.NewSectionReader(f, at, 1<<40))
}
