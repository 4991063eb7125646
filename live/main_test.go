package main

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"dejavu/live/config"
	"dejavu/strategies/strategytest"
)

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
		if flag == "--clock-file=A" {
			want.ClockFile = "A"
		}
		got := strategytest.Value(p.Serve.read())
		strategytest.Equal(t, reflect.DeepEqual(got, want), true, "%s: %+v, want %+v:", flag, got, want)
	}
}

// A flag that is 0 is not taken for left out, and numbers that nothing can be measured with are refused.
func TestWrongFlags(t *testing.T) {
	var p program
	strategytest.Value(p.parser(nil).Parse([]string{"serve", "--window=0"}))
	strategytest.ErrorSays(t, "no window", strategytest.ErrorOf(p.Serve.read()), "--window or --fpr is 0: give both")
	for _, line := range []string{
		"compare --users=31", "compare --articles=0", "compare --for=0s", "compare --turns=0", "compare --callers=0",
		"compare --pipeline=-1",
	} {
		_, err := new(program).parser(nil).Parse(strings.Fields(line))
		strategytest.ErrorSays(t, line, err, ", want ")
	}
}

// The printed configuration is the file of defaults.
func TestPrintConfig(t *testing.T) {
	var b bytes.Buffer
	strategytest.Must(t, strategytest.Value(new(program).parser(&b).Parse([]string{"print-config"})).Run())
	strategytest.Equal(t, b.String(), string(config.Default), "printed")
}
