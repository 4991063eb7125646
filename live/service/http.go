package service

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"

	"connectrpc.com/connect"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"dejavu/live/api"
	"dejavu/live/config"
)

// Options are those of a Handler.
type Options struct {
	_ struct{}

	Limits   config.Limits
	Token    string // empty: none is asked for
	Registry *prometheus.Registry
}

// Handler serves the calls, /healthz (the process runs), /readyz (it serves all that it is
// to serve) and /metrics. With a token only the first two go without it.
func Handler(s *Service, o Options) http.Handler {
	gate := &gate{most: int64(o.Limits.RequestsAtOnce)}
	m := newMetrics(o.Registry, func() float64 { return float64(gate.now.Load()) })
	calls := api.Handler(s.calls(),
		connect.WithInterceptors(timed(o.Limits.RequestTime, m)),
		connect.WithReadMaxBytes(o.Limits.BodyBytes),
		connect.WithCodec(strictJSON{}),
		connect.WithCompression("gzip", nil, nil), // digests do not compress
		connect.WithRecover(func(_ context.Context, spec connect.Spec, _ http.Header, p any) error {
			slog.Error("a call panicked", "call", spec.Procedure, "panic", p)
			return connect.NewError(connect.CodeInternal, errors.New("a fault of the service's"))
		}),
	)
	// As it comes, whatever its compression makes of it, and with the envelope of gRPC.
	calls = http.MaxBytesHandler(calls, int64(o.Limits.BodyBytes)+16)
	mux := http.NewServeMux()
	mux.Handle(api.Path, token(o.Token, gate.wrap(calls)))
	page := promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: o.Limits.RequestTime}
	mux.Handle("/metrics", token(o.Token, promhttp.HandlerFor(o.Registry, page)))
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("/readyz", func(w http.ResponseWriter, _ *http.Request) {
		if err := s.keeper.Ready(); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ready")
	})
	return mux
}

// token lets only those in who know it.
func token(want string, next http.Handler) http.Handler {
	if want == "" {
		return next
	}
	sum := sha256.Sum256([]byte(want))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		other := sha256.Sum256([]byte(got))
		if !bearer || subtle.ConstantTimeCompare(sum[:], other[:]) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "want Authorization: Bearer and the service's token", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// A gate bounds the requests that are received and answered at once, and with them the memory that they take.
type gate struct {
	most int64
	now  atomic.Int64
}

func (g *gate) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer g.now.Add(-1)
		if g.now.Add(1) > g.most {
			w.Header().Set("Retry-After", "1")
			http.Error(w, fmt.Sprintf("%d requests at once, try again", g.most), http.StatusServiceUnavailable)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Serve answers on a listener until the context is done, then lets the requests that are
// under way end, for as long as StopTime. With a TLS configuration it speaks TLS alone.
func Serve(ctx context.Context, l net.Listener, h http.Handler, limits config.Limits, secure *tls.Config) error {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{
		Handler: h, TLSConfig: secure, Protocols: &protocols,
		MaxHeaderBytes: limits.HeaderBytes, ReadHeaderTimeout: limits.ReadTime, ReadTimeout: limits.ReadTime,
		WriteTimeout: limits.WriteTime, IdleTimeout: limits.IdleTime,
		HTTP2:    &http.HTTP2Config{MaxConcurrentStreams: limits.RequestsAtOnce, MaxReadFrameSize: 1 << 16},
		ErrorLog: slog.NewLogLogger(slog.Default().Handler(), slog.LevelDebug),
	}
	// So many connections at once; one more keeps the server from accepting others until it has room.
	connections := make(chan struct{}, limits.Connections)
	server.ConnState = func(_ net.Conn, s http.ConnState) {
		switch s {
		case http.StateNew:
			connections <- struct{}{}
		case http.StateClosed:
			<-connections
		}
	}
	ended := make(chan error, 1)
	go func() {
		if secure != nil {
			ended <- server.ServeTLS(l, "", "")
			return
		}
		ended <- server.Serve(l)
	}()
	select {
	case err := <-ended:
		return fmt.Errorf("service: %w", err)
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.Background(), limits.StopTime)
	defer cancel()
	if err := server.Shutdown(stop); err != nil {
		server.Close()
		return fmt.Errorf("service: requests were cut off after %v: %w", limits.StopTime, err)
	}
	return nil
}
