package instance

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/prometheus/client_golang/prometheus"

	"dejavu/live/clock"
	"dejavu/live/log/journal"
	"dejavu/live/log/kafka"
	"dejavu/live/partition"
)

// beginLog makes the log at the first start. Later it is there, unless it was lost.
func (i *instance) beginLog() error {
	folder := i.Embedded.Folder
	there, err := journal.Exists(folder)
	if err != nil {
		return err
	}
	if there && i.NewLog {
		return fmt.Errorf("--new-log: there is a log in %s; move the folder away, or start without the flag", folder)
	}
	if there {
		return nil
	}
	reached, err := partition.Reached(i.Snapshots.Folder)
	if err != nil {
		return err
	}
	secret := filepath.Join(i.Data, "secret")
	_, none := os.Stat(secret)
	if (reached > 0 || none == nil) && !i.NewLog {
		return fmt.Errorf("log: %s is empty, and there was a log, by the snapshots in %s or by %s; restore it from a "+
			"backup, or start with --new-log, which loses what no snapshot has", folder, i.Snapshots.Folder, secret)
	}
	return journal.Begin(folder, reached)
}

func kafkaMetrics(l *kafka.Log) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "dejavu_partitions_unknown", Help: "Partitions of the Kafka topic that the configuration does not know.",
	}, func() float64 { return float64(l.Unknown.Load()) })
}

func clockMetrics(c *clock.Clock) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "dejavu_clock_off_seconds", Help: "By how much the machine's clock jumped, where it is not believed; 0: it is.",
	}, func() float64 { return c.Off().Seconds() })
}
