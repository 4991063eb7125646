package measure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
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
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
	"dejavu/workload"
)

var (
	chain, _ = layout.Make(layout.Choice{Name: "chain"})
	secret   = strategies.RandomSecret()
)

// TestMain turns the test's program into the service if a fleet starts it as one.
func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == "serve" {
		c, err := config.ReadFile(os.Args[len(os.Args)-1])
		if os.Args[2] == "--clock-file" {
			c.ClockFile = os.Args[3]
		}
		if err == nil {
			ctx, _ := signal.NotifyContext(context.Background(), syscall.SIGTERM)
			err = instance.Run(ctx, c, slog.New(slog.NewTextHandler(os.Stderr, nil)))
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// A short proof, on the embedded log: it reports calls and trouble of every kind.
func TestProve(t *testing.T) {
	var out strings.Builder
	t.Setenv("TMPDIR", t.TempDir())
	strategytest.Must(t, (&Prove{Users: 300, Kills: 4, Seed: 1}).Run(t.Context(), &out))
	some := strings.ReplaceAll(`300 users, strategy beyond/matrix, [0-9]+s, N articles, N forgotten, `+
		`N histories, N questions, N records, N shows
4 kills of instances, 1 jumps of their clocks, 1 floods of 2000 connections, `+
		`[0-9]+ calls repeated
4 damaged copies: [0-4] harmless, [0-4] mended, with a line, [0-4] refused, in one line
from a kill to all partitions served: median [^0].*, longest [^0].*
every answer and every history is the exact model's`, "N", "[1-9][0-9]*")
	strategytest.Equal(t, regexp.MustCompile(some).MatchString(out.String()), true, "%s\nis as %s", &out, some)
	strategytest.Contains(t, out.String(), "6 of 6 troubles", "the proof")
	strategytest.Equal(t, (&Prove{}).Run(t.Context(), &out) != nil, true, "a proof of no users is an error")
}

// A copy that lacks an answer is found, and so is an unhelpful refusal. Users with a call under way are not compared.
func TestCopies(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	p := &proof{Prove: Prove{Users: 50}, random: rand.New(rand.NewPCG(1, 1))}
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
	name := c.persons[1].name
	histories[name] = nil
	strategytest.ErrorSays(t, "a lost user", compareWith(t.Context(), histories, p.client), name)
	p.out = io.Discard
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
	shown   func(shown []strategies.ID) []strategies.ID
	seen    bool
	history []byte
	record  int // the first of the articles that are recorded
}

func (l *liar) ShowAll(ctx context.Context, requests []exposure.Show) error {
	err := l.Keeper.ShowAll(ctx, requests)
	if last := &requests[len(requests)-1]; l.shown != nil {
		last.Shown = l.shown(last.Shown)
	}
	return err
}

func (l *liar) Seen(ctx context.Context, user string, candidates []strategies.ID, seen []bool) error {
	err := l.Keeper.Seen(ctx, user, candidates, seen)
	seen[0] = seen[0] != l.seen
	return err
}

func (l *liar) History(ctx context.Context, user string) ([]byte, error) {
	h, err := l.Keeper.History(ctx, user)
	return append(h, l.history...), err
}

func (l *liar) Record(ctx context.Context, user string, request uint64, articles []strategies.ID) error {
	return l.Keeper.Record(ctx, user, request, articles[l.record:])
}

// serving serves a keeper, and returns its address.
func serving(t *testing.T, k exposure.Keeper, warning func() error) string {
	t.Helper()
	c := strategytest.Value(config.Read())
	listener := strategytest.Value(net.Listen("tcp", "127.0.0.1:0"))
	in := traffic.New(c.Limits, nil)
	s := &service.Service{Keeper: k, Layout: chain, Secret: secret, Traffic: in, Warning: warning}
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	go func() { _ = service.Serve(ctx, listener, s.Handler(), in, nil) }()
	return listener.Addr().String()
}

// kept returns a keeper of some of two partitions.
func kept(t *testing.T, some ...int) *keeper.Keeper {
	t.Helper()
	path := t.TempDir()
	strategytest.Must(t, journal.Begin(path, 0))
	on := strategytest.Value(journal.Open(path, 2))
	t.Cleanup(func() { on.Close() })
	k := keeper.New(keeper.Config{
		Config: partition.Config{Of: 2, Layout: chain, Secret: secret, Retries: 100, Log: on},
		Logger: slog.New(slog.DiscardHandler), Clock: func() store.Timestamp { return 1 },
	})
	strategytest.Must(t, k.Take(t.Context(), some))
	return k
}

// Clocks jump by hours or days, ahead and back, and to the right time, which the instance has to say. All are served
// by one instance, or by two together, while others are gone.
func TestJumps(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	p, ahead, back := &proof{random: rand.New(rand.NewPCG(1, 1))}, 0, 0
	p.fleet = strategytest.Value(newFleet())
	defer p.kill()
	one := strategytest.Value(p.server("one", "", "tail", "-f")) // which only waits
	hours := func() int {
		seconds, _ := strconv.Atoi(string(strategytest.Value(os.ReadFile(filepath.Join(p.dir, "one.clock")))))
		return seconds / 3600
	}
	clients := func(of ...string) *client.Client {
		return strategytest.Value(client.New(client.Options{Addresses: of, HTTP1: true}))
	}
	one.Address = serving(t, kept(t, 0, 1), func() error {
		return map[bool]error{true: errors.New("the clock differs by hours")}[hours() != 0]
	})
	p.client, p.instances = clients(one.Address), []*Process{one}
	for range 60 {
		strategytest.Must(t, p.jump(t.Context()))
		strategytest.Between(t, hours(), -720, 720, "hours")
		ahead += map[bool]int{true: 1}[hours() > 0]
		back += map[bool]int{true: 1}[hours() < 0]
	}
	strategytest.Between(t, ahead, 10, 30, "jumps ahead, of 60") // 20 each, with 4 standard deviations at least
	strategytest.Between(t, back, 10, 30, "jumps back, of 60")
	const gone = "127.0.0.1:1"
	first, second := serving(t, kept(t, 0), nil), serving(t, kept(t, 1), nil)
	p.instances = []*Process{one, one, one}
	for _, c := range []*client.Client{clients(gone, one.Address, gone), clients(first, gone, second)} {
		p.client = c
		strategytest.Must(t, p.awaitServed(t.Context()))
	}
	p.client = clients(first, gone, first)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	strategytest.ErrorSays(t, "half of them", p.awaitServed(ctx), "all partitions are served: not in time")
}

func crowdOver(t *testing.T, k exposure.Keeper, users int) *crowd {
	t.Helper()
	to := strategytest.Value(client.New(client.Options{Addresses: []string{serving(t, k, nil)}, HTTP1: true}))
	population := strategytest.Value(workload.NewFull(1, users))
	var numbers []int
	for n := range users {
		numbers = append(numbers, n)
	}
	return newCrowd(&fleet{layout: chain, secret: secret}, population, to, rand.New(rand.NewPCG(1, 1)), numbers)
}

// The model finds every kind of fault, and no other.
func TestCrowd(t *testing.T) {
	for name, l := range map[string]liar{
		"":                       {},
		"an article is lost":     {shown: func(s []strategies.ID) []strategies.ID { return s[:len(s)-1] }},
		"an article comes again": {shown: func(s []strategies.ID) []strategies.ID { s[1] = s[0]; return s }},
		"another answer":         {seen: true},
		"another history":        {history: []byte{1}},
		"a record is lost":       {record: 1},
	} {
		l.Keeper = kept(t, 0, 1)
		c := crowdOver(t, &l, 5)
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

// A short comparison has rows of every contender, with no number that is 0. A Redis that is not there is
// left out by name, one that is not empty is left alone.
func TestCompare(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var out strings.Builder
	o := Compare{Users: 400, Articles: 120, For: 50 * time.Millisecond, Turns: 2, Callers: 2, Pipeline: 3}
	f := strategytest.Value(newFleet())
	defer f.kill()
	p, none := f.redis(t.Context())
	if none == nil { // it is given; otherwise it is left out
		o.Redis = p.Address
		set := o.contender(o.Redis, "", "").client
		strategytest.Must(t, set.Set(t.Context(), "somebody's", 1, 0).Err())
		strategytest.ErrorSays(t, "not empty", o.Run(t.Context(), &out), p.Address+": it has 1 keys, want an empty server")
		strategytest.Equal(t, set.Get(t.Context(), "somebody's").Val(), "1", "what was there")
		strategytest.Must(t, set.FlushDB(t.Context()).Err())
	}
	strategytest.Must(t, o.Run(t.Context(), &out))
	strategytest.Equal(t, strings.Contains(out.String(), "left out:"), none != nil, "Redis is left out")
	for _, name := range []string{"Dejavu", "Redis, SET"} {
		rows := regexp.MustCompile(`(?m)^\| (durable|synced later) \| [13] \| `+name+` \|(.*)\|$`).
			FindAllStringSubmatch(out.String(), -1)
		want := 4 // alone and in a pipeline, durable and not
		if name != "Dejavu" && none != nil {
			want = 0
		}
		strategytest.Equal(t, len(rows), want, "rows of %s", name)
		for _, row := range rows {
			fields := strings.Split(row[2], "|")
			strategytest.Equal(t, len(fields), 8, "%s: columns of %q", name, row[0])
			for i, field := range fields {
				x, err := strconv.ParseFloat(strings.TrimSpace(field), 64)
				if memory := i == 7; err != nil || x <= 0 && !memory { // it may be less than before
					t.Errorf("%s: column %d of %q", name, i, row[0])
				}
			}
		}
	}
	// The arithmetic of rows: medians and quantiles, ratios of the same turns to the first contender.
	a, b := &contender{name: "a", empty: 400, filled: 1200}, &contender{name: "b", empty: 0, filled: 400}
	for i := range 2000 {
		a.outcomes[1].times = append(a.outcomes[1].times, time.Duration(2000-i)*time.Millisecond)
	}
	a.outcomes[1].rates, a.outcomes[1].costs = []float64{30, 10, 20}, []float64{4, 2, 1}
	b.outcomes[1] = outcome{[]float64{15, 40, 100}, []float64{1, 1, 3}, []time.Duration{time.Second}}
	a.outcomes[0], b.outcomes[0] = b.outcomes[1], b.outcomes[1]
	got := strings.Join(strings.Split(o.rows("how", []*contender{a, b}), "\n")[2:], "\n")
	strategytest.Equal(t, got, "| how | 3 | a | 20 | 1.00 | 1001.00 | 1981.00 | 1999.00 | 2.0 | 1.00 | 2 |\n"+
		"| how | 3 | b | 40 | 4.00 | 1000.00 | 1000.00 | 1000.00 | 1.0 | 0.50 | 1 |\n", "rows")
	for shown, want := range map[int64]string{979: "a show shows 9.79 articles, want 10", 980: ""} {
		b.shows.Store(100)
		b.shown.Store(shown)
		strategytest.ErrorSays(t, "full pages", b.full(), want)
	}
	_, err := o.contender("127.0.0.1:1", "gone", "SHOW").ask(t.Context(), []refresh{{candidates: []int{1}}})
	strategytest.Equal(t, err != nil, true, "a server that is gone is an error")
}
