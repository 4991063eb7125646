package instance

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"dejavu/live/clock"
	"dejavu/live/config"
	"dejavu/live/keeper"
	"dejavu/live/layout"
	"dejavu/live/log/journal"
	"dejavu/live/log/kafka"
	"dejavu/live/partition"
	"dejavu/live/service"
	"dejavu/live/traffic"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

var queue, _ = layout.Make(layout.Choice{Name: "queue"})

// free returns an address where nobody listens.
func free() string {
	l := strategytest.Value(net.Listen("tcp", "127.0.0.1:0"))
	defer l.Close()
	return l.Addr().String()
}

func configured(t *testing.T, address, dir, file string) config.Config {
	t.Helper()
	const of = "listen: %s\ndata: %s\npartitions: 4\nresp: \"\""
	return strategytest.Value(config.Read(fmt.Appendf(nil, of, address, dir), []byte(file)))
}

// running runs an instance until stop is called, which returns what Run did.
func running(t *testing.T, dir, file string, change ...func(*config.Config)) (address string, stop func() error) {
	t.Helper()
	address = free()
	c := configured(t, address, dir, file)
	for _, f := range change {
		f(&c)
	}
	said := strategytest.Value(os.OpenFile(dir+".said", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600))
	t.Cleanup(func() { said.Close() })
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, c, slog.New(slog.NewTextHandler(said, nil))) }()
	return address, func() error { cancel(); return <-ended }
}

// says returns what the instances of a folder have logged, and checks that it soon has all that is wanted.
func says(t *testing.T, dir string, all ...string) (said string) {
	t.Helper()
	for _, want := range all {
		for end := time.Now().Add(5 * time.Second); !strings.Contains(said, want) && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
			said = string(strategytest.Value(os.ReadFile(dir + ".said")))
		}
		strategytest.Contains(t, said, want, "events")
	}
	return said
}

// get returns a page that soon has what is wanted.
func get(t *testing.T, address, page, want string) (last string) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); !strings.Contains(last, want) && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
		if r, err := http.Get("http://" + address + page); err == nil {
			last = string(strategytest.Value(io.ReadAll(r.Body)))
			r.Body.Close()
		}
	}
	strategytest.Contains(t, last, want, "%s", page)
	return last
}

// An instance makes private files, counts what it does, and has all that was shown after a restart.
func TestRun(t *testing.T) {
	bytes := len(queue.Record(nil, []strategies.ID{1, 2, 4, 5}))
	for _, onStop := range []bool{true, false} {
		dir := filepath.Join(t.TempDir(), "data")
		const of = "strategy: queue\nretries: 0\nsnapshots: {on_stop: %v}\nsecret_file: %s/own/secret\n"
		file := fmt.Sprintf(of, onStop, dir)
		address, stop := running(t, dir, file)
		get(t, address, "/readyz", "ready")
		c := calling(address)
		for i := range 3 {
			strategytest.Value(c.Show(t.Context(), "ann", []strategies.ID{1, 2, strategies.ID(i + 3)}, 2))
		}
		page := get(t, address, "/metrics", "dejavu_log_commits_total 3")
		for _, want := range []string{
			"dejavu_partitions 4", "dejavu_users 1", fmt.Sprint("dejavu_history_bytes ", bytes), "dejavu_candidates_total 9",
			"dejavu_candidates_seen_total 4", "dejavu_articles_recorded_total 4", "dejavu_users_expired_total 0",
			"dejavu_clock_off_seconds 0",
		} {
			strategytest.Contains(t, page, "\n"+want, "metrics")
		}
		strategytest.Must(t, stop())
		for name, want := range map[string]os.FileMode{
			"": 0o700, "own": 0o700, "own/secret": 0o600, "log": 0o700, "log/mark": 0o600, "log/0000000000000001.segment": 0o600,
			"snapshots": 0o700, "snapshots/partitions": 0o600,
		} {
			mode := strategytest.Value(os.Stat(filepath.Join(dir, name))).Mode().Perm()
			strategytest.Equal(t, mode, want, "the mode of data/%s", name)
		}
		saved, _ := filepath.Glob(filepath.Join(dir, "snapshots", "*.snapshot"))
		strategytest.Equal(t, len(saved), map[bool]int{true: 4}[onStop], "snapshots with on_stop: %v", onStop)
		last := filepath.Join(dir, "log", "0000000000000001.segment")
		segment := strategytest.Value(os.OpenFile(last, os.O_WRONLY|os.O_APPEND, 0))
		fmt.Fprint(segment, "torn")
		strategytest.Must(t, segment.Close())
		address, stop = running(t, dir, file)
		replayed := map[bool]int{false: 3}[onStop]
		get(t, address, "/metrics", fmt.Sprintf("dejavu_records_replayed_total %d\n", replayed))
		get(t, address, "/readyz", "ready")
		seen := make([]bool, 5)
		strategytest.Must(t, calling(address).Seen(t.Context(), "ann", []strategies.ID{1, 2, 3, 4, 5}, seen), stop())
		strategytest.Equal(t, fmt.Sprint(seen), "[true true false true true]", "seen")
		says(t, dir, "msg=listening", "the log was mended")
	}
}

