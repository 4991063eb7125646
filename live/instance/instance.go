// Package instance is one running exposure service: what a configuration says, put together, started and stopped.
package instance

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"dejavu/live/config"
	"dejavu/live/exposure"
	"dejavu/live/layout"
	"dejavu/live/service"
	"dejavu/store"
	"dejavu/strategies"
)

// clock is the service's time: seconds of Unix.
func clock() store.Timestamp { return store.Timestamp(time.Now().Unix()) }

// An instance is one that is being put together, or runs.
type instance struct {
	config.Config
	layout   layout.Layout
	secret   strategies.Secret
	logger   *slog.Logger
	registry prometheus.Registerer

	running context.Context // until the stop
	fail    func(error)     // ends the process, with the reason
}

// A closer ends a keeper, after the end of the context that it was running by.
type closer func(context.Context) error

// Run runs a service until the context is done, and then stops it gracefully. Calls are
// taken while histories are loading still, which /readyz says.
func Run(ctx context.Context, c config.Config, logger *slog.Logger) (err error) {
	registry := service.NewRegistry()
	i := &instance{Config: c, logger: logger, registry: registry}
	if i.layout, err = layout.Make(layout.Choice{Name: c.Strategy, Window: c.Window, FPR: c.FPR}); err != nil {
		return err
	}
	if err := os.MkdirAll(c.Data, 0o700); err != nil {
		return fmt.Errorf("data: %w", err)
	}
	if i.secret, err = Secret(c.SecretFile); err != nil {
		return err
	}
	token, err := readToken(c.TokenFile)
	if err != nil {
		return err
	}
	secure, err := serverTLS(c.TLS)
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
	ctx, i.fail = context.WithCancelCause(ctx)
	running, stop := context.WithCancel(context.Background())
	defer stop()
	i.running = running
	keeper, end, err := i.keep(ctx)
	if err != nil {
		return err
	}
	defer func() {
		stop()
		ending, cancel := context.WithTimeout(context.Background(), c.Limits.StopTime)
		defer cancel()
		err = errors.Join(err, end(ending))
	}()
	handler := service.Handler(service.New(keeper, i.layout, i.secret, c.Limits),
		service.Options{Limits: c.Limits, Token: token, Registry: registry})
	logger.Info("listening", "address", listener.Addr(), "strategy", i.layout.Name,
		"layout", fmt.Sprintf("%016x", i.layout.Digest))
	err = service.Serve(ctx, listener, handler, c.Limits, secure)
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		err = errors.Join(cause, err)
	}
	return err
}

// keep makes the keeper that the configuration asks for, and has it work.
func (i *instance) keep(ctx context.Context) (exposure.Keeper, closer, error) {
	switch {
	case i.Histories == "redis":
		return i.keepInRedis(ctx)
	case i.Log == "kafka":
		return i.keepByKafka(ctx)
	}
	return i.keepByFile()
}
