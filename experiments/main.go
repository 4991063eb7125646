// Experiments runs Dejavu: every strategy over ten million simulated users,
// measured and compared with theory and with the paper.
//
//	go run ./experiments                      everything, at ten million users
//	go run ./experiments table1 window        two experiments alone
//	go run ./experiments --users 100000       fewer users
//	go run ./experiments list                 what there is
//	go run ./experiments plot                 the figures again, from saved results
//	go run ./experiments claims               what the sources say, and the verdicts
//	go run ./experiments verify               saved results against the committed reference
//	go run ./experiments choose               which strategy fits, with which parameters
//	go run ./experiments replay log.csv       strategies over a real exposure log
//	go run ./experiments describe log.csv     what such a log is like, and the population most like it
//	go run ./experiments --shard 2/7          the third of seven shares of the users
//	go run ./experiments merge                one run of all shares
//
// Results, figures and a report appear in the directory out. The exit status is
// 0 if everything ran and agrees with the reference, 1 if something failed or
// differs, 2 if the command line was wrong, and 130 after an interrupt.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
