package main

import (
	"context"
	"io"
	"os"

	"dejavu/live/proof"
)

type prove struct {
	Users       int    `help:"Simulated users." default:"10000"`
	Kills       int    `help:"Kills of instances by SIGKILL." default:"100"`
	Strategy    string `help:"A strategy of the catalogue." default:"chain"`
	Seed        uint64 `help:"Of everything random but the moments of the operating system." default:"1"`
	Dir         string `help:"Folder for the files that are written; a temporary one by default." type:"path"`
	Kafka       bool   `help:"Run two instances on a Kafka of one node, which Maven downloads."`
	BrokerKills int    `help:"Kills of the broker." default:"10"`
	Pauses      int    `help:"How often an instance is stopped until the other has taken over." default:"10"`
	Jars        string `help:"Folder of Kafka's jars, in place of Maven." type:"existingdir"`
}

// Run proves.
func (p *prove) Run(ctx context.Context, out io.Writer) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	return proof.Run(ctx, proof.Options{
		Users: p.Users, Kills: p.Kills, Strategy: p.Strategy, Seed: p.Seed, Dir: p.Dir, Program: program, Out: out,
		Kafka: p.Kafka, BrokerKills: p.BrokerKills, Pauses: p.Pauses, Jars: p.Jars,
	})
}
