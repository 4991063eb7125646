package instance

import (
	"github.com/prometheus/client_golang/prometheus"

	"dejavu/live/keeper"
	"dejavu/live/log/embedded"
)

type registerer = prometheus.Registerer

// keeperMetrics reads a keeper's counts when somebody asks for them.
type keeperMetrics struct {
	k *keeper.Keeper
	m []metric
}

type metric struct {
	*prometheus.Desc
	prometheus.ValueType
}

func described(kind prometheus.ValueType, name, help string) metric {
	return metric{prometheus.NewDesc(name, help, nil, nil), kind}
}

func registerKeeper(r registerer, k *keeper.Keeper) {
	const gauge, counter = prometheus.GaugeValue, prometheus.CounterValue
	r.MustRegister(&keeperMetrics{k, []metric{
		described(gauge, "dejavu_partitions", "Partitions served here."),
		described(gauge, "dejavu_users", "Users who have a history here."),
		described(gauge, "dejavu_history_bytes", "Sum of the lengths of histories."),
		described(gauge, "dejavu_store_bytes", "Memory of histories and of what finds them."),
		described(counter, "dejavu_candidates_total", "Candidates asked for since the partitions here were loaded."),
		described(counter, "dejavu_candidates_seen_total", "Candidates that were seen."),
		described(counter, "dejavu_articles_recorded_total", "Articles recorded, replayed ones included."),
		described(counter, "dejavu_users_expired_total", "Users forgotten after the idle time."),
		described(counter, "dejavu_partitions_loaded_total", "Partitions loaded."),
		described(counter, "dejavu_records_replayed_total", "Records of the log replayed."),
		described(counter, "dejavu_partition_failures_total", "Partitions that could not be loaded, or had to be read anew."),
		described(counter, "dejavu_snapshots_total", "Snapshots written."),
		described(counter, "dejavu_snapshot_errors_total", "Snapshots that failed."),
		described(counter, "dejavu_snapshot_bytes_total", "Bytes of snapshots written."),
		described(counter, "dejavu_snapshot_seconds_total", "Time spent on snapshots."),
	}})
}

// Describe implements prometheus.Collector.
func (k *keeperMetrics) Describe(to chan<- *prometheus.Desc) {
	for _, m := range k.m {
		to <- m.Desc
	}
}

// Collect implements prometheus.Collector.
func (k *keeperMetrics) Collect(to chan<- prometheus.Metric) {
	s, partitions := k.k.Stats()
	m := k.k.Meter()
	for i, value := range []float64{
		float64(partitions), float64(s.Users), float64(s.Payload), float64(s.Slabs + s.Bookkeeping),
		float64(s.Asked), float64(s.Hits), float64(s.Recorded), float64(s.Expired),
		float64(m.Loads.Load()), float64(m.Replayed.Load()), float64(m.Failures.Load()),
		float64(m.Saves.Load()), float64(m.SaveErrors.Load()), float64(m.SavedBytes.Load()), float64(m.SaveNanos.Load()) / 1e9,
	} {
		to <- prometheus.MustNewConstMetric(k.m[i].Desc, k.m[i].ValueType, value)
	}
}

func registerLog(r registerer, l *embedded.Log) {
	for _, c := range []struct {
		name, help string
		value      func() float64
	}{
		{"dejavu_log_commits_total", "Commits of the embedded log, two syncs of the disk each.", func() float64 { return float64(l.Meter().Commits.Load()) }},
		{"dejavu_log_records_total", "Records in them.", func() float64 { return float64(l.Meter().Records.Load()) }},
		{"dejavu_log_bytes_total", "Bytes of those.", func() float64 { return float64(l.Meter().Bytes.Load()) }},
		{"dejavu_log_commit_seconds_total", "Time spent on commits.", func() float64 { return float64(l.Meter().Nanos.Load()) / 1e9 }},
	} {
		r.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: c.name, Help: c.help}, c.value))
	}
}
