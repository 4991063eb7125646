// Package service answers the calls of api/exposure/v1 from an exposure.Keeper: it checks what comes in against
// the limits, before anything is recorded, and says what went wrong. Bad input is InvalidArgument, more than a
// limit allows ResourceExhausted or InvalidArgument with the limit, a user who is served elsewhere Unavailable.
package service

import (
	"cmp"
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
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	"dejavu/live/api"
	"dejavu/live/config"
	"dejavu/live/exposure"
	"dejavu/live/layout"
	"dejavu/strategies"
)

// A Service answers the calls of exposure.proto from a keeper.
type Service struct {
	_        struct{}
	Keeper   exposure.Keeper
	Layout   layout.Layout
	Secret   strategies.Secret
	Limits   config.Limits
	Token    string // empty: none is asked for
	Registry *prometheus.Registry
	Warning  func() error // what /readyz says where it is ready; nil: nothing
}

func invalid(format string, args ...any) error {
	return connect.NewError(connect.CodeInvalidArgument, fmt.Errorf(format, args...))
}

// coded is a keeper's error with the code that callers go by.
func coded(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return connect.NewError(connect.CodeDeadlineExceeded, fmt.Errorf("not durable in time; it may be recorded: %w", err))
	case errors.Is(err, context.Canceled):
		return connect.NewError(connect.CodeCanceled, err)
	case errors.Is(err, exposure.ErrElsewhere), errors.Is(err, exposure.ErrUnavailable):
		return connect.NewError(connect.CodeUnavailable, err)
	}
	return connect.NewError(connect.CodeInternal, err)
}

func (s *Service) checkUser(user string) error {
	if user == "" || len(user) > s.Limits.UserBytes {
		return invalid("user has %d bytes, want 1 to %d", len(user), s.Limits.UserBytes)
	}
	return nil
}

func (s *Service) checkArticles(field string, articles []strategies.ID) error {
	if n := len(articles); n < 1 || n > s.Limits.Candidates {
		return invalid("%s has %d articles, want 1 to %d", field, n, s.Limits.Candidates)
	}
	return nil
}

func (s *Service) checkShow(r *api.ShowRequest) error {
	if err := cmp.Or(s.checkUser(r.User), s.checkArticles("candidates", r.Candidates)); err != nil {
		return err
	}
	if r.Limit < 1 || int64(r.Limit) > int64(s.Limits.Limit) {
		return invalid("limit is %d, want 1 to %d", r.Limit, s.Limits.Limit)
	}
	return nil
}

func showOf(r *api.ShowRequest) exposure.Show {
	return exposure.Show{User: r.User, Request: r.RequestId, Candidates: r.Candidates, Limit: int(r.Limit)}
}

func (s *Service) show(ctx context.Context, r *api.ShowRequest) (*api.ShowResponse, error) {
	if err := s.checkShow(r); err != nil {
		return nil, err
	}
	one := []exposure.Show{showOf(r)}
	err := s.Keeper.ShowAll(ctx, one)
	return &api.ShowResponse{Shown: one[0].Shown}, coded(err)
}

func (s *Service) showAll(ctx context.Context, r *api.ShowAllRequest) (*api.ShowAllResponse, error) {
	n := len(r.Requests)
	if n < 1 || n > s.Limits.Requests {
		return nil, invalid("requests has %d, want 1 to %d", n, s.Limits.Requests)
	}
	all, total := make([]exposure.Show, n), 0
	for i, one := range r.Requests {
		if err := s.checkShow(one); err != nil {
			return nil, invalid("requests[%d]: %w", i, errors.Unwrap(err))
		}
		all[i] = showOf(one)
		total += min(len(one.Candidates), int(one.Limit))
	}
	room := make([]strategies.ID, total)
	for i := range all {
		n := min(len(all[i].Candidates), all[i].Limit)
		all[i].Shown, room = room[:0:n], room[n:]
	}
	if err := s.Keeper.ShowAll(ctx, all); err != nil {
		return nil, coded(err)
	}
	responses := make([]api.ShowResponse, n)
	answer := &api.ShowAllResponse{Responses: make([]*api.ShowResponse, n)}
	for i := range all {
		responses[i].Shown = all[i].Shown
		answer.Responses[i] = &responses[i]
	}
	return answer, nil
}

func (s *Service) seen(ctx context.Context, r *api.SeenRequest) (*api.SeenResponse, error) {
	if err := cmp.Or(s.checkUser(r.User), s.checkArticles("candidates", r.Candidates)); err != nil {
		return nil, err
	}
	seen := make([]bool, len(r.Candidates))
	err := s.Keeper.Seen(ctx, r.User, r.Candidates, seen)
	return &api.SeenResponse{Seen: seen}, coded(err)
}

func (s *Service) record(ctx context.Context, r *api.RecordRequest) (*emptypb.Empty, error) {
	if err := cmp.Or(s.checkUser(r.User), s.checkArticles("articles", r.Articles)); err != nil {
		return nil, err
	}
	return &emptypb.Empty{}, coded(s.Keeper.Record(ctx, r.User, r.RequestId, r.Articles))
}

func (s *Service) forget(ctx context.Context, r *api.UserRequest) (*emptypb.Empty, error) {
	if err := s.checkUser(r.User); err != nil {
		return nil, err
	}
	return &emptypb.Empty{}, coded(s.Keeper.Forget(ctx, r.User))
}

