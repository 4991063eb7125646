package main

import (
	"context"
	"io"
	"time"

	"dejavu/live/load"
)

type measure struct {
	Users    int           `help:"Users who have a history." default:"1000000"`
	Articles int           `help:"Articles each was shown before." default:"500"`
	Strategy string        `help:"A strategy of the catalogue." default:"chain"`
	For      time.Duration `help:"Time of each measurement." default:"2s"`
	Turns    int           `help:"Turns of all measurements." default:"3"`
	Callers  int           `help:"Calls at once." default:"64"`
	Redis    string        `help:"Address of a Redis that holds the histories, in place of memory." placeholder:"ADDRESS"`
	Dir      string        `help:"Folder for the log and the snapshots; a temporary one by default." type:"path"`
}

// Run measures.
func (m *measure) Run(ctx context.Context, out io.Writer) error {
	return load.Run(ctx, load.Options{
		Users: m.Users, Articles: m.Articles, Strategy: m.Strategy, For: m.For, Turns: m.Turns, Callers: m.Callers, Dir: m.Dir, Redis: m.Redis, Out: out,
	})
}
