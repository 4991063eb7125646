package main

import (
	"testing"

	"dejavu/workload"
)

// What a flag says it takes, it takes, and no more.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		what            string
		set             func(c *runCommand, v int64)
		least, most     int64
		tooFew, tooMuch int64
	}{
		{what: "users", set: func(c *runCommand, v int64) { c.Users = int(v) }, least: 1, most: workload.MaxUsers, tooFew: 0, tooMuch: -1},
		{what: "parts", set: func(c *runCommand, v int64) { c.Parts = int(v) }, least: 0, most: 10_000, tooFew: -1, tooMuch: 10_001},
		{what: "workers", set: func(c *runCommand, v int64) { c.Workers = int(v) }, least: 0, most: 1024, tooFew: -1, tooMuch: 1025},
		{what: "memory", set: func(c *runCommand, v int64) { c.Memory = size(v) }, least: 64 << 20, most: 1 << 50, tooFew: 64<<20 - 1, tooMuch: 1},
	} {
		for v, good := range map[int64]bool{c.least: true, c.most: true, c.tooFew: false, c.tooMuch: false} {
			command := runCommand{Users: 1}
			c.set(&command, v)
			if _, err := command.check(); (err == nil) != good {
				t.Errorf("%d %s: %v", v, c.what, err)
			}
		}
	}
}
