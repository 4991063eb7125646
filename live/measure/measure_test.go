package measure

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"golang.org/x/sync/errgroup"

	"dejavu/live/client"
	"dejavu/live/config"
	"dejavu/live/exposure"
	"dejavu/live/instance"
	"dejavu/live/keeper"
	"dejavu/live/layout"
	"dejavu/live/log/journal"
	"dejavu/live/partition"
	"dejavu/live/service"
	"dejavu/live/traffic"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
	"dejavu/workload"
)

var (
	chain, _ = layout.Make(layout.Choice{Name: "chain"})
	secret   = strategies.RandomSecret()
	defaults = fmt.Sprint(filled, callers, eachCall, workers) // before init
)

func init() { filled, callers, workers = 300, 8, 4 }

// TestMain turns the test's program into the service, or into a relay to a broker, if a fleet starts it as one.
func TestMain(m *testing.M) {
	last := os.Args[len(os.Args)-1]
	switch {
	case len(os.Args) > 3 && os.Args[1] == "serve":
		c, err := config.ReadFile(last)
		if os.Args[2] == "--clock-file" {
			c.ClockFile = os.Args[3]
		}
		if err == nil {
			ctx, _ := signal.NotifyContext(context.Background(), syscall.SIGTERM)
			err = instance.Run(ctx, c, slog.New(slog.NewTextHandler(os.Stderr, nil)))
		}
		if os.Getenv("FORGETFUL") != "" {
			err = os.RemoveAll(c.Data)
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	case os.Args[1] == "relay":
		_, at, _ := strings.Cut(string(strategytest.Value(os.ReadFile(last))), "PLAINTEXT://")
		at, _, _ = strings.Cut(at, ",")
		for l := strategytest.Value(net.Listen("tcp", at)); ; {
			from, to := strategytest.Value(l.Accept()), strategytest.Value(net.Dial("tcp", os.Getenv("BROKER")))
			go func() { _, _ = io.Copy(from, to) }()
			go func() { _, _ = io.Copy(to, from) }()
		}
	}
	os.Exit(m.Run())
}

// fakeKafka puts programs before Maven and Java that relay a broker's port to a fake in this process.
func fakeKafka(t *testing.T) {
	t.Helper()
	broker := strategytest.Value(kfake.NewCluster(kfake.NumBrokers(1), kfake.GroupMinSessionTimeout(100*time.Millisecond)))
	t.Cleanup(broker.Close)
	dir := t.TempDir()
	for name, script := range map[string]string{
		"mvn":  `for a; do case $a in -Dmdep.outputFile=*) echo classes >"${a#*=}";; esac; done`,
		"java": `case "$*" in *"StorageTool format -t "*) ;; *"-cp classes"*) exec ` + os.Args[0] + ` relay "$@" ;; esac`,
	} {
		strategytest.Must(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o700))
	}
	t.Setenv("BROKER", broker.ListenAddrs()[0])
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

// Short proofs, on the embedded log and on a fake of Kafka, report calls and trouble of every kind, and leave no files.
func TestProve(t *testing.T) {
	fakeKafka(t)
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	var outs [2]strings.Builder
	var both errgroup.Group
	for i := range outs {
		both.Go(func() error {
			return (&Prove{Users: 300, Kills: 4 - 2*i, Seed: 1, Kafka: i == 1}).Run(t.Context(), &outs[i])
		})
	}
	strategytest.Must(t, both.Wait())
	for i, more := range []string{
		"[0-9]+ calls repeated\n4 damaged copies: [0-4] harmless, [0-4] mended, with a line, [0-4] refused, in one line",
		"1 kills of the broker, 1 pauses of instances beyond their session, 1 partitions added, [0-9]+ calls repeated\n.*",
	} {
		some := strings.ReplaceAll(`300 users, strategy beyond/matrix, .*s, N articles, N forgotten, `+
			`N histories, N questions, N records, N shows
K kills of instances, 1 jumps of their clocks, 1 floods of 2000 connections, `+more+`
from a kill to all partitions served: median [^0].*, longest [^0].*
every answer and every history is the exact model's`, "N", "[1-9][0-9]*")
		some = strings.ReplaceAll(some, "K", fmt.Sprint(4-2*i))
		out := outs[i].String()
		strategytest.Equal(t, regexp.MustCompile(some).MatchString(out), true, "%s\nis as %s", out, some)
		strategytest.Contains(t, out, []string{"6 of 6 troubles", "7 of 7 troubles"}[i], "the proof")
	}
	strategytest.Equal(t, len(strategytest.Value(os.ReadDir(dir))), 0, "files that are left")
	t.Setenv("FORGETFUL", "yes") // after a graceful stop
	forgotten := (&Prove{Users: 300}).Run(t.Context(), io.Discard)
	strategytest.ErrorSays(t, "a service that forgets", forgotten, " a history of 0 ")
	strategytest.ErrorSays(t, "no users", (&Prove{}).Run(t.Context(), io.Discard), "users")
	t.Setenv("PATH", "")
	strategytest.ErrorSays(t, "no Maven", (&Prove{Users: 300, Kafka: true}).Run(t.Context(), io.Discard), "maven: ")
	t.Setenv("TMPDIR", "/dev/null")
	strategytest.ErrorSays(t, "nowhere to write", (&Prove{}).Run(t.Context(), io.Discard), "/dev/null")
	strategytest.ErrorSays(t, "nowhere to write", (&Compare{}).Run(t.Context(), io.Discard), "/dev/null")
}

// A trouble that cannot be caused is an error: of ended processes, of a proof that is given up, without a folder.
func TestErrors(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	soon, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	p := &proof{Prove: Prove{Kafka: true}, random: rand.New(rand.NewPCG(1, 1)), out: io.Discard}
	p.client = strategytest.Value(client.New(client.Options{Addresses: []string{"127.0.0.1:1"}}))
	for what, ctx := range map[string]context.Context{"ended": soon, "given up": over, "no folder": over} {
		p.fleet = &fleet{dir: t.TempDir()}
		one := strategytest.Value(p.server("one", "", "tail", "-f"))
		strategytest.Must(t, one.start())
		if what == "ended" {
			strategytest.Must(t, one.Kill())
			strategytest.ErrorSays(t, "what one waits for", one.awaitReady(soon), "one has ended by itself\n")
		}
		if what == "no folder" {
			p.dir = "/dev/null"
		}
		p.instances, p.broker = []*Process{one}, one
		for _, of := range p.troubles() {
			strategytest.Equal(t, of.cause(ctx) != nil, true, "%s, %s: an error", what, of.name)
		}
		p.Kills = 1
		strategytest.Equal(t, p.trouble(ctx) != nil, true, "%s: an error of all trouble", what)
		_ = one.Kill()
	}
	p.dir = "/dev/null"
	for what, err := range map[string]error{
		"an instance": strategytest.ErrorOf(p.instance("two", "")), "Redis": strategytest.ErrorOf(p.redis(over)),
		"Kafka":   strategytest.ErrorOf(StartKafka(over, p.dir, "")),
		"a start": (&Process{log: filepath.Join(t.TempDir(), "log"), command: []string{"/dev/null/nowhere"}}).start(),
		"a log":   (&Process{log: "/dev/null/log", command: []string{"true"}}).start(),
	} {
		strategytest.ErrorSays(t, what, err, "/dev/null")
	}
}

// A copy that lacks an answer is found, and so is an unhelpful refusal. Users with a call under way are not compared.
func TestCopies(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	p := &proof{Prove: Prove{Users: 50}, random: rand.New(rand.NewPCG(1, 1)), out: io.Discard}
	p.fleet = strategytest.Value(newFleet())
	defer p.kill()
	strategytest.Must(t, p.begin(t.Context()))
	for range 100 {
		strategytest.Must(t, p.crowds[0].step(t.Context()))
	}
	c := p.crowds[0]
	c.ask(c.persons[:1])
	histories := p.settled(1)
	strategytest.Equal(t, len(histories), 49, "histories of those who are not asked for")
	strategytest.Must(t, compareWith(t.Context(), histories, p.client))
	c.ask(nil)
	for _, one := range c.persons[:8] { // all are compared
		known := one.history
		one.history = append(bytes.Clone(known), 1)
		strategytest.ErrorSays(t, "another history", p.compareAll(t.Context()), one.name+": a history of ")
		one.history = known
	}
	name := c.persons[1].name
	histories[name] = nil
	strategytest.Must(t, p.killInstance(t.Context()), p.anyInstance().Kill())
	strategytest.ErrorSays(t, "one that has ended by itself", p.killInstance(t.Context()), "process already finished")
	for p.refused, p.started = 0, 0; p.started == p.refused; p.started++ { // a copy that starts lacks the user's nothing
		dir := filepath.Join(p.dir, fmt.Sprint("lost-", p.started))
		strategytest.Must(t, os.CopyFS(dir, os.DirFS(filepath.Join(p.dir, p.instances[0].name))))
		err := p.startDamaged(t.Context(), filepath.Base(dir), histories)
		strategytest.ErrorSays(t, "a copy", err, map[bool]string{true: name + ": a history of "}[p.started == p.refused])
	}
	for says, want := range map[string]string{
		"time=1 level=INFO\nlive: log /d/log: damaged; restore it\n": "",
		"live: log /e/log: damaged; restore it\n":                    "refused",
		"live: log /d/log: damaged\n":                                "refused",
		"time=1 level=INFO\n":                                        "refused",
		"/d: set it\n/d: set it\n":                                   "refused",
	} {
		strategytest.ErrorSays(t, says, refusal(says, "/d"), want)
	}
}

// A liar is a keeper with a fault.
type liar struct {
	exposure.Keeper
	fault string
}

func (l *liar) ShowAll(ctx context.Context, requests []exposure.Show) error {
	err := l.Keeper.ShowAll(ctx, requests)
	last := &requests[len(requests)-1]
	switch l.fault {
	case "an article is lost":
		last.Shown = last.Shown[1:]
	case "an article comes again":
		last.Shown[1] = last.Shown[0]
	}
	return err
}

func (l *liar) Seen(ctx context.Context, user string, candidates []strategies.ID, seen []bool) error {
	err := l.Keeper.Seen(ctx, user, candidates, seen)
	seen[0] = seen[0] != (l.fault == "another answer")
	return err
}

func (l *liar) History(ctx context.Context, user string) ([]byte, error) {
	h, err := l.Keeper.History(ctx, user)
	if l.fault == "another history" {
		h = append(h, 1)
	}
	return h, err
}

func (l *liar) Record(ctx context.Context, user string, request uint64, articles []strategies.ID) error {
	if l.fault == "a record is lost" {
		articles = articles[1:]
	}
	return l.Keeper.Record(ctx, user, request, articles)
}

// crowdOver returns a crowd of five that asks a service over a keeper.
func crowdOver(t *testing.T, k exposure.Keeper) *crowd {
	t.Helper()
	listener := strategytest.Value(net.Listen("tcp", "127.0.0.1:0"))
	in := traffic.New(strategytest.Value(config.Read()).Limits, nil)
	s := &service.Service{Keeper: k, Layout: chain, Secret: secret, Traffic: in}
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	go func() { _ = service.Serve(ctx, listener, s.Handler(), in, nil) }()
	to := strategytest.Value(client.New(client.Options{Addresses: []string{listener.Addr().String()}, HTTP1: true}))
	users, random := 5*workers, rand.New(rand.NewPCG(1, 1))
	f, population := &fleet{layout: chain, secret: secret}, strategytest.Value(workload.NewFull(1, users))
	return newCrowd(f, population, to, random, 0, users)
}

// kept returns a keeper.
func kept(t *testing.T) *keeper.Keeper {
	t.Helper()
	path := t.TempDir()
	strategytest.Must(t, journal.Begin(path, 0))
	on := strategytest.Value(journal.Open(path, 2))
	t.Cleanup(func() { on.Close() })
	k := keeper.New(keeper.Config{
		Config: partition.Config{Of: 2, Layout: chain, Secret: secret, Retries: 100, Log: on},
		Logger: slog.New(slog.DiscardHandler), Clock: func() store.Timestamp { return 1 },
	})
	strategytest.Must(t, k.Take(t.Context(), []int{0, 1}))
	return k
}

// The model finds every kind of fault, and no other.
func TestCrowd(t *testing.T) {
	for _, name := range []string{
		"", "an article is lost", "an article comes again", "another answer", "another history", "a record is lost",
	} {
		c := crowdOver(t, &liar{kept(t), name})
		var err error
		for range 1500 {
			if err = c.step(t.Context()); err != nil {
				break
			}
		}
		if err == nil {
			err = compareWith(t.Context(), (&proof{crowds: []*crowd{c}, random: c.random}).settled(1), c.client)
		}
		strategytest.Equal(t, err != nil, name != "", "%q is found: %v", name, err)
		if name == "" {
			for what, least := range map[string]int64{
				"shows": 1000, "records": 20, "questions": 20, "forgotten": 1, "histories": 20, "articles": 5000,
			} {
				strategytest.AtLeast(t, c.compared[what], least, "%s that were compared", what)
			}
		}
	}
}

// A comparison has rows of every contender, and flushes Redis. It leaves alone a Redis that has keys.
func TestCompare(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	var out strings.Builder
	o := Compare{Users: 131, For: 50 * time.Millisecond, Turns: 2}
	f := strategytest.Value(newFleet())
	defer f.kill()
	strategytest.Equal(t, defaults, "400 32 [1 16] 48", "what docs/live-inside.md says")
	_, none := exec.LookPath("redis-server")
	contenders := 1
	if none == nil {
		contenders = 2
		o.Redis = strategytest.Value(f.redis(t.Context()))
		set := o.contender(o.Redis, "", "").client
		strategytest.Must(t, set.Set(t.Context(), "somebody's", 1, 0).Err())
		strategytest.ErrorSays(t, "not empty", o.Run(t.Context(), &out), o.Redis+": it has 1 keys, want an empty server")
		strategytest.Equal(t, set.Get(t.Context(), "somebody's").Val(), "1", "what was there")
		strategytest.Must(t, set.FlushDB(t.Context()).Err())
		defer func() {
			strategytest.Equal(t, set.DBSize(t.Context()).Val(), 0, "keys that are left")
			got := set.ConfigGet(t.Context(), "append*").Val()
			strategytest.Equal(t, got["appendonly"]+got["appendfsync"], "yeseverysec", "the last configuration")
		}()
	}
	strategytest.Must(t, o.Run(t.Context(), &out))
	row := `(?m)^\| (durable|synced later) \| (1|16) \| (Dejavu|Redis, SET) \|`
	row += strings.Repeat(` [0-9.]*[1-9][0-9.]* \|`, 7) + ` -?[0-9]+ \|$` // the memory may be less than before
	rows := regexp.MustCompile(row).FindAllString(out.String(), -1)
	strategytest.Equal(t, len(rows), 4*contenders, "rows, alone and in a pipeline, durable and not, of %s", &out)
	strategytest.Equal(t, len(strategytest.Value(os.ReadDir(dir))), 1, "folders that are left, with this test's own")

	// Turns: calls of each contender, for other users each.
	o.Redis = ""
	all := strategytest.Value(o.start(t.Context(), f, false, io.Discard))
	strategytest.Equal(t, len(all), contenders, "contenders")
	for _, k := range all {
		strategytest.Must(t, k.fill(t.Context(), io.Discard))
		strategytest.Equal(t, k.client.DBSize(t.Context()).Val(), int64(o.Users), "users of %s", k.name)
		for _, each := range eachCall {
			var got outcome
			strategytest.Must(t, k.turn(t.Context(), &got, 1, each))
			busy := time.Duration(0)
			for _, d := range got.times {
				busy += d
			}
			waiting := busy.Seconds() * got.rates[0] / float64(len(got.times)*each)
			strategytest.Between(t, waiting, 0.1*float64(callers), float64(callers), "%s: callers that wait", k.name)
			load := got.rates[0] * got.costs[0] / 1e6
			strategytest.Between(t, load, 0.005, float64(runtime.NumCPU())+1, "%s: processors that it took", k.name)
		}
		strategytest.Must(t, k.client.FlushDB(t.Context()).Err(), k.fill(t.Context(), io.Discard))
		for user := range k.next { // a turn that asks only about what fill has asked about shows nothing
			k.next[user] = filled - perRequest/2
		}
		short := k.turn(t.Context(), &outcome{}, 1, 1)
		strategytest.ErrorSays(t, "what was seen", short, "a show shows 0.00 articles, want 10")
	}
	t.Setenv("PATH", "")
	alone := strategytest.Value(newFleet())
	defer alone.kill()
	all = strategytest.Value(o.start(t.Context(), alone, false, &out))
	strategytest.Equal(t, len(all), 1, "contenders without Redis")
	strategytest.Contains(t, out.String(), `left out: redis: exec: "redis-server"`, "without Redis")

	// The arithmetic of rows: medians and quantiles, ratios of the same turns to the first contender.
	a, b := &contender{name: "a", empty: 131, full: 393}, &contender{name: "b", empty: 0, full: 131}
	for i := range 2000 {
		a.outcomes[1].times = append(a.outcomes[1].times, time.Duration(2000-i)*time.Millisecond)
	}
	a.outcomes[1].rates, a.outcomes[1].costs = []float64{30, 10, 20}, []float64{4, 2, 1}
	b.outcomes[1] = outcome{[]float64{15, 40, 100}, []float64{1, 1, 3}, []time.Duration{time.Second}}
	a.outcomes[0], b.outcomes[0] = b.outcomes[1], b.outcomes[1]
	got := strings.Join(strings.Split(o.rows("how", []*contender{a, b}), "\n")[2:], "\n")
	strategytest.Equal(t, got, "| how | 16 | a | 20 | 1.00 | 1001.00 | 1981.00 | 1999.00 | 2.0 | 1.00 | 2 |\n"+
		"| how | 16 | b | 40 | 4.00 | 1000.00 | 1000.00 | 1000.00 | 1.0 | 0.50 | 1 |\n", "rows")
	o.Redis = "127.0.0.1:1"
	strategytest.ErrorSays(t, "no Redis", o.Run(t.Context(), io.Discard), "redis 127.0.0.1:1: ")
	k := all[0]
	k.show = []any{"NOSUCH"}
	for _, says := range []string{"unknown command", "closed"} {
		strategytest.ErrorSays(t, "histories", k.fill(t.Context(), io.Discard), says)
		strategytest.ErrorSays(t, "a turn", k.turn(t.Context(), &outcome{}, 0, 1), says)
		k.client.Close()
	}
}
