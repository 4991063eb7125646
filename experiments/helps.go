package main

import (
	"fmt"

	"github.com/alecthomas/kong"

	"dejavu/workload"
)

// maxUsers is how many users a run or a log may have.
var maxUsers = fmt.Sprint(workload.MaxUsers)

// helps are the help texts that are too long for a flag's line, and what others name.
var helps = kong.Vars{
	"maxUsers":      maxUsers,
	"runCommand":    "Run experiments (the default): all of them, or those named.",
	"mergeCommand":  "Make one run of the shards of all users (--shard), with the same results as a whole run.",
	"claimsCommand": "Print what the sources say, and the verdict that the results saved in --out give.",
	"chooseCommand": "Name the strategies that fit a number of users, a window, a false positive rate and a memory, or " +
		"what a log's users need, with the Go line of each.",
	"runParts": "Parts in which histories are alive, 1 to 10000 (default: one, or parts of a quarter of --memory " +
		"at most).",
	"runMemory": "Memory for histories, 64MiB or more (default: 70 % of what is available).",
	"profile":   "Write a CPU profile of the run to this file, for go tool pprof.",
	"runShard": "Measure only one of N shares of the users: I/N with I from 0, or auto/N to take I from " +
		"JOB_COMPLETION_INDEX or SLURM_ARRAY_TASK_ID, as array jobs set it. 'merge' makes one run of all.",
	"runPopulation": "With the experiment daily: simulate the users of this file, which 'describe --fit' wrote.",
	"verbose": "Print all tables, fitted to the terminal, and every time that is not the reference's; without it " +
		"a run of all experiments prints a summary.",
	"runAgain":  "Measure again, even what an earlier run with the same program, users and seed has saved.",
	"claimsIDs": "Claims to show in full, as P12, p12 or P23b; a table of all if none is named.",
	"chooseUsers": "Number of users, each with a history of full length, as 10000000, 1e7 or 10M; 1 to " + maxUsers + " " +
		"(default: 10M, or the log's).",
	"chooseWindow": "Articles to remember at every moment, 1 to 500000 (default: 400, or what --repeats of the log's " +
		"take).",
	"chooseFPR":    "Highest false positive rate at any moment, as 0.02 or 2%; 1e-12 or more and less than 1.",
	"chooseMemory": "Memory for all histories, with its unit, as 6GiB or 500MB (default: no limit).",
	"chooseArticles": "Articles up to which a filter that never forgets is to hold the rate, --window to 500000 " +
		"(default: ten times --window, or what 99 % of the log's users are shown at most).",
	"chooseLog": "Choose for the users of this log, and report what they would have seen; the log is read twice. A " +
		"file or a pattern, as 'replay' takes it, packed or not; may be repeated.",
	"chooseRepeats": "Share of the log's repeats that the window is to recognise, as 0.99 or 99%; above 0 and up to 1 " +
		"(default: 0.99).",
	"chooseIdle": "Time without an article after which a history is forgotten, in whole seconds, as 24h; 0 is never " +
		"(default: the shortest from 24h on that costs few repeats).",
	"workers":         "Goroutines that read, and as many that count, 1 to 1024 (default: one per processor).",
	"describeSession": "Refreshes of a user this long apart at most are of one session, whole seconds from 1s to 24h.",
	"describeFit":     "Write the fitted population to this file, for 'daily --population'.",
	"describeProfile": "Write a CPU profile to this file, for go tool pprof.",
	"logFiles": "The log: one or more files or patterns, in order; packed with gzip or zstd too; - is the " +
		"standard input.",
	"replayProfile": "Write a CPU profile to this file, for go tool pprof.",
}
