package main

import (
	"testing"

	"dejavu/workload"
)

// What a flag says it takes, it takes, and no more.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		command runCommand
		good    bool
	}{
		{runCommand{Users: 1}, true},
		{runCommand{Users: workload.MaxUsers, Parts: 10_000, Workers: 1024, Memory: 64 << 20}, true},
		{runCommand{Users: 0}, false},
		{runCommand{Users: -1}, false},
		{runCommand{Users: 1, Parts: -1}, false},
		{runCommand{Users: 1, Parts: 10_001}, false},
		{runCommand{Users: 1, Workers: -1}, false},
		{runCommand{Users: 1, Workers: 1025}, false},
		{runCommand{Users: 1, Memory: 64<<20 - 1}, false},
	} {
		if _, err := c.command.check(); (err == nil) != c.good {
			t.Errorf("%+v: %v", c.command, err)
		}
	}
}
