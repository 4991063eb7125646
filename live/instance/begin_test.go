package instance

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kfake"

	"dejavu/live/client"
	"dejavu/live/config"
	"dejavu/live/keeper"
	"dejavu/live/log/journal"
	"dejavu/live/partition"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

func calling(address string) *client.Client {
	return strategytest.Value(client.New(client.Options{Addresses: []string{address}}))
}

// Two instances share the partitions of a Kafka topic. What one gives up it saves, and the other goes on with it.
func TestShare(t *testing.T) {
	cluster := strategytest.Value(kfake.NewCluster(kfake.NumBrokers(1), kfake.GroupMinSessionTimeout(time.Second)))
	defer cluster.Close()
	shared := t.TempDir()
	file := fmt.Sprintf("log: kafka\nkafka: {brokers: [%s], session: 1s}\nsecret_file: %s/secret\n"+
		"snapshots: {folder: %s/snapshots, every: 24h, on_stop: false}", cluster.ListenAddrs()[0], shared, shared)
	first, stopFirst := running(t, filepath.Join(shared, "first"), file)
	get(t, first, "/metrics", "\ndejavu_partitions 4\n")
	get(t, first, "/metrics", "\ndejavu_partitions_unknown 0\n")
	embedded := strategytest.ErrorOf(os.Stat(filepath.Join(shared, "first", "log")))
	strategytest.ErrorSays(t, "a log beside the topic", embedded, "no such file")
	var users []string
	for n := range 20 {
		users = append(users, fmt.Sprint("user", n))
		strategytest.Must(t, calling(first).Record(t.Context(), users[n], []strategies.ID{1}))
	}
	second, stopSecond := running(t, filepath.Join(shared, "second"), file)
	get(t, second, "/metrics", "\ndejavu_partitions 2\n")
	get(t, first, "/metrics", "\ndejavu_partitions 2\n")
	saved := strategytest.Value(filepath.Glob(filepath.Join(shared, "snapshots", "*.snapshot")))
	strategytest.Equal(t, len(saved), 2, "snapshots of the partitions that were given up, %q", saved)
	strategytest.Must(t, stopFirst())
	get(t, second, "/metrics", "\ndejavu_partitions 4\n")
	seen := make([]bool, 2)
	for _, user := range users {
		strategytest.Must(t, calling(second).Seen(t.Context(), user, []strategies.ID{1, 2}, seen))
		strategytest.EqualSlices(t, seen, []bool{true, false}, "seen by %s", user)
	}
	strategytest.Must(t, stopSecond())
	// A topic must keep records for a day and the time to save all twice. Users stay where they are.
	strategytest.Must(t, cluster.CreateTopic("short", 4, map[string]string{"retention.ms": "1"}))
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // one that is not refused serves until then
	defer cancel()
	for want, change := range map[string][2]string{
		"want -1, or at least 259200000": {"session", "topic: short, session"},
		"users are divided into 4":       {"log: kafka", "log: kafka\npartitions: 8"},
		"snapshots: mkdir":               {shared + "/snapshots", "/proc/nothing"},
	} {
		changed := strings.Replace(file, change[0], change[1], 1)
		third := configured(t, "127.0.0.1:0", filepath.Join(shared, "third"), changed)
		strategytest.ErrorSays(t, "a third", Run(ctx, third, slog.New(slog.DiscardHandler)), want)
	}
}

// Every count is on the page by its name, in its unit.
func TestMeters(t *testing.T) {
	on := &journal.Log{}
	l := &on.Meter
	k := keeper.New(keeper.Config{Config: partition.Config{Of: 1}})
	m, want := &k.Meter, map[string]float64{}
	for name, count := range map[string]*atomic.Int64{
		"dejavu_partitions_loaded_total": &m.Loads, "dejavu_records_replayed_total": &m.Replayed,
		"dejavu_partition_failures_total": &m.Failures, "dejavu_snapshots_total": &m.Saves,
		"dejavu_snapshot_errors_total": &m.SaveErrors, "dejavu_snapshot_bytes_total": &m.SavedBytes,
		"dejavu_snapshot_seconds_total": &m.SaveNanos, "dejavu_log_commits_total": &l.Commits,
		"dejavu_log_records_total": &l.Records, "dejavu_log_bytes_total": &l.Bytes,
		"dejavu_log_commit_seconds_total": &l.Nanos,
	} {
		count.Store(int64(len(want)+2) * 1e9)
		want[name] = float64(count.Load())
		if strings.Contains(name, "_seconds_") {
			want[name] /= 1e9
		}
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(keeperMetrics(k), logMetrics(on))
	for _, f := range strategytest.Value(registry.Gather()) {
		if is, ok := want[f.GetName()]; ok {
			strategytest.Equal(t, f.GetMetric()[0].GetCounter().GetValue(), is, "%s", f.GetName())
			delete(want, f.GetName())
		}
	}
	strategytest.Equal(t, len(want), 0, "counts that are not on the page, of %v", want)
}

// Opening the service to the network without a token or TLS gives a warning.
func TestWarning(t *testing.T) {
	dir := t.TempDir()
	keyPair(t, filepath.Join(dir, "pair"), 1)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	token := "\ntoken_file: " + written(t, dir, "token", "sixteen letters.\n")
	pair := fmt.Sprintf("\ntls: {cert_file: %s/pair.crt, key_file: %[1]s/pair.key}", dir)
	for file, warned := range map[string]bool{
		"": true, token: true, pair: true, token + pair: false, "listen: 127.0.0.1:0": false,
	} {
		var said strings.Builder
		o := configured(t, "0.0.0.0:0", filepath.Join(dir, "data"), file)
		strategytest.Must(t, Run(over, o, slog.New(slog.NewTextHandler(&said, nil))))
		warns := strings.Contains(said.String(), "listens beyond this machine")
		strategytest.Equal(t, warns, warned, "a warning with %q", file)
	}
}

// listed lists the files of a folder, with their bytes.
func listed(t *testing.T, dir string) (all string) {
	t.Helper()
	strategytest.Must(t, fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		b, _ := os.ReadFile(filepath.Join(dir, name)) // of a folder none
		all += fmt.Sprintf("%s %x\n", name, sha256.Sum256(b))
		return err
	}))
	return all
}

