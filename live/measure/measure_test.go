package measure

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

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
	"dejavu/measure/stopwatch"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
	"dejavu/workload"
)

var (
	chain, _ = layout.Make(layout.Choice{Name: "chain"})
	secret   = strategies.RandomSecret()
)

// TestMain lets the program of the test be the service, where a fleet starts it as one. It
// dies of SIGTERM as of a kill: a graceful stop needs the real program's signals.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "serve" {
		c, err := config.ReadFile(os.Args[3])
		if err == nil {
			err = instance.Run(context.Background(), c, slog.New(slog.NewTextHandler(os.Stderr, nil)))
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// A short proof, on the embedded log: it reports calls of every kind.
func TestProve(t *testing.T) {
	var out strings.Builder
	o := Prove{Users: 300, Kills: 4, Seed: 1, Strategy: "chain", Dir: t.TempDir()}
	strategytest.Must(t, o.Run(t.Context(), &out))
	some := strings.ReplaceAll(`300 users, strategy chain, [0-9]+s: N shows, N of them in batches, of N articles; `+
		`N records, N users forgotten, N questions, N histories fetched
4 kills of instances; [0-9]+ calls repeated, the longest call [^0].*s
from a kill to all partitions served: median [^0].*, longest [^0].*
every answer and every history is the exact model's`, "N", "[1-9][0-9]*")
	if !regexp.MustCompile(some).MatchString(out.String()) || !strings.Contains(out.String(), "4 of 4 troubles") {
		t.Errorf("%s\nwant %s", out.String(), some)
	}
}

// A liar is a keeper with a fault.
type liar struct {
	exposure.Keeper
	showAll func(requests []exposure.Show)
	seen    func(seen []bool)
	history func(history []byte) []byte
	record  func(articles []strategies.ID) []strategies.ID
}

func (l *liar) ShowAll(ctx context.Context, requests []exposure.Show) error {
	err := l.Keeper.ShowAll(ctx, requests)
	if l.showAll != nil {
		l.showAll(requests)
	}
	return err
}

func (l *liar) Seen(ctx context.Context, user string, candidates []strategies.ID, seen []bool) error {
	err := l.Keeper.Seen(ctx, user, candidates, seen)
	if l.seen != nil {
		l.seen(seen)
	}
	return err
}

func (l *liar) History(ctx context.Context, user string) ([]byte, error) {
	h, err := l.Keeper.History(ctx, user)
	if l.history != nil {
		h = l.history(h)
	}
	return h, err
}

func (l *liar) Record(ctx context.Context, user string, request uint64, articles []strategies.ID) error {
	if l.record != nil {
		articles = l.record(articles)
	}
	return l.Keeper.Record(ctx, user, request, articles)
}

func (l *liar) Forget(ctx context.Context, user string) error {
	if l.record != nil {
		return nil
	}
	return l.Keeper.Forget(ctx, user)
}

func crowdOver(t *testing.T, k exposure.Keeper, users int) *crowd {
	t.Helper()
	c := strategytest.Value(config.Read())
	listener := strategytest.Value(net.Listen("tcp", "127.0.0.1:0"))
	in := traffic.New(c.Limits, "")
	s := &service.Service{Keeper: k, Layout: chain, Secret: secret, Traffic: in}
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	go func() { _ = service.Serve(ctx, listener, s.Handler(), in, nil) }()
	to := strategytest.Value(client.New(client.Options{Addresses: []string{listener.Addr().String()}, HTTP1: true}))
	population := strategytest.Value(workload.NewFull(1, users))
	var numbers []int
	for n := range users {
		numbers = append(numbers, n)
	}
	return newCrowd(&fleet{layout: chain, secret: secret}, population, to, rand.New(rand.NewPCG(1, 1)), numbers)
}

// The model finds every kind of fault, and none where there is none.
func TestCrowd(t *testing.T) {
	last := func(requests []exposure.Show) *[]strategies.ID { return &requests[len(requests)-1].Shown }
	for name, l := range map[string]liar{
		"":                       {},
		"an article is lost":     {showAll: func(r []exposure.Show) { *last(r) = (*last(r))[:len(*last(r))-1] }},
		"an article comes again": {showAll: func(r []exposure.Show) { (*last(r))[1] = (*last(r))[0] }},
		"another answer":         {seen: func(seen []bool) { seen[0] = !seen[0] }},
		"another history":        {history: func(h []byte) []byte { return h[:len(h)/2] }},
		"a record is lost":       {record: func(articles []strategies.ID) []strategies.ID { return articles[1:] }},
	} {
		on := strategytest.Value(journal.OpenOrBegin(filepath.Join(t.TempDir(), "log"), 1))
		k := keeper.New(keeper.Config{
			Config: partition.Config{Of: 1, Layout: chain, Secret: secret, Retries: 100, Log: on},
			Logger: slog.New(slog.DiscardHandler), Clock: clock,
		})
		strategytest.Must(t, k.Take(t.Context(), []int{0}))
		l.Keeper = k
		c := crowdOver(t, &l, 5)
		var err error
		for range 1500 {
			if err = c.step(t.Context()); err != nil {
				break
			}
		}
		if err == nil {
			err = c.compareAll(t.Context())
		}
		if (err != nil) != (name != "") {
			t.Errorf("%q: %v", name, err)
		}
		if name == "" {
			for what, least := range map[string]int64{
				"shows": 1000, "batched": 100, "records": 20, "questions": 20, "forgotten": 1, "histories": 20, "articles": 5000,
			} {
				if c.compared[what] < least {
					t.Errorf("%d %s were compared, want %d", c.compared[what], what, least)
				}
			}
		}
		on.Close()
	}
}

// A proof whose program does not serve fails with what that printed.
func TestProveFails(t *testing.T) {
	o := Prove{Users: 10, Strategy: "no such strategy", Dir: t.TempDir()}
	strategytest.ErrorSays(t, "another strategy", o.Run(t.Context(), &strings.Builder{}), "no such strategy")
	f := strategytest.Value(newFleet(t.TempDir(), "chain"))
	defer f.kill()
	p := strategytest.Value(f.instance("broken", "log: nothing\n"))
	err := p.awaitReady(t.Context())
	if err == nil || !strings.Contains(err.Error(), "broken has ended by itself") ||
		!strings.Contains(err.Error(), `log is "nothing"`) {
		t.Errorf("an instance that cannot start: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if p, err = f.instance("slow", ""); err != nil {
		t.Fatal(err)
	}
	if err := p.awaitListens(ctx); !errors.Is(err, context.Canceled) ||
		!strings.Contains(err.Error(), "slow listens: not in time") {
		t.Errorf("an instance that nobody waits for: %v", err)
	}
}

// A short load prints what it measured: no line is missing, and no number is 0.
func TestLoad(t *testing.T) {
	var out strings.Builder
	l := Load{
		Users: 300, Articles: 20, Strategy: "chain", For: 20 * time.Millisecond, Turns: 2, Callers: 3, Dir: t.TempDir(),
	}
	strategytest.Must(t, l.Run(t.Context(), &out))
	want := []string{
		`300 users, 20 articles each, strategy chain, filled in \d+ s`,
		`300 users in 256 partitions; bytes a user: history N, store N, resident N .*`,
		`3 callers at once, 40 candidates and 10 shown a request, 2 turns of 20ms each`, ``, ` .*p99.9 ms .*`,
	}
	const numbers = ` +N +N +N +N +N`
	for _, durable := range []string{"durable", "no log"} {
		for _, name := range []string{
			"show, HTTP/2", "show, HTTP/1.1", "show all, 50 a call", "show all, 200 a call", "the keeper, no network",
		} {
			want = append(want, name+` +`+durable+numbers)
		}
	}
	want = append(want, `show all, 200 a call +written, not synced`+numbers, `vector, HTTP/1.1 `+numbers, ``)
	for range 5 {
		want = append(want, `what durability costs, .*: N times as many requests .* without, N times the processor with`)
	}
	want = append(want, `commits of the log: [1-9]\d*, of N records and N ms each`,
		`snapshots of all partitions: \S+ s, \S+ GB; a start from them, 300 users: \S+ s`)
	number := `\d*(?:[1-9]\d*(?:\.\d+)?|\.\d*[1-9]\d*)` // not 0
	for i, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		pattern := "nothing more"
		if i < len(want) {
			pattern = strings.ReplaceAll(want[i], "N", number)
		}
		if !regexp.MustCompile("^" + pattern + "$").MatchString(line) {
			t.Errorf("line %d is %q, want %s", i, line, pattern)
		}
	}
	strategytest.Equal(t, strings.Count(strings.TrimSpace(out.String()), "\n")+1, len(want), "lines")
}

// A short run leaves the rows that the suite's tables are made of; what is not on the
// machine is left out by name. Kafka takes its time to start, and is left out here.
func TestRows(t *testing.T) {
	_, err := exec.LookPath("redis-server")
	redis := err == nil
	var out strings.Builder
	dir := t.TempDir()
	o := Rows{Out: dir, Times: 1, withoutKafka: true}
	strategytest.Must(t, o.Run(t.Context(), &out))
	run := strategytest.Value(results.ReadDir(dir))
	committed := strategytest.Value(results.Committed(results.LiveDir))
	got := map[results.Query]results.Row{}
	for _, r := range run.Timing {
		got[r.Name()] = r
	}
	for _, want := range committed.Timing {
		r, ok := got[want.Name()]
		way := want.Where.Of(by.Log) + want.Where.Of(by.Protocol)
		left := way == byKafka || way == byRedis && !redis
		switch {
		case ok == left:
			t.Errorf("%v: there is a row: %v", want.Name(), ok)
		case ok && want.Quantity == results.QNotFiltered && way == byEmbedded && (r.Value.Or(1) != 0 || r.Count == 0):
			t.Errorf("%+v: want none of some", r)
		// Connect's bytes are the request's and the answer's alone; only the versions in the headers
		// may differ. HTTP/2 has frames of its own.
		case ok && want.Unit == results.Bytes && way == "Connect" &&
			math.Abs(r.Value.Or(0)-want.Value.Or(0)) > 16:
			t.Errorf("%v: %v, committed are %v", want.Name(), r.Value, want.Value)
		}
	}
	if !redis && !strings.Contains(out.String(), `left out: redis: exec: "redis-server": executable file not found`) {
		t.Error(out.String())
	}
}

// A time's two rows are its median, with its interval, and its 99th percentile.
func TestTimed(t *testing.T) {
	rows := timed("e", "q", stopwatch.Latency{Candidates: 40, P50: 5, P99: 70, Requests: 9}, by.Log.Is("a"))
	median := results.Row{Value: results.Num(5), Low: rows[0].Low, High: rows[0].High}
	for i, want := range []results.Row{median, {Value: results.Num(70)}} {
		want.Experiment, want.Strategy, want.Quantity, want.Unit = "e", rowsStrategy, "q", results.Nanoseconds
		statistic := by.Statistic.Is([]string{"p50", "p99"}[i])
		want.Count, want.Where = 9, results.Where(by.Log.Is("a"), by.Candidates.At(40), statistic)
		if rows[i] != want {
			t.Errorf("%+v, want %+v", rows[i], want)
		}
	}
}
