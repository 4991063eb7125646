package store

import (
	"context"
	"fmt"
	"io"
	"os"

	"dejavu/internal/atomicfile"
)

// Save makes the file at path a snapshot of all histories that have not expired
// at time now, as WriteSnapshot writes it, or leaves it as it was: whenever the
// process is killed, or the power fails, path holds the old snapshot whole or the
// new one. When Save has returned without an error it is the new one.
//
// The new file is first called path, ".saving-" and a number; such names are Save's
// own, and what a killed process leaves there the next Save to that path removes.
// Two at once to the same path are an error of the later one (on Unix, on file
// systems with locks and for processes of one user; elsewhere the caller has to see
// to it). The disk needs room for both snapshots.
//
// Where path is a symbolic link, the file it points to is replaced, or made. A new
// file is its owner's alone (0600), for it says what people read; one that is
// replaced hands its permissions on.
//
// Once ctx is done, Save gives up, with an error that wraps ctx.Err(), and path
// is as it was.
func (s *Store[U]) Save(ctx context.Context, path, about string, now Timestamp) (Snapshot, error) {
	var snapshot Snapshot
	err := atomicfile.Replace(ctx, path, 0o600, func(w io.Writer) (err error) {
		snapshot, err = s.write(ctx, w, about, now, func() {})
		return err
	})
	if err != nil {
		return Snapshot{}, fmt.Errorf("store: snapshot %s: %w", path, err)
	}
	return snapshot, nil
}

// Open returns a new store with the histories of the snapshot at path, and what
// the snapshot says of itself; ReadSnapshot says what is checked. Where there is
// no file the error is fs.ErrNotExist: the service starts for the first time,
// with New.
func Open[U User](ctx context.Context, path string, c Config, about string) (*Store[U], Snapshot, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, Snapshot{}, fmt.Errorf("store: snapshot: %w", err)
	}
	defer f.Close()
	s, snapshot, err := read[U](ctx, f, c, about)
	if err != nil {
		return nil, Snapshot{}, fmt.Errorf("store: snapshot %s: %w", path, err)
	}
	return s, snapshot, nil
}
