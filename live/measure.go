package main

import (
	"context"
	"io"
	"os"
	"runtime/pprof"
	"time"

	"dejavu/live/elsewhere"
	"dejavu/live/exposure"
	"dejavu/live/layout"
	"dejavu/live/load"
	"dejavu/store"
	"dejavu/strategies"
)

type measure struct {
	Users    int           `help:"Users who have a history." default:"1000000"`
	Articles int           `help:"Articles that each user was shown before." default:"500"`
	Strategy string        `help:"A strategy of the catalogue." default:"chain"`
	For      time.Duration `help:"Time of each measurement." default:"2s"`
	Turns    int           `help:"How often each measurement is made, in turn." default:"3"`
	Callers  int           `help:"Calls at once." default:"64"`
	Redis    string        `help:"Address of a Redis that holds the histories, in place of memory." placeholder:"ADDRESS"`
	Profile  string        `help:"File for a profile of the processor." type:"path"`
	Dir      string        `help:"Folder for the log and the snapshots; a temporary one by default." type:"path"`
}

// Run measures.
func (m *measure) Run(ctx context.Context, out io.Writer) error {
	o := load.Options{
		Users: m.Users, Articles: m.Articles, Strategy: m.Strategy, For: m.For, Turns: m.Turns, Callers: m.Callers, Dir: m.Dir, Out: out,
	}
	if m.Redis != "" {
		o.Elsewhere = func(ctx context.Context, l layout.Layout, secret strategies.Secret, clock func() store.Timestamp) (exposure.Keeper, func(context.Context) (int64, string, error), error) {
			r, err := elsewhere.NewRedis(ctx, elsewhere.Options{Address: m.Redis, Histories: elsewhere.Histories{Layout: l, Secret: secret, Idle: 24 * time.Hour, Clock: clock}})
			return r, func(ctx context.Context) (int64, string, error) {
				bytes, err := r.Bytes(ctx)
				return bytes, "used_memory of Redis", err
			}, err
		}
	}
	if m.Profile != "" {
		f, err := os.Create(m.Profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	return load.Run(ctx, o)
}
