package main

import (
	"fmt"
	"strings"
	"testing"

	"dejavu/experiments/choice"
	"dejavu/experiments/golden"
	"dejavu/internal/sysinfo"
	"dejavu/workload"
)

// README.md shows what the program prints.
func TestREADMEChoosing(t *testing.T) {
	if sysinfo.RaceDetector {
		t.Skip("theory is slow, and shares nothing between goroutines")
	}
	args := strings.Fields("choose --users 10000000 --window 400 --fpr 0.02 --memory 6GiB --markdown")
	r := program(t.Context(), args...)
	wants(t, r, exitOK, r.stdout, "1 of 15 strategies fits", "Take quotient: 605 B")
	golden.Document(t, "docs/choosing.md", "choose", r.stdout)
}

// The help names the ranges that errors name, and the variables of array jobs that are read (shard.Parse).
func TestHelp(t *testing.T) {
	r := program(t.Context(), "choose", "--help")
	wants(t, r, exitOK, r.stdout, fmt.Sprintf("1 to %d", choice.MaxWindow), fmt.Sprintf("%v or more", choice.MinFPR),
		fmt.Sprintf("1 to %d", workload.MaxUsers))
	r = program(t.Context(), "run", "--help")
	wants(t, r, exitOK, r.stdout, fmt.Sprint(workload.MaxUsers), "JOB_COMPLETION_INDEX", "SLURM_ARRAY_TASK_ID")
}
