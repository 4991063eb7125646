package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"dejavu/cluster/replay"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	local "dejavu/experiments/replay"
	"dejavu/experiments/suite"
	"dejavu/experiments/usage"
	"dejavu/results"
	"dejavu/strategies/strategytest"
	"dejavu/workload/logs"
)

// A command line that is wrong is told so before anything is built or begun.
func TestUsage(t *testing.T) {
	stray, simulated := t.TempDir(), t.TempDir()
	run20 := []byte(`{"users": 20, "seed": 2016, "started": "now", "experiments": [{"name": "fill"}]}`)
	strategytest.Must(t, os.WriteFile(filepath.Join(simulated, "run.json"), run20, 0o600))
	for _, c := range []struct{ args, want string }{
		{"", `expected one of "simulate", "replay"`},
		{"simulat", `did you mean "simulate"?`},
		{"simulate --users many", `--users: "many" is not a number`},
		{"simulate --users 0", "users is 0, want 1 to "},
		{"simulate --out=", "no directory for results"},
		{"simulate --memory=-1", "memory is -1, want 0 or more"},
		{"simulate --users 10M --shards 20000", "shards is 20000, want 1 to 10000"},
		{"simulate tabel1", `unknown experiment "tabel1"`},
		{"simulate table1 --users 10 --shards 20000", "shards is 20000, want 1 to 10000"},
		{"simulate --shards 1 --workers 2000", "workers is 2000, want 0 to 1024"},
		{"replay", "no file named"},
		{"replay nowhere.csv", "nowhere.csv"},
		{"replay no*where.csv", `no file matches "no*where.csv"`},
		{"replay go.mod ./go.mod", "go.mod is named twice"},
		{"replay go.mod " + stray, "is a directory: name its files"},
		{"replay -", "- cannot be read again"},
		{"replay s4://bucket/log", `scheme "s4" not registered`},
		{"replay go.mod --shards=-1", "--shards is -1, want 1 to 10000"},
		{"replay go.mod --shards 1 --out=", "--out is empty"},
		{"replay go.mod --format xml", `--format is "xml", want auto or one of [mind`},
		{"replay go.mod --columns user", `--columns: expected "<key>=<value>" but got "user"`},
		{"replay go.mod --columns reader=1,user=2", `--columns has "reader"`},
		{"replay go.mod --faults=-1", "--faults is -1, want 0 or more"},
		{"replay go.mod --faults few", `--faults: "few" is not a number`},
		{"replay --share 2 go.mod", "--share is 2, want above 0"},
		{"replay go.mod --idle 1500ms", "--idle is 1.5s, want whole seconds"},
		{"replay go.mod --show 3", "--show is 3, which needs --passed"},
		{"replay go.mod --strategies single,bloom", `unknown strategy "bloom"`},
		{"replay go.mod --out " + simulated, "another run's results (a run of 20 simulated users, not a replay of go.mod)"},
		{"simulate fpr --users 30 --out " + simulated, "another run's results (users is 20, not 30)"},
		{"simulate fpr --users 20 --out " + simulated, simulated + " holds fill too, which would be lost"},
	} {
		err := run(t.Context(), strings.Fields(c.args))
		if !errors.As(err, new(usage.Error)) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.args, err, c.want)
		}
	}
	for _, command := range []string{"simulate", "replay"} {
		strategytest.ErrorSays(t, fmt.Sprintf("%s --help", command), run(t.Context(), []string{command, "--help"}), "")
	}
}

// An experiment that fails is an error, after the results of the others.
func TestFailures(t *testing.T) {
	before := suite.All
	defer func() { suite.All = before }()
	suite.All = append(slices.Clone(before), experiment.Experiment{
		Name: "wild", About: "fails", Rows: func(*engine.Run) (rows, timing []results.Row, err error) {
			return nil, nil, errors.New("the wick is wet")
		},
	})
	out := t.TempDir()
	err := run(t.Context(), []string{"simulate", "wild", "arithmetic", "--users=10", "--out=" + out})
	strategytest.ErrorSays(t, "wild", err, "1 of the experiments failed: wild: the wick is wet")
	strategytest.Must(t, strategytest.ErrorOf(os.Stat(filepath.Join(out, "arithmetic.csv"))))
}

// The flags of a replay are the program's: its names, defaults and ways to write.
func TestReplayFlags(t *testing.T) {
	var c command
	args := []string{
		"replay", "--columns", "user=u", "a", "b*", "--columns=article=i,time=t", "--comma=;", "--no-header",
		"--strategies=queue,single", "--strategies", "chain", "--idle", "90m", "--passed", "--show", "3",
		"--parallelism", "3", "--no_use_public_ips", "--flink", "a=1,b=2", "--flink=c=3",
	}
	strategytest.Must(t, strategytest.ErrorOf(parse(&c, args)))
	want := replay.Config{
		Named: []string{"a", "b*"}, Out: "out/replay",
		Reading: local.Reading{
			Format: "auto", Columns: map[string]string{"user": "u", "article": "i", "time": "t"}, Comma: ";",
			Quote: "auto", List: "auto", Clock: "auto", Order: local.ByTime, NoHeader: true, Faults: 1000, Share: 0.1,
		},
		Settings: local.Settings{
			Strategies: []string{"queue", "single", "chain"}, Idle: 90 * time.Minute, Passed: true, Show: 3,
			MaxUsers: logs.MaxUsers,
		},
	}
	if got := c.Replay.Config; !reflect.DeepEqual(got, want) {
		t.Errorf("the flags are %+v\nwant %+v", got, want)
	}
	for name, want := range map[string]string{"parallelism": "3", "no_use_public_ips": "true", "flink": "a=1,b=2,c=3"} {
		strategytest.Equal(t, flag.Lookup(name).Value.String(), want, "Beam has heard of its flag --%s", name)
	}
}

// Of a pipeline that failed, the message of the step is printed last.
func TestCause(t *testing.T) {
	for text, want := range map[string]string{
		"disk full": "disk full",
		"bundle failed:plan\n\tcaused by:\nDoFn[UID:2, Name: writeFn] failed:\nmore than 2 users": "more than 2 users",
	} {
		strategytest.Equal(t, cause(errors.New(text)), want, "%q is caused by", text)
	}
}

// The flags that change a replay are told as the experiments program tells them.
func TestAsked(t *testing.T) {
	for args, want := range map[string]string{
		"log.csv": "",
		"log.csv --idle 24h --faults 1e3 --order time": "",
		"--strategies ring,queue log.csv --idle 90m":   "--idle 1h30m --strategies ring,queue",
		"log.csv --passed --share 5%":                  "--passed true --share 0.05",
		"log.csv --columns user=who,article=what":      "--columns article=what,user=who",
	} {
		parsed, err := parse(new(command), strings.Fields("replay --runner prism --shards 3 --async=false "+args))
		if err != nil {
			t.Fatal(args, err)
		}
		strategytest.Equal(t, local.Asked(parsed), want, "%s", args)
	}
}

// A file is bounded where Flink reads it, and nowhere else.
func TestMostOn(t *testing.T) {
	for runner, want := range map[string]int64{"flink": 320e6, "universal": 320e6, "": 0, "prism": 0, "dataflow": 0} {
		strategytest.Equal(t, mostOn(runner), want, "bytes of a file on %q", runner)
	}
}
