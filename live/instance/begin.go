package instance

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"dejavu/internal/atomicfile"
	"dejavu/live/clock"
	"dejavu/live/layout"
	"dejavu/live/log"
	"dejavu/live/log/journal"
	"dejavu/live/log/kafka"
	"dejavu/live/partition"
	"dejavu/strategies"
)

// look reads what earlier runs left, and sets the strategy and the secret. It writes nothing.
func (i *instance) look(ctx context.Context) (err error) {
	if i.folder, err = partition.OpenFolder(i.Snapshots.Folder, i.Log == "embedded"); err != nil {
		return err
	}
	if i.Log == "embedded" {
		if i.found, err = journal.Find(i.Embedded.Folder); err != nil {
			return err
		}
	}
	if err = i.folder.Check(i.Partitions, i.found.Identity); err != nil {
		return err
	}
	if n := len(i.folder.Logs); i.found.There && n > 0 && i.found.Identity == (log.Identity{}) {
		return fmt.Errorf("the log in %s has no identity, and the snapshots in %s are of log %v: give each service a "+
			"snapshots.folder of its own, or restore log and snapshots from one backup", i.Embedded.Folder,
			i.Snapshots.Folder, i.folder.Logs[n-1])
	}
	if err = i.choose(); err != nil {
		return err
	}
	if i.secret, i.newSecret, err = readSecret(i.SecretFile); err != nil {
		return err
	}
	i.reached, i.other, err = i.folder.Reached(i.layout.Check(i.secret))
	if err != nil {
		return err
	}
	if i.newSecret != nil && (i.reached > 0 || i.found.Written) {
		return i.secretMissing("log or snapshots")
	}
	if i.other >= 0 { // Load says what differs; it is nil if only an older snapshot is of another strategy or secret
		c := i.partition()
		c.Number = i.other
		if _, _, err := partition.Load(ctx, c); err != nil {
			return err
		}
	}
	if i.Log != "embedded" {
		return nil
	}
	if i.found.There && i.NewLog {
		return fmt.Errorf("--new-log: there is a log in %s; move the folder away, or start without the flag",
			i.Embedded.Folder)
	}
	own := filepath.Join(i.Data, "secret") // which is written when there is a log
	_, none := os.Stat(own)
	if !i.found.There && !i.NewLog && (i.reached > 0 || len(i.folder.Logs) > 0 || none == nil) {
		return fmt.Errorf("log: %s is empty, and there was a log, by the snapshots in %s or by %s; restore it from a "+
			"backup, or start with --new-log, which loses what no snapshot has", i.Embedded.Folder, i.Snapshots.Folder, own)
	}
	return nil
}

func (i *instance) secretMissing(what string) error {
	return fmt.Errorf("secret_file: %s does not exist, and there are histories under a secret (%s): restore the file "+
		"from a backup, or move the histories away to begin anew: everybody is then a newcomer", i.SecretFile, what)
}

// choose sets the strategy. A folder that records none was written by a version whose default was the paper's chain.
func (i *instance) choose() (err error) {
	c, recorded := layout.Choice{Name: i.Strategy, Window: i.Window, FPR: i.FPR}, i.folder.Strategy
	silent, old := c.Name == "" && c.Window == 0, i.folder.Partitions > 0 ||
		i.found.Written && i.found.Identity == (log.Identity{})
	switch {
	case silent && recorded != nil:
		c = *recorded
	case silent && old:
		c.Name = "chain"
	case silent:
		c = layout.Default
	case c.Name == "":
		c.Name = layout.Default.Name
	}
	if i.layout, err = layout.Make(c); err != nil {
		return err
	}
	if silent && (recorded != nil || old) && c != layout.Default {
		i.logger.Info("the strategy is the one that the folder was written with, not the default of new folders",
			"strategy", c, "default", layout.Default)
	}
	if is := i.layout.Choice; recorded != nil && recorded.String() != is.String() {
		return fmt.Errorf("%s was written with strategy %v, and the configuration says %v: the strategy of a folder "+
			"cannot be changed; set it back, or move log and snapshots away to begin anew", i.Snapshots.Folder, recorded, is)
	}
	return nil
}

// settle writes the secret and what the folder of snapshots records, if they are missing. It records the strategy only
// if nothing was written before, or if the snapshots show that it is theirs.
func (i *instance) settle(on log.Identity, empty bool) error {
	if err := i.folder.Check(i.Partitions, on); err != nil && !i.NewLog {
		return err
	}
	if i.newSecret != nil && !empty {
		return i.secretMissing("the log")
	}
	if err := i.folder.Claim(); err != nil {
		return err
	}
	if i.newSecret != nil {
		err := atomicfile.MakeFolder(filepath.Dir(i.SecretFile))
		if err = cmp.Or(err, atomicfile.Write(i.SecretFile, i.newSecret)); err != nil {
			return fmt.Errorf("secret_file: %w", err)
		}
	}
	if i.other < 0 && (empty || i.reached > 0) {
		return i.folder.Record(i.Partitions, on, i.layout.Choice, i.NewLog)
	}
	return nil
}

// readSecret returns the secret in a file or, if there is no file, a random one and what to write to the file.
func readSecret(path string) (secret strategies.Secret, file []byte, err error) {
	key, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		file = []byte(rand.Text() + rand.Text() + "\n")
		key, err = file, nil
	}
	if err != nil {
		return secret, nil, fmt.Errorf("secret_file: %w", err)
	}
	secret, err = strategies.NewSecret([]byte(strings.TrimSpace(string(key))))
	if err != nil {
		return secret, nil, fmt.Errorf("secret_file %s: %w", path, err)
	}
	return secret, file, nil
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
