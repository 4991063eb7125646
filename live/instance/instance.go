// Package instance is one running exposure service: what a configuration says, put
// together, started and stopped.
package instance

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"dejavu/live/config"
	"dejavu/live/exposure"
	"dejavu/live/layout"
	"dejavu/live/service"
	"dejavu/store"
	"dejavu/strategies"
)

// clock is the service's time: seconds of Unix.
func clock() store.Timestamp { return store.Timestamp(time.Now().Unix()) }

// Run runs a service until the context is done, and then stops it gracefully. Listening
// is called with the address as soon as calls are taken; histories may be loading still,
// which /readyz says.
func Run(ctx context.Context, c config.Config, logger *slog.Logger, listening func(net.Addr)) (err error) {
	l, err := layout.Make(layout.Choice{Name: c.Strategy, Window: c.Window, FPR: c.FPR})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.Data, 0o700); err != nil {
		return fmt.Errorf("data: %w", err)
	}
	secret, err := Secret(c.SecretFile)
	if err != nil {
		return err
	}
	token, err := readToken(c.TokenFile)
	if err != nil {
		return err
	}
	secure, err := secureBy(c.TLS)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	defer listener.Close()
	if a, ok := listener.Addr().(*net.TCPAddr); ok && !a.IP.IsLoopback() && (token == "" || secure == nil) {
		logger.Warn("the service listens beyond this machine without a token or without TLS", "address", a)
	}
	registry := service.NewRegistry()
	keeper, start, err := keep(ctx, c, l, secret, logger, registry)
	if err != nil {
		return err
	}
	run, stop := context.WithCancel(context.Background())
	defer stop()
	ctx, fail := context.WithCancelCause(ctx)
	finish := start(run, fail)
	defer func() {
		stop()
		end, cancel := context.WithTimeout(context.Background(), c.Limits.StopTime)
		defer cancel()
		err = errors.Join(err, finish(end))
	}()
	handler := service.Handler(service.New(keeper, l, secret, c.Limits), service.Options{Limits: c.Limits, Token: token, Registry: registry})
	logger.Info("listening", "address", listener.Addr(), "strategy", l.Name, "layout", fmt.Sprintf("%016x", l.Digest))
	listening(listener.Addr())
	err = service.Serve(ctx, listener, handler, c.Limits, secure)
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		err = errors.Join(cause, err)
	}
	return err
}

// A starter has a keeper work until its context is done; fail is called if it cannot.
// What it returns ends the keeper.
type starter func(run context.Context, fail func(error)) (finish func(context.Context) error)

// keep makes the keeper that a configuration asks for.
func keep(ctx context.Context, c config.Config, l layout.Layout, secret strategies.Secret, logger *slog.Logger, registry registerer) (exposure.Keeper, starter, error) {
	if c.Histories == "redis" {
		return keepInRedis(ctx, c, l, secret)
	}
	return keepInMemory(ctx, c, l, secret, logger, registry)
}

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

// readPassword reads what a key's file says.
func readPassword(key, path string) (string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", key, err)
	}
	return strings.TrimSpace(string(b)), nil
}

func readToken(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	token, err := readPassword("token_file", path)
	if err != nil {
		return "", err
	}
	if len(token) < 16 {
		return "", fmt.Errorf("token_file %s: the token has %d bytes, want 16 or more", path, len(token))
	}
	return token, nil
}

func secureBy(t config.TLS) (*tls.Config, error) {
	if t.CertFile == "" {
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("tls: %w", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}
