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
	"path"
	"strings"
	"sync/atomic"
	"time"

	"connectrpc.com/connect"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

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

// strictJSON refuses fields that there are not, by name, where Connect's own codec passes
// them over: a candidate list under a misspelt name would be an empty one.
type strictJSON struct{}

// Name is the codec's in content types.
func (strictJSON) Name() string { return "json" }

// Marshal writes a message, which all that is called with is.
func (strictJSON) Marshal(m any) ([]byte, error) { return protojson.Marshal(m.(proto.Message)) }

// Unmarshal reads a message.
func (strictJSON) Unmarshal(b []byte, m any) error {
	if len(b) == 0 {
		return errors.New("an empty body, want a JSON object")
	}
	return protojson.Unmarshal(b, m.(proto.Message))
}

// metrics counts calls.
type metrics struct {
	calls *prometheus.CounterVec
	times *prometheus.HistogramVec
}

// NewRegistry returns a registry with the process's own metrics.
func NewRegistry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

func newMetrics(r prometheus.Registerer, atOnce func() float64) *metrics {
	m := &metrics{
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "dejavu_calls_total", Help: "Calls answered, by call and by code; ok is none.",
		}, []string{"call", "code"}),
		times: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "dejavu_call_seconds", Help: "Time from a decoded request to its answer.",
			Buckets: prometheus.ExponentialBuckets(25e-6, 2, 18), // to 3 s
		}, []string{"call"}),
	}
	r.MustRegister(m.calls, m.times, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "dejavu_requests_at_once", Help: "Requests being received or answered.",
	}, atOnce))
	return m
}

// called counts a call.
func (m *metrics) called(procedure string, err error, took time.Duration) {
	call, code := path.Base(procedure), "ok"
	if err != nil {
		code = connect.CodeOf(err).String()
	}
	m.calls.WithLabelValues(call, code).Inc()
	m.times.WithLabelValues(call).Observe(took.Seconds())
}
