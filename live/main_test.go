package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dejavu/live/config"
	"dejavu/strategies/strategytest"
)

// TestMain turns the test's program into the service if a test starts it as one.
func TestMain(m *testing.M) {
	if line := os.Getenv("LIVE"); line != "" {
		os.Args = strings.Fields("live " + line)
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// The program ends with 2 for a wrong command line, with 1 for an error, and says either in a line.
func TestExits(t *testing.T) {
	const number = "2 live: compare: --turns is "
	for line, want := range map[string]string{
		"print-config": "0 " + string(config.Default), "serve --nothing": "2 live: unknown flag --nothing",
		"serve --log=json --idle=500us": "1 live: configuration: idle is 500",
		"serve --window=0":              "1 live: --window or --fpr is 0: give both",
		"compare --users=511":           number, "compare --for=0s": number, "compare --turns=0": number,
	} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "LIVE="+line)
		b, _ := cmd.CombinedOutput() // an error is the code
		strategytest.Contains(t, fmt.Sprintf("%d %s", cmd.ProcessState.ExitCode(), b), want, "%s", line)
		strategytest.Equal(t, bytes.Count(b, []byte("\n")) == 1, want[0] != '0', "%s: there is one line", line)
	}
}

// A flag takes the place of the file's key, and changes nothing else.
func TestFlags(t *testing.T) {
	file := filepath.Join(t.TempDir(), "live.yaml")
	strategytest.Must(t, os.WriteFile(file, []byte("window: 300\nfpr: 0.03\nidle: 5h\ndata: /d\npartitions: 7"), 0o600))
	for flag, key := range map[string]string{
		"--log=json": "", "--window=200": "window: 200", "--fpr=1%": "fpr: 0.01", "--idle=48h": "idle: 48h",
		"--data=/data": "data: /data", "--new-log": "", "--trust-clock": "", "--clock-file=A": "",
	} {
		var p program
		strategytest.Value(p.parser(nil).Parse([]string{"serve", "--config", file, flag}))
		want := strategytest.Value(config.ReadFile(file, []byte(key)))
		want.NewLog, want.TrustClock = flag == "--new-log", flag == "--trust-clock"
		want.ClockFile = map[bool]string{true: "A"}[flag == "--clock-file=A"]
		strategytest.DeepEqual(t, strategytest.Value(p.Serve.read()), want, "%s", flag)
	}
}
