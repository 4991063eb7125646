package instance

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"time"

	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"dejavu/live/config"
	"dejavu/live/exposure"
	"dejavu/live/keeper"
	"dejavu/live/log"
	"dejavu/live/log/kafka"
	"dejavu/live/partition"
)

// leftoverAge is after how long nobody is writing to a snapshot any more, where other
// instances may.
const leftoverAge = time.Hour

func keepByKafka(ctx context.Context, c config.Config, kc keeper.Config, end func(context.Context, *keeper.Keeper, log.Log) error, registry registerer) (exposure.Keeper, starter, error) {
	o, err := kafkaOptions(c.Kafka)
	if err != nil {
		return nil, nil, err
	}
	o.Partitions = c.Partitions
	open, cancel := context.WithTimeout(ctx, c.Kafka.Timeout)
	defer cancel()
	on, err := kafka.Open(open, o)
	if err != nil {
		return nil, nil, err
	}
	if err := partition.RemoveLeftovers(c.Snapshots.Folder, leftoverAge); err != nil {
		on.Close()
		return nil, nil, err
	}
	kc.Log = on
	k := keeper.New(kc)
	registerKeeper(registry, k)
	return k, func(run context.Context, _ func(error)) func(context.Context) error {
		left := make(chan struct{})
		go func() {
			defer close(left)
			for run.Err() == nil {
				drop := func(ctx context.Context, some []int, save bool) {
					if run.Err() == nil { // after the stop end writes the snapshots
						ctx, cancel := context.WithTimeout(ctx, c.Kafka.Session)
						defer cancel()
						k.Drop(ctx, some, save)
					}
				}
				err := on.Join(run, c.Kafka.Session,
					func(_ context.Context, some []int) { k.Serve(run, some) },
					func(ctx context.Context, some []int) { drop(ctx, some, true) },
					func(ctx context.Context, some []int) { drop(ctx, some, false) })
				if err != nil && run.Err() == nil {
					kc.Logger.Error("the group is joined again", "error", err)
					time.Sleep(time.Second)
				}
			}
		}()
		go k.Run(run)
		return func(ctx context.Context) error {
			<-left
			return end(ctx, k, on)
		}
	}, nil
}

// kafkaOptions is what a configuration says of the brokers, with the files read that it
// names.
func kafkaOptions(c config.Kafka) (kafka.Options, error) {
	o := kafka.Options{Brokers: c.Brokers, Topic: c.Topic, Replicas: c.Replicas, Timeout: c.Timeout, Group: c.Group}
	if c.TLS {
		o.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
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
	if c.SASL == "" {
		return o, nil
	}
	password, err := readPassword("kafka.password_file", c.PasswordFile)
	if err != nil {
		return o, err
	}
	auth := scram.Auth{User: c.User, Pass: password}
	switch c.SASL {
	case "scram-sha-256":
		o.SASL = auth.AsSha256Mechanism()
	case "scram-sha-512":
		o.SASL = auth.AsSha512Mechanism()
	default:
		o.SASL = plain.Auth{User: c.User, Pass: password}.AsMechanism()
	}
	return o, nil
}