// Redis's protocol and the pages have their own ports if configured; all end at a stop.
func TestDoors(t *testing.T) {
	taken := strategytest.Value(net.Listen("tcp", "127.0.0.1:0"))
	resp, pages := taken.Addr().String(), free()
	for range 6 { // as doors are opened in any order
		address, stop := running(t, t.TempDir(), "resp: "+resp)
		strategytest.ErrorSays(t, "a port that is taken", stop(), "resp: listen tcp "+resp)
		strategytest.Must(t, strategytest.Value(net.Listen("tcp", address)).Close()) // the other is open no more
	}
	taken.Close()
	address, stop := running(t, t.TempDir(), fmt.Sprintf("resp: %s\nmetrics: %s", resp, pages))
	get(t, pages, "/readyz", "ready")
	get(t, pages, "/metrics", `dejavu_refused_total{code="503"} 0`)
	get(t, address, "/healthz", "ok")
	r := strategytest.Value(http.Get("http://" + pages + "/dejavu.exposure.v1.Exposures/Describe"))
	strategytest.Equal(t, r.StatusCode, http.StatusNotFound, "a call at the port of the pages")
	strategytest.Equal(t, asked(t, resp, "SHOW ann 1 a b"), "*1\r\n$1\r\na\r\n", "a show by Redis's protocol")
	strategytest.Must(t, stop())
}

// asked returns all that Redis's protocol answers a command with.
func asked(t *testing.T, address, command string) string {
	t.Helper()
	conn := strategytest.Value(net.Dial("tcp", address))
	defer conn.Close()
	fmt.Fprint(conn, command+"\r\nQUIT\r\n")
	answer, _, _ := strings.Cut(string(strategytest.Value(io.ReadAll(conn))), "+OK\r\n")
	return answer
}

