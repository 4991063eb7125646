package main

import "github.com/alecthomas/kong"

// helps are the help texts that are too long for a flag's line, or that several flags share, by the names in tags.
var helps = kong.Vars{
	"maxUsers":   "2147483647",
	"runCommand": "Run experiments (the default): all of them, or those named.",
	"mergeCommand": "Merge the shares of a run (--shard) into one run with the same results as a whole run. Or " +
		"merge three or more whole runs that repeat each other: each timing gets an interval in which a further run " +
		"lies in 95 of 100 cases.",
	"mergeDirs": "Directories that are or hold shares (default: --out), or directories of whole runs.",
	"diffCommand": "Print in which rows and verdicts results differ from the committed reference, or from other " +
		"results. Of other users or another seed only verdicts are compared.",
	"diffB": "Directory of the results to compare with (default: the committed run of the same users and seed).",
	"chooseCommand": "Recommend a strategy for a number of users, a window, a false positive rate and a memory " +
		"limit, or for the users of a log. Prints the line of Go that constructs it.",
	"chooseAll": "Also print the tables behind the answer: what fits, what does not, what a request costs, and the " +
		"log's windows.",
	"chooseOut": "Directory for a figure and its numbers: the repeats that each window recognises, and the bytes " +
		"it takes.",
	"outDir":  "Directory for results, figures and the report.",
	"force":   "Replace another run's results in --out.",
	"workers": "Goroutines that read, and the same number that count, 1 to 1024 (default: one per processor).",
	"verbose": "Print all tables, and every time that lies outside the reference's intervals. By default a run of " +
		"all experiments prints a summary.",
	"runParts": "Simulate the users in this many parts, one after the other, 1 to 10000 (default: one, or parts " +
		"that take at most a quarter of --memory).",
	"runMemory": "Memory for histories, 64MiB or more (default: 70 % of what is available).",
	"runShard": "Measure only share I of N of the users: I/N, with I from 0 to N-1. An array job sets it: --shard " +
		"$SLURM_ARRAY_TASK_ID/7. 'merge' makes one run of all shares.",
	"runPopulation": "Simulate the daily users of the population in this file, which 'describe --fit' wrote. The " +
		"experiments daily, pipeline and proposals depend on it.",
	"runAgain":  "Measure everything again, even what an earlier run with the same program, users and seed saved.",
	"claimsIDs": "Claims to show in full, such as P12 or P23b (default: a table of all claims).",
	"chooseUsers": "Number of users, each with a full history, such as 10000000, 1e7 or 10M; 1 to 2147483647 " +
		"(default: 10M, or the log's).",
	"chooseWindow": "Articles to remember at every moment, 1 to 500000 (default: 400, or with a log enough for " +
		"--repeats).",
	"chooseFPR":    "Highest false positive rate at any moment, such as 0.02 or 2%; 1e-12 or more and less than 1.",
	"chooseMemory": "Memory limit for all histories, with a unit, such as 6GiB or 500MB (default: no limit).",
	"chooseArticles": "For filters that never forget: how many articles one must hold at the rate of --fpr, " +
		"--window to 500000 (default: ten times --window, or the most that 99 % of the log's users are shown).",
	"chooseNumbered": "The users are numbered 0 to n-1, which saves 16 bytes a user. By default they have keys: " +
		"names or IDs of any size.",
	"chooseLog": "Choose for the users of this log. Also print what they would have seen, and how well the first " +
		"four fifths of the log's time predict the last. A file or a pattern, compressed or not; may be repeated. It " +
		"is read three or four times.",
	"chooseRepeats": "Share of the log's repeats that the window must recognise, such as 0.99 or 99%; above 0 and " +
		"up to 1 (default: 0.99).",
	"chooseIdle": "Forget a history after this time without an article, in whole seconds, such as 24h; 0 is never " +
		"(default: the shortest of 24h or more that costs few repeats).",
	"logFiles": "The log: one or more files or patterns, in order, also compressed with gzip, zstd or bzip2; - is " +
		"the standard input.",
	"describeSession": "Longest pause between two refreshes of one session, in whole seconds, 1s to 24h.",
	"describeFit":     "Write the population most like the log to this file, for '--population'.",
}
