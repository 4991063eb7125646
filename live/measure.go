package main

import (
	"context"
	"io"
	"os"
	"runtime/pprof"

	"dejavu/live/elsewhere"
	"dejavu/live/load"
)

type measure struct {
	load.Flags
	Redis   string `help:"Address of a Redis that holds the histories, in place of memory." placeholder:"ADDRESS"`
	Profile string `help:"File for a profile of the processor." type:"path"`
}

// Run measures.
func (m *measure) Run(ctx context.Context, out io.Writer) error {
	o := load.Options{Flags: m.Flags, Out: out}
	if m.Redis != "" {
		o.Elsewhere = func(ctx context.Context, _ string, h elsewhere.Histories) (load.Database, func(context.Context) (int64, string, error), error) {
			r, err := elsewhere.NewRedis(ctx, elsewhere.Options{Address: m.Redis, Histories: h})
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
