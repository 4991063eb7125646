package instance

import (
	"github.com/prometheus/client_golang/prometheus"

	"dejavu/live/keeper"
	"dejavu/live/log/embedded"
)

// An emitter hands over one metric.
type emitter func(name, help string, value float64)

// emitters hand metrics over that may fall, and those that only rise.
func emitters(to chan<- prometheus.Metric) (gauge, counter emitter) {
	of := func(kind prometheus.ValueType) emitter {
		return func(name, help string, value float64) {
			to <- prometheus.MustNewConstMetric(prometheus.NewDesc(name, help, nil, nil), kind, value)
		}
	}
	return of(prometheus.GaugeValue), of(prometheus.CounterValue)
}

// keeperMetrics are a keeper's counts, when somebody asks for them.
func keeperMetrics(k *keeper.Keeper) prometheus.Collector {
	return prometheus.CollectorFunc(func(to chan<- prometheus.Metric) {
		gauge, counter := emitters(to)
		s, partitions := k.Stats()
		gauge("dejavu_partitions", "Partitions served here.", float64(partitions))
		gauge("dejavu_users", "Users who have a history here.", float64(s.Users))
		gauge("dejavu_history_bytes", "Sum of the lengths of histories.", float64(s.Payload))
		gauge("dejavu_store_bytes", "Memory of histories and of what finds them.", float64(s.Slabs+s.Bookkeeping))
		counter("dejavu_candidates_total", "Candidates asked for since the partitions here were loaded.", float64(s.Asked))
		counter("dejavu_candidates_seen_total", "Candidates that were seen.", float64(s.Hits))
		counter("dejavu_articles_recorded_total", "Articles recorded, replayed ones included.", float64(s.Recorded))
		counter("dejavu_users_expired_total", "Users forgotten after the idle time.", float64(s.Expired))
		m := k.Meter()
		counter("dejavu_partitions_loaded_total", "Partitions loaded.", float64(m.Loads.Load()))
		counter("dejavu_records_replayed_total", "Records of the log replayed.", float64(m.Replayed.Load()))
		counter("dejavu_partition_failures_total", "Partitions that could not be loaded, or had to be read anew.",
			float64(m.Failures.Load()))
		counter("dejavu_snapshots_total", "Snapshots written.", float64(m.Saves.Load()))
		counter("dejavu_snapshot_errors_total", "Snapshots that failed.", float64(m.SaveErrors.Load()))
		counter("dejavu_snapshot_bytes_total", "Bytes of snapshots written.", float64(m.SavedBytes.Load()))
		counter("dejavu_snapshot_seconds_total", "Time spent on snapshots.", float64(m.SaveNanos.Load())/1e9)
	})
}

// logMetrics are the counts of the embedded log.
func logMetrics(m *embedded.Meter) prometheus.Collector {
	return prometheus.CollectorFunc(func(to chan<- prometheus.Metric) {
		_, counter := emitters(to)
		counter("dejavu_log_commits_total", "Commits of the embedded log, two syncs of the disk each.",
			float64(m.Commits.Load()))
		counter("dejavu_log_records_total", "Records in them.", float64(m.Records.Load()))
		counter("dejavu_log_bytes_total", "Bytes of those.", float64(m.Bytes.Load()))
		counter("dejavu_log_commit_seconds_total", "Time spent on commits.", float64(m.Nanos.Load())/1e9)
	})
}
