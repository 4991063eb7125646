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
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"dejavu/live/config"
	"dejavu/live/keyvalue"
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

// redisOptions is what a configuration says of Redis, with the files read that it names.
func redisOptions(c config.Config) (keyvalue.RedisOptions, error) {
	password, err := readPassword("redis.password_file", c.Redis.PasswordFile)
	return keyvalue.RedisOptions{
		Address: c.Redis.Address, Password: password, TLS: clientTLS(c.Redis.TLS), Idle: c.Idle,
	}, err
}

// kafkaOptions is what a configuration says of the brokers, with the files read that it names.
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
