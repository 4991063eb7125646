// Command pebble measures the exposure service with its histories in Pebble, a store on disk inside the
// process, beside `go run . load` in the module above, which keeps them in memory.
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
	"dejavu/live/keyvalue"
	"dejavu/live/measure"
)

type program struct {
	measure.LoadFlags
	Cache    int64 `help:"Bytes of the block cache." default:"268435456"`
	Unsynced bool  `help:"Answer before the disk has it."`
}

func main() {
	var p program
	kong.Parse(&p, kong.Name("pebble"), usage.Numbers(),
		kong.Description("The exposure service with histories in Pebble, measured."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	open := func(_ context.Context, dir string) (keyvalue.Database, error) {
		return Open(filepath.Join(dir, "pebble"), p.Cache, !p.Unsynced)
	}
	if err := p.LoadFlags.Over(ctx, os.Stdout, open); err != nil {
		fmt.Fprintln(os.Stderr, "pebble:", err)
		os.Exit(1)
	}
}
