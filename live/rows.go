package main

import (
	"context"
	"io"
	"os"

	"dejavu/live/real"
)

type rows struct {
	Out   string `help:"Folder for the rows." default:"../out/live" type:"path"`
	Times int    `help:"Requests of a kind in each of the turns." default:"200"`
	Jars  string `help:"Folder of Kafka's jars, in place of Maven." type:"existingdir"`
}

// Run measures, and leaves the rows.
func (r *rows) Run(ctx context.Context, out io.Writer) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	return real.Run(ctx, real.Options{Rows: r.Out, Times: r.Times, Jars: r.Jars, Program: program, Args: os.Args[1:], Progress: out})
}
