package simulate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"dejavu/cluster/internal/storage"
)

type contextType = context.Context

// oneRun is the key under which all shards of a run meet.
const oneRun = 0

// A measureFn measures shards.
type measureFn struct {
	Config  Config
	program program
}

// Setup makes the program ready, once in a worker.
func (f *measureFn) Setup(ctx context.Context) (err error) {
	f.program, err = fetch(ctx, f.Config.Program)
	return err
}

// ProcessElement measures one shard and emits its files.
func (f *measureFn) ProcessElement(ctx context.Context, shard int, emit func(int, []byte)) error {
	dir, err := os.MkdirTemp("", "dejavu-shard-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := f.program.run(ctx, f.Config.run(shard, dir)...); err != nil {
		return fmt.Errorf("shard %d of %d: %w", shard, f.Config.Shards, err)
	}
	piece, err := pack(dir)
	if err != nil {
		return fmt.Errorf("shard %d of %d: %w", shard, f.Config.Shards, err)
	}
	log.Infof(ctx, "shard %d of %d is measured: %d bytes", shard, f.Config.Shards, len(piece))
	emit(oneRun, piece)
	return nil
}

// Teardown removes what Setup fetched.
func (f *measureFn) Teardown() error { return f.program.remove() }

// A mergeFn makes one run of all shards and writes its files.
type mergeFn struct {
	Config  Config
	program program
}

// Setup makes the program ready, once in a worker.
func (f *mergeFn) Setup(ctx context.Context) (err error) {
	f.program, err = fetch(ctx, f.Config.Program)
	return err
}

// ProcessElement merges the shards of the run. The shards come in any order:
// merge knows theirs.
func (f *mergeFn) ProcessElement(ctx context.Context, _ int, next func(*[]byte) bool) error {
	dir, err := os.MkdirTemp("", "dejavu-merge-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	shards, out := filepath.Join(dir, "shards"), filepath.Join(dir, "out")
	var piece []byte
	for next(&piece) {
		if err := unpack(shards, piece); err != nil {
			return err
		}
	}
	// Merge fails, too, where a run is whole and differs from the committed
	// reference. Then there are files, and the one who reads them judges.
	merged := f.program.run(ctx, "merge", "--out="+out, shards)
	if err := storage.Publish(ctx, out, f.Config.Out); err != nil {
		if merged != nil {
			return merged
		}
		return err
	}
	if merged != nil {
		log.Warnf(ctx, "the results are written, and merge said: %v", merged)
	}
	return nil
}

// Teardown removes what Setup fetched.
func (f *mergeFn) Teardown() error { return f.program.remove() }
