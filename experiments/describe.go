package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"dejavu/experiments/replay"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/workload"
	"dejavu/workload/logs"
)

type describeCommand struct {
	logFlags `embed:""`
	Session  time.Duration `default:"30m" help:"Refreshes of a reader this long apart at most are of one session, whole seconds from 1s to 24h."`
	MaxUsers int           `default:"${maxUsers}" help:"Readers that the log may have, 1 to ${maxUsers}."`
	Fit      string        `help:"Write the fitted population to this file, for 'daily --population'." placeholder:"FILE"`
	Markdown bool          `help:"Print Markdown."`
	Profile  string        `name:"cpuprofile" help:"Write a CPU profile to this file, for go tool pprof." placeholder:"FILE"`
}

// run describes a log.
func (c *describeCommand) run(ctx context.Context, stdout, stderr io.Writer) error {
	switch {
	case c.Session < time.Second || c.Session > 24*time.Hour || c.Session%time.Second != 0:
		return usagef("--session is %v, want whole seconds from 1s to 24h", c.Session)
	case c.MaxUsers < 1 || c.MaxUsers > logs.MaxUsers:
		return usagef("--max-users is %d, want 1 to %d", c.MaxUsers, logs.MaxUsers)
	}
	log, err := c.open(results.Describe, stderr)
	if err != nil {
		return err
	}
	defer log.close()
	if c.Profile != "" {
		stop, err := profile(c.Profile)
		if err != nil {
			return err
		}
		defer stop()
	}
	d, err := measure.Describe{Session: int(c.Session / time.Second), MaxUsers: c.MaxUsers, Progress: log.at}.
		Run(ctx, log.Log, measure.Options{Workers: c.Workers})
	if err := log.done(results.Describe, err); err != nil {
		return err
	}
	m := replay.Log(c.Files, log.Format(), d.ReplayedLog)
	tables := []results.Table{logTable(d), skewTable(d), timesTable(d), agesTable(d)}
	fit, fault := measure.FitDaily(d)
	if fault == nil {
		tables = append(tables, fitTable(fit), goodnessTable(fit))
	}
	fmt.Fprintln(stdout, logText(m))
	for _, t := range tables {
		if len(t.Rows) == 0 {
			continue
		}
		text := t.Text()
		if c.Markdown {
			text = t.Markdown()
		}
		fmt.Fprintf(stdout, "\n%s", text)
	}
	switch {
	case fault != nil && c.Fit != "":
		return fmt.Errorf("--fit: nothing was written: %w", fault)
	case fault != nil:
		fmt.Fprintf(stdout, "\nNo population: %v.\n", fault)
	case c.Fit != "":
		if err := writePopulation(c.Fit, fitted{Fit: fit, Log: m}); err != nil {
			return fmt.Errorf("--fit: %w", err)
		}
		fmt.Fprintf(stdout, "\nThe population is in %s: 'experiments daily --population %s --users N' simulates N such readers.\n", c.Fit, c.Fit)
	}
	return nil
}

// A fitted population is what a file of one holds.
type fitted struct {
	measure.Fit
	Log *results.Log `json:"log,omitempty"` // what it was fitted to
}

// writePopulation writes a population's file, whole or not at all.
func writePopulation(path string, f fitted) error {
	return results.Replace(path, func(w io.Writer) error {
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		return out.Encode(f)
	})
}

// readPopulation reads one: every field of the population must be there, and none
// that is unknown.
func readPopulation(data []byte) (c workload.DailyConfig, err error) {
	var file struct {
		Population map[string]json.RawMessage `json:"population"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return c, fmt.Errorf("byte %d of %d: %w", syntax.Offset, len(data), err)
		}
		return c, err
	}
	if len(file.Population) == 0 {
		return c, errors.New(`no "population" in it; 'describe --fit' writes such a file`)
	}
	for _, f := range []struct {
		name string
		to   any
	}{
		{"sessions", &c.Sessions},
		{"sigma", &c.Sigma},
		{"refreshes", &c.Refreshes},
		{"least_pause", &c.LeastPause},
		{"pause_mean", &c.PauseMean},
		{"recalled", &c.Recalled},
		{"per_refresh", &c.PerRefresh},
		{"repeats", &c.Repeats},
		{"octave", &c.Octave},
	} {
		text, ok := file.Population[f.name]
		if !ok {
			return c, fmt.Errorf("population has no %q", f.name)
		}
		if err := json.Unmarshal(text, f.to); err != nil || string(text) == "null" {
			return c, fmt.Errorf("population: %q is %s, which is no such number", f.name, text)
		}
		delete(file.Population, f.name)
	}
	for name := range file.Population {
		return c, fmt.Errorf("population has an unknown %q", name)
	}
	return c, c.Validate()
}
