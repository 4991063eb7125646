package simulate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"dejavu/cluster/internal/storage"
)

// A program is the experiments program as a file of this machine.
type program struct {
	path    string
	fetched bool // it is a copy of ours
}

// fetch makes the program at that path a file of this machine.
func fetch(ctx context.Context, path string) (program, error) {
	if !storage.IsRemote(path) {
		if _, err := exec.LookPath(path); err != nil {
			return program{}, fmt.Errorf("the experiments program is not on this worker: %w", err)
		}
		return program{path: path}, nil
	}
	in, err := storage.Open(ctx, path)
	if err != nil {
		return program{}, fmt.Errorf("fetching %s: %w", path, err)
	}
	defer in.Close()
	out, err := os.CreateTemp("", "dejavu-experiments-*")
	if err != nil {
		return program{}, err
	}
	p := program{path: out.Name(), fetched: true}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Chmod(0o700), out.Close()); err != nil {
		return program{}, errors.Join(fmt.Errorf("fetching %s: %w", path, err), p.remove())
	}
	return p, nil
}

// remove removes the copy, if it is one.
func (p program) remove() error {
	if !p.fetched {
		return nil
	}
	return os.Remove(p.path)
}

// run runs the program. Where it fails the error has the end of what it said.
func (p program) run(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, p.path, args...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", filepath.Base(p.path), strings.Join(args, " "), err, tail(said.String()))
	}
	return nil
}

// tail is the last lines of a text.
func tail(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "\n")
}