func written(t *testing.T, dir, name, text string) (path string) {
	t.Helper()
	path = filepath.Join(dir, name)
	strategytest.Must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// If an instance cannot run, Run returns an error that names the reason, and listens no more.
func TestRunFails(t *testing.T) {
	dir, door := t.TempDir(), free()
	keyPair(t, filepath.Join(dir, "pair"), 1)
	tls := fmt.Sprintf("tls: {cert_file: %s/pair.crt, key_file: %[1]s/pair.key, client_ca_file: ", dir)
	junk := filepath.Dir(written(t, t.TempDir(), "mark", "no mark"))
	for _, c := range []struct{ file, want string }{
		{"strategy: nothing", "nothing"},
		{"secret_file: " + written(t, dir, "short", "short"), "secret_file " + dir},
		{"token_file: " + written(t, dir, "token", "fifteen letters"), "token: a token has 15 bytes, want 16 or more"},
		{"token_file: nowhere", "token_file: open nowhere"},
		{"read_token_file: " + written(t, dir, "empty", "\n"), "a token has 0 bytes, want 16 or more"},
		{"write_token_file: " + written(t, dir, "two", "a token of sixteen\nshort"), "a token has 5 bytes"},
		{"tls: {cert_file: nowhere, key_file: nowhere}", "tls: open nowhere"},
		{tls + "nowhere}", "tls.client_ca_file: open nowhere"},
		{tls + dir + "/pair.key}", "no certificate in PEM"},
		{"embedded: {folder: " + junk + "}\nsecret_file: " + written(t, dir, "key", "sixteen letters."), "mark is damaged"},
		{"embedded: {folder: " + junk + "}", "secret_file: " + dir + "/data/secret does not exist, and there are histories"},
		{"snapshots: {folder: /proc/nothing}", "snapshots: mkdir"},
		{"embedded: {folder: " + written(t, dir, "log", "a database") + "}", "not a directory"},
		{"log: kafka\nkafka: {brokers: [127.0.0.1:1], timeout: 1s}", "kafka: topic dejavu-exposures"},
	} {
		o := configured(t, door, filepath.Join(dir, "data"), c.file)
		strategytest.ErrorSays(t, c.file, Run(t.Context(), o, slog.New(slog.DiscardHandler)), c.want)
	}
	o := configured(t, "127.0.0.1:0", "/dev/null/data", "")
	strategytest.ErrorSays(t, "no folder", Run(t.Context(), o, slog.New(slog.DiscardHandler)), "snapshots: open")
}

// exported returns the names of all metrics. It waits, as at a stop, for what the keeper does.
func exported(t *testing.T) map[string]bool {
	t.Helper()
	in, path := traffic.New(config.Limits{}, nil), t.TempDir()
	strategytest.Must(t, journal.Begin(path, 0))
	log := strategytest.Value(journal.Open(path, 1))
	i, worked := &instance{registry: in.Registry, clock: clock.New(time.Hour, time.Hour, nil)}, false
	i.Partitions, i.Snapshots.Folder, i.folder = 1, path, &partition.Folder{}
	k, end, err := i.inMemory(log, 0, nil, func(*keeper.Keeper) { time.Sleep(10 * time.Millisecond); worked = true })
	strategytest.Must(t, err, end(t.Context()))
	strategytest.Equal(t, worked, true, "the work has ended")
	in.Registry.MustRegister(logMetrics(log), kafkaMetrics(&kafka.Log{}), clockMetrics(i.clock))
	(&service.Service{Keeper: k, Traffic: in}).Handler()
	described := make(chan *prometheus.Desc, 1000)
	in.Registry.Describe(described)
	close(described)
	names := map[string]bool{}
	for d := range described { // which says its name only so
		names[regexp.MustCompile(`fqName: "([^"]+)"`).FindStringSubmatch(d.String())[1]] = true
	}
	return names
}

// The dashboard asks for metrics that there are, and every metric of ours is on it and in the documentation.
func TestDashboard(t *testing.T) {
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	strategytest.Must(t, json.Unmarshal(strategytest.Value(os.ReadFile("../dashboard.json")), &dashboard))
	names := exported(t)
	asks := func(who, text string) map[string]bool {
		asked := map[string]bool{}
		for _, name := range regexp.MustCompile(`\b(dejavu|go|process)_\w+`).FindAllString(text, -1) {
			name = strings.TrimSuffix(name, "_bucket")
			asked[name] = true
			strategytest.Equal(t, names[name], true, "%s, which %s asks for, is exported", name, who)
		}
		return asked
	}
	shown := map[string]bool{}
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			maps.Copy(shown, asks(p.Title, target.Expr))
		}
	}
	rules := string(strategytest.Value(os.ReadFile("../deploy/alerts.yaml")))
	strategytest.AtLeast(t, len(asks("an alert", rules)), 5, "metrics that alerts ask for")
	docs := string(strategytest.Value(os.ReadFile("../../docs/live.md")))
	for name := range names {
		if strings.HasPrefix(name, "dejavu_") {
			strategytest.Equal(t, shown[name], true, "%s is on the dashboard", name)
			strategytest.Contains(t, docs, "`"+name+"`", "docs/live.md")
		}
	}
}
