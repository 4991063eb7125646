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
	"time"

	"github.com/alecthomas/kong"

	"dejavu/experiments/usage"
	"dejavu/live/elsewhere"
	"dejavu/live/exposure"
	"dejavu/live/layout"
	"dejavu/live/load"
	"dejavu/store"
	"dejavu/strategies"
)

type program struct {
	Users    int           `help:"Users who have a history." default:"1000000"`
	Articles int           `help:"Articles that each user was shown before." default:"500"`
	Strategy string        `help:"A strategy of the catalogue." default:"chain"`
	For      time.Duration `help:"Time of each measurement." default:"2s"`
	Turns    int           `help:"How often each measurement is made, in turn." default:"3"`
	Callers  int           `help:"Calls at once." default:"64"`
	Cache    int64         `help:"Bytes of the block cache." default:"268435456"`
	Unsynced bool          `help:"Answer before the disk has it."`
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
	dir, err := os.MkdirTemp("", "dejavu-pebble-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	o := load.Options{Users: p.Users, Articles: p.Articles, Strategy: p.Strategy, For: p.For, Turns: p.Turns, Callers: p.Callers, Dir: dir, Out: os.Stdout}
	var db *Pebble
	o.Elsewhere = func(_ context.Context, l layout.Layout, secret strategies.Secret, clock func() store.Timestamp) (exposure.Keeper, func(context.Context) (int64, string, error), error) {
		var err error
		db, err = Open(filepath.Join(dir, "pebble"), p.Cache, !p.Unsynced, elsewhere.Histories{Layout: l, Secret: secret, Idle: 24 * time.Hour, Clock: clock})
		return db, func(context.Context) (int64, string, error) {
			bytes, err := db.Bytes()
			return bytes, "of disk", err
		}, err
	}
	err = load.Run(ctx, o)
	if db != nil {
		db.Close()
	}
	return err
}