func (s *Service) vector(ctx context.Context, r *api.UserRequest) (*api.VectorResponse, error) {
	if err := s.checkUser(r.User); err != nil {
		return nil, err
	}
	history, err := s.Keeper.History(ctx, r.User)
	return &api.VectorResponse{History: history, Layout: s.layoutMessage()}, coded(err)
}

func (s *Service) layoutMessage() *api.Layout {
	return &api.Layout{
		Strategy: s.Layout.Name, Window: uint32(s.Layout.Window), Fpr: s.Layout.FPR,
		Digest: s.Layout.Digest, SecretFingerprint: s.Secret.Fingerprint(),
	}
}

func (s *Service) describe(context.Context, *emptypb.Empty) (*api.DescribeResponse, error) {
	of, here := s.Keeper.Partitions()
	answer := &api.DescribeResponse{
		Layout: s.layoutMessage(), MostCandidates: uint32(s.Limits.Candidates), MostLimit: uint32(s.Limits.Limit),
		MostRequests: uint32(s.Limits.Requests), MostUserBytes: uint32(s.Limits.UserBytes),
		Partitions: uint32(of), AllHere: len(here) == of,
	}
	if !answer.AllHere {
		for _, p := range here {
			answer.Here = append(answer.Here, uint32(p))
		}
	}
	return answer, nil
}

// timed is the interceptor that bounds the time of a call and counts it.
func (s *Service) timed() connect.UnaryInterceptorFunc {
	to := promauto.With(s.Registry)
	calls := to.NewCounterVec(prometheus.CounterOpts{
		Name: "dejavu_calls_total", Help: "Calls answered, by call and by code; ok is none.",
	}, []string{"call", "code"})
	times := to.NewHistogramVec(prometheus.HistogramOpts{
		Name: "dejavu_call_seconds", Help: "Time from a decoded request to its answer.",
		Buckets: prometheus.ExponentialBuckets(25e-6, 2, 18), // to 3 s
	}, []string{"call"})
	return func(next connect.UnaryFunc) connect.UnaryFunc {
		return func(ctx context.Context, r connect.AnyRequest) (connect.AnyResponse, error) {
			ctx, cancel := context.WithTimeout(ctx, s.Limits.RequestTime)
			defer cancel()
			began := time.Now()
			answer, err := next(ctx, r)
			call, code := path.Base(r.Spec().Procedure), "ok"
			if err != nil {
				code = connect.CodeOf(err).String()
			}
			calls.WithLabelValues(call, code).Inc()
			times.WithLabelValues(call).Observe(time.Since(began).Seconds())
			return answer, err
		}
	}
}

// Handler serves the calls, /metrics, and without the token /healthz (the process runs) and /readyz (all is served).
func (s *Service) Handler() http.Handler {
	all := api.Calls{
		Show: s.show, ShowAll: s.showAll, Seen: s.seen, Record: s.record, Forget: s.forget,
		Vector: s.vector, Describe: s.describe,
	}
	calls := api.Handler(all,
		connect.WithInterceptors(s.timed()),
		connect.WithReadMaxBytes(s.Limits.BodyBytes),
		connect.WithCodec(strictJSON{}),
		connect.WithCompression("gzip", nil, nil), // digests do not compress
		connect.WithRecover(func(_ context.Context, spec connect.Spec, _ http.Header, p any) error {
			slog.Error("a call panicked", "call", spec.Procedure, "panic", p)
			return connect.NewError(connect.CodeInternal, errors.New("a fault of the service's"))
		}),
	)
	// As it comes, whatever its compression makes of it, and with the envelope of gRPC.
	calls = http.MaxBytesHandler(calls, int64(s.Limits.BodyBytes)+16)
	mux := http.NewServeMux()
	mux.Handle(api.Path, token(s.Token, s.gate(calls)))
	page := promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: s.Limits.RequestTime}
	mux.Handle("/metrics", token(s.Token, promhttp.HandlerFor(s.Registry, page)))
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("/readyz", func(w http.ResponseWriter, _ *http.Request) {
		if err := s.Keeper.Ready(); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ready")
		if s.Warning != nil && s.Warning() != nil {
			fmt.Fprintln(w, "warning:", s.Warning())
		}
	})
	return mux
}

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

// gate bounds the requests that are received and answered at once, and with them the memory that they take.
func (s *Service) gate(next http.Handler) http.Handler {
	most := int64(s.Limits.RequestsAtOnce)
	var now atomic.Int64
	promauto.With(s.Registry).NewGaugeFunc(prometheus.GaugeOpts{
		Name: "dejavu_requests_at_once", Help: "Requests being received or answered.",
	}, func() float64 { return float64(now.Load()) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer now.Add(-1)
		if now.Add(1) > most {
			w.Header().Set("Retry-After", "1")
			http.Error(w, fmt.Sprintf("%d requests at once, try again", most), http.StatusServiceUnavailable)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Serve answers on a listener, by TLS alone if secure is set, until the context is done; requests have StopTime to end.
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

// strictJSON refuses unknown fields, which Connect passes over: misspelt candidates would be an empty list.
type strictJSON struct{}

// Name is the codec's in content types. Marshal writes a message, which all that is called with is.
func (strictJSON) Name() string                  { return "json" }
func (strictJSON) Marshal(m any) ([]byte, error) { return protojson.Marshal(m.(proto.Message)) }

// Unmarshal reads a message.
func (strictJSON) Unmarshal(b []byte, m any) error {
	if len(b) == 0 {
		return errors.New("an empty body, want a JSON object")
	}
	return protojson.Unmarshal(b, m.(proto.Message))
}

// NewRegistry returns a registry with the process's own metrics.
func NewRegistry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}
