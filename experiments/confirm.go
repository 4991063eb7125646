package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"dejavu/claims"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/ledger"
	"dejavu/experiments/suite"
	"dejavu/experiments/usage"
	"dejavu/internal/document"
	"dejavu/internal/sysinfo"
	"dejavu/results"
	"dejavu/store"
	"dejavu/workload"
)

type confirmCommand struct {
	Seeds   int    `default:"20" help:"Number of seeds, 1 to 1000; none is near the default."`
	Users   int    `default:"20000" help:"Simulated users for each seed, 1 to ${maxUsers}."`
	Out     string `default:"out/confirm" help:"${confirmOut}" placeholder:"DIR"`
	Workers int    `help:"Goroutines that simulate, 1 to 1024 (default: one per processor)."`
}

// confirmedName is the file that the verdicts of all seeds are saved in.
const confirmedName = "confirmation.json"

// Run judges the claims by runs with other seeds, and says which verdicts depend on the seed, and why.
func (c *confirmCommand) Run(ctx context.Context, p process) error {
	switch {
	case c.Seeds < 1 || c.Seeds > 1000:
		return usage.Errorf("--seeds is %d, want 1 to 1000", c.Seeds)
	case c.Users < 1 || c.Users > workload.MaxUsers:
		return usage.Errorf("--users is %d, want 1 to %d", c.Users, workload.MaxUsers)
	case c.Workers < 0 || c.Workers > 1024:
		return usage.Errorf("--workers is %d, want 1 to 1024", c.Workers)
	}
	chosen := slices.DeleteFunc(slices.Clone(experiments), func(x experiment.Experiment) bool {
		needed := func(c claims.Claim) bool { return slices.Contains(c.Experiments(), x.Name) }
		return !slices.ContainsFunc(claims.All(), needed)
	})
	reference, ok := results.Reference(results.DefaultUsers, results.DefaultSeed)
	if !ok {
		return fmt.Errorf("no committed run of %d users to compare with", results.DefaultUsers)
	}
	var confirmed ledger.Confirmation
	arena := new(store.Arena)
	for i := range c.Seeds {
		scope := engine.Scope{Users: c.Users, Seed: ledger.ConfirmationSeed(i), Entries: entries}
		out := filepath.Join(c.Out, fmt.Sprint("seed-", scope.Seed))
		wanted := results.Manifest{Users: scope.Users, Seed: scope.Seed}
		if err := vacant(out, wanted, namesOf(chosen), false); err != nil {
			return err
		}
		r := newRun(ctx, scope, out, p.stderr)
		r.Options.Workers, r.Options.Arena = c.Workers, arena
		r.Options.Memory = max(sysinfo.Available()*7/10, leastMemory)
		r.Progress().Start(r.Plan(suite.Tasks(scope, chosen)))
		fmt.Fprintf(p.stderr, "seed %d, %d of %d\n", scope.Seed, i+1, c.Seeds)
		manifest, err := suite.Run(r, chosen, suite.Manifest(r, p.args, sysinfo.Commit()))
		if err == nil {
			err = manifest.Failures()
		}
		if err != nil {
			return fmt.Errorf("seed %d: %w; the same command goes on from there", scope.Seed, err)
		}
		run, err := readRun(r.Out)
		if err != nil {
			return err
		}
		confirmed.Add(ledger.Of(run))
	}
	if err := results.Replace(filepath.Join(c.Out, confirmedName), confirmed.Write); err != nil {
		return err
	}
	where := document.Paragraph("Every verdict of every seed is in " + filepath.Join(c.Out, confirmedName) + ".")
	return show(p.stdout, append(confirmed.Blocks(ledger.Of(reference)), where)...)
}
