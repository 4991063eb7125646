package main

import (
	"fmt"
	"os"

	"dejavu/results"
	"dejavu/workload"
)

// habits are those of the daily population that this run simulates.
func (s *suite) habits() workload.DailyConfig {
	if s.population != nil {
		return *s.population
	}
	return workload.DefaultDaily()
}

// readHabits reads --population. Only the daily experiment asks how readers
// behave: what others say is of the population they were made for.
func (c *runCommand) readHabits() (*workload.DailyConfig, error) {
	if c.Population == "" {
		return nil, nil
	}
	for _, name := range c.Names {
		if name != results.Daily {
			return nil, usagef("--population is for the experiment daily alone, not for %s", name)
		}
	}
	switch {
	case len(c.Names) == 0:
		return nil, usagef("--population is for the experiment daily alone: name it, as in 'experiments daily --population %s'", c.Population)
	case results.Shard(c.Shard) != results.Shard{}:
		return nil, usagef("--population cannot be used with --shard")
	}
	data, err := os.ReadFile(c.Population)
	if err != nil {
		return nil, usagef("--population: %w", err)
	}
	habits, err := readPopulation(data)
	if err != nil {
		return nil, usagef("--population: %s: %w", c.Population, err)
	}
	if habits == workload.DefaultDaily() {
		return nil, nil
	}
	return &habits, nil
}

// habitsText names the habits that are not the default, or is "".
func (s *suite) habitsText() string {
	if s.population == nil {
		return ""
	}
	c := *s.population
	return fmt.Sprintf("sessions %v, sigma %v, refreshes %v, least_pause %d, pause_mean %d, recalled %d, per_refresh %d, repeats %v, octave %v",
		c.Sessions, c.Sigma, c.Refreshes, c.LeastPause, c.PauseMean, c.Recalled, c.PerRefresh, c.Repeats, c.Octave)
}
