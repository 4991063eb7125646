package instance

import (
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"dejavu/live/config"
	"dejavu/live/keeper"
	"dejavu/live/keyvalue"
	"dejavu/live/log/embedded"
	"dejavu/live/log/kafka"
	"dejavu/strategies"
)

// Secret reads the service's secret, or makes one where there is no file.
func Secret(path string) (strategies.Secret, error) {
	key, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			random := make([]byte, 32)
			_, _ = rand.Read(random) // never fails
			key = []byte(hex.EncodeToString(random) + "\n")
			err = renameio.WriteFile(path, key, 0o600)
		}
	}
	if err != nil {
		return strategies.Secret{}, fmt.Errorf("secret_file: %w", err)
	}
	secret, err := strategies.NewSecret([]byte(strings.TrimSpace(string(key))))
	if err != nil {
		return secret, fmt.Errorf("secret_file %s: %w", path, err)
	}
	return secret, nil
}

// readPassword reads what a key's file says; no file says nothing.
func readPassword(key, path string) (string, error) {
	if path == "" {
		return "", nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", key, err)
	}
	return strings.TrimSpace(string(b)), nil
}

func readToken(path string) (string, error) {
	token, err := readPassword("token_file", path)
	if err == nil && path != "" && len(token) < 16 {
		err = fmt.Errorf("token_file %s: the token has %d bytes, want 16 or more", path, len(token))
	}
	return token, err
}

// clientTLS is for connections to others, nil without TLS.
func clientTLS(on bool) *tls.Config {
	if !on {
		return nil
	}
	return &tls.Config{MinVersion: tls.VersionTLS12}
}

func serverTLS(t config.TLS) (*tls.Config, error) {
	if t.CertFile == "" {
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("tls: %w", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

func redisOptions(c config.Config) (keyvalue.RedisOptions, error) {
	password, err := readPassword("redis.password_file", c.Redis.PasswordFile)
	return keyvalue.RedisOptions{
		Address: c.Redis.Address, Password: password, TLS: clientTLS(c.Redis.TLS), Idle: c.Idle,
	}, err
}

func kafkaOptions(c config.Kafka) (kafka.Options, error) {
	o := kafka.Options{
		Brokers: c.Brokers, Topic: c.Topic, Replicas: c.Replicas, Timeout: c.Timeout, Group: c.Group, TLS: clientTLS(c.TLS),
	}
	if c.CAFile != "" {
		pem, err := os.ReadFile(c.CAFile)
		if err != nil {
			return o, fmt.Errorf("kafka.ca_file: %w", err)
		}
		o.TLS.RootCAs = x509.NewCertPool()
		if !o.TLS.RootCAs.AppendCertsFromPEM(pem) {
			return o, fmt.Errorf("kafka.ca_file %s: no certificate in PEM", c.CAFile)
		}
	}
	password, err := readPassword("kafka.password_file", c.PasswordFile)
	if err != nil {
		return o, err
	}
	auth := scram.Auth{User: c.User, Pass: password}
	switch c.SASL {
	case "plain":
		o.SASL = plain.Auth{User: c.User, Pass: password}.AsMechanism()
	case "scram-sha-256":
		o.SASL = auth.AsSha256Mechanism()
	case "scram-sha-512":
		o.SASL = auth.AsSha512Mechanism()
	}
	return o, nil
}

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
