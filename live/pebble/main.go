// Command pebble measures the exposure service with its histories in Pebble, a store on
// disk inside the process, beside `go run . load` in the module above, which keeps them in
// memory.
//
//	go run . --users 1000000
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/alecthomas/kong"

	"dejavu/experiments/usage"
	"dejavu/live/elsewhere"
	"dejavu/live/load"
)

type program struct {
	load.Flags
	Cache    int64 `help:"Bytes of the block cache." default:"268435456"`
	Unsynced bool  `help:"Answer before the disk has it."`
}

func main() {
	var p program
	kong.Parse(&p, kong.Name("pebble"), kong.Description("The exposure service with histories in Pebble, measured."), usage.Numbers())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := p.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "pebble:", err)
		os.Exit(1)
	}
}

func (p *program) run(ctx context.Context) error {
	o := load.Options{Flags: p.Flags, Out: os.Stdout}
	o.Elsewhere = func(_ context.Context, dir string, h elsewhere.Histories) (load.Database, func(context.Context) (int64, string, error), error) {
		db, err := Open(filepath.Join(dir, "pebble"), p.Cache, !p.Unsynced, h)
		return db, func(context.Context) (int64, string, error) {
			bytes, err := db.Bytes()
			return bytes, "of disk", err
		}, err
	}
	return load.Run(ctx, o)
}
