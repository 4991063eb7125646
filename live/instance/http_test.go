package instance

import (
	"context"
	"fmt"
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
	token := written(t, dir, "token", "sixteen letters.\n")
	over, cancel := context.WithCancel(t.Context())
	cancel()
	token = "\ntoken_file: " + token
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