// A lost log is not silently replaced, nor a folder's record. On request a new log goes on behind the snapshots.
func TestLost(t *testing.T) {
	dir := t.TempDir()
	refused := func(want, lost string, change func(*config.Config)) {
		t.Helper()
		c := configured(t, "127.0.0.1:0", dir, "")
		change(&c)
		strategytest.Must(t, os.RemoveAll(filepath.Join(dir, lost)))
		before := listed(t, dir)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // one that is not refused serves until then
		defer cancel()
		err := Run(ctx, c, slog.New(slog.DiscardHandler))
		strategytest.Equal(t, listed(t, dir), before, "files after a start that was refused with %v", err)
		strategytest.ErrorSays(t, "a start", err, want)
		strategytest.Equal(t, strings.Contains(err.Error(), "\n"), false, "%v has several lines", err)
	}
	same, anew := func(*config.Config) {}, func(c *config.Config) { c.NewLog = true }
	for round, change := range []func(*config.Config){same, anew, anew} {
		address, stop := running(t, dir, "", change)
		get(t, address, "/readyz", "ready")
		c := calling(address)
		shown := strategytest.Value(c.Show(t.Context(), "ann", []strategies.ID{1, 2, 3}, 1))
		strategytest.EqualSlices(t, shown, []strategies.ID{strategies.ID(round + 1)}, "shown")
		strategytest.Must(t, stop())
		refused("--new-log: there is a log", "nothing", anew)
		refused("is empty, and there was a log", "log", same)
	}
	refused("was written with strategy beyond/matrix window 400 fpr 0.02, and the configuration says chain ", "nothing",
		func(c *config.Config) { c.Strategy = "chain" })
	refused("users are divided into 4 partitions, and the configuration says 8", "log",
		func(c *config.Config) { c.Partitions, c.NewLog = 8, true })
	path := filepath.Join(dir, "secret")
	secret := strategytest.Value(os.ReadFile(path))
	refused("secret does not exist, and there are histories", "secret", same)
	strategytest.Must(t, os.WriteFile(path, []byte("another of sixteen letters"), 0o600))
	refused("of the secret", "nothing", anew) // whose digests the snapshots have
	strategytest.Must(t, os.WriteFile(path, secret, 0o600))
	refused("is empty, and there was a log", "log", same)
	strategytest.Must(t, journal.Begin(filepath.Join(dir, "log"), 0)) // as an earlier version made it
	refused("has no identity, and the snapshots in", "nothing", same)
	strategytest.Must(t, os.RemoveAll(filepath.Join(dir, "log")), os.RemoveAll(filepath.Join(dir, "snapshots")))
	refused("is empty, and there was a log", "nothing", same) // the secret is left
}

// Without a configured strategy a service keeps its folder's. An earlier version recorded none: it was the chain.
func TestOldDefault(t *testing.T) {
	dir := t.TempDir()
	for round, file := range []string{"strategy: chain\nsnapshots: {on_stop: false}", "", ""} {
		address, stop := running(t, dir, file)
		get(t, address, "/readyz", "ready")
		shown := strategytest.Value(calling(address).Show(t.Context(), "ann", []strategies.ID{1, 2, 3}, 1))
		strategytest.EqualSlices(t, shown, []strategies.ID{strategies.ID(round + 1)}, "shown")
		strategytest.Must(t, stop())
		if round == 0 {
			strategytest.Must(t, os.Remove(filepath.Join(dir, "log", "identity")))
			written(t, filepath.Join(dir, "snapshots"), "partitions", "4\n")
		}
	}
	says(t, dir, "the one that the folder was written with", "strategy=chain window=401 fpr=0.0982 idle=24h0m0s")
	recorded := string(strategytest.Value(os.ReadFile(filepath.Join(dir, "snapshots", "partitions"))))
	strategytest.Contains(t, recorded, "\nstrategy chain window 0 fpr 0\n", "recorded")
}

// A clock that jumped while the service was down forgets nobody, with a warning; once believed, it does.
func TestClockAhead(t *testing.T) {
	dir := t.TempDir()
	seen := func(jump time.Duration, trust bool) (seen bool, page string) {
		address, stop := running(t, dir, fmt.Sprintf("idle: 2s\nclock: {jump: %v}", jump),
			func(c *config.Config) { c.TrustClock = trust })
		page = get(t, address, "/readyz", "ready")
		c, is := calling(address), make([]bool, 1)
		err := c.Seen(t.Context(), "ann", []strategies.ID{1}, is)
		if err == nil && jump == time.Hour {
			err = c.Record(t.Context(), "ann", []strategies.ID{1})
		}
		strategytest.Must(t, cmp.Or(err, stop()))
		return is[0], page
	}
	seen(time.Hour, false)
	time.Sleep(3 * time.Second)
	for _, trust := range []bool{false, true} {
		is, page := seen(time.Second, trust)
		warned := strings.Contains(page, "warning: the machine's clock")
		strategytest.Equal(t, is && warned, !trust, "the history is there, with a warning")
		strategytest.Equal(t, is || warned, !trust, "the history is there, or a warning")
	}
}
