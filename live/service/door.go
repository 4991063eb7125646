package service

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"connectrpc.com/connect"
	"connectrpc.com/grpchealth"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"dejavu/live/api"
	"dejavu/live/traffic"
)

// needs maps a call to the right that it needs.
var needs = map[string]traffic.Right{
	"Seen": traffic.Read, "Vector": traffic.Read, "Describe": traffic.Read,
	"Show": traffic.Write, "ShowAll": traffic.Write, "Record": traffic.Write, "Forget": traffic.Admin,
}

// counted counts a call. A panic is an error.
func (s *Service) counted(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, r connect.AnyRequest) (answer connect.AnyResponse, err error) {
		began, name := time.Now(), strings.TrimPrefix(r.Spec().Procedure, api.Path)
		defer func() {
			if p := recover(); p != nil {
				slog.Error("a call panicked", "call", name, "panic", p)
				err = connect.NewError(connect.CodeInternal, errors.New("a fault of the service's"))
			}
			code := "ok"
			if err != nil {
				code = connect.CodeOf(err).String()
			}
			s.Traffic.Call(name).Answered(code, time.Since(began))
		}()
		return next(ctx, r)
	}
}

// Handler serves the calls, and the pages of Pages.
func (s *Service) Handler() http.Handler {
	_, calls := api.NewExposuresHandler(calls{s}, connect.WithCodec(strictJSON{}),
		connect.WithInterceptors(connect.UnaryInterceptorFunc(s.counted)),
		connect.WithCompression("gzip", nil, nil)) // digests do not compress
	for name := range needs {
		s.Traffic.Call(name) // metrics have it from the start
	}
	called, pages, reflection := s.token(s.gate(calls)), s.Pages(), s.reflection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, api.Path):
			called.ServeHTTP(w, r)
		case strings.HasPrefix(r.URL.Path, "/grpc.reflection."):
			reflection.ServeHTTP(w, r)
		default:
			pages.ServeHTTP(w, r)
		}
	})
}

// Pages serves /metrics, and without a token /healthz, /readyz, gRPC's health checks and /openapi.json.
func (s *Service) Pages() http.Handler {
	mux := http.NewServeMux()
	page := promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: s.Traffic.Limits.RequestTime}
	mux.Handle("/metrics", s.token(promhttp.HandlerFor(s.Traffic.Registry, page)))
	mux.Handle(grpchealth.NewHandler(health{s}, connect.WithReadMaxBytes(4096)))
	mux.HandleFunc("/openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(api.OpenAPI)
	})
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
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		untilTaken(w, r, func(w http.ResponseWriter) { mux.ServeHTTP(w, r) })
	})
}

// untilTaken answers a stranger, and waits until the answer is taken. By HTTP/2 it can be left, and is counted.
func untilTaken(w http.ResponseWriter, r *http.Request, by func(http.ResponseWriter)) {
	c, ok := r.Context().Value(connKey{}).(*traffic.Conn)
	if !ok || r.ProtoMajor != 2 {
		by(w)
		return
	}
	defer c.Untaken(64 << 10)() // 12 kB, or 50 kB if the request had the longest header
	a := &answer{ResponseWriter: w}
	if by(a); a.body {
		_ = http.NewResponseController(w).Flush()
	}
}

// An answer remembers whether it has a body, and its status, replaced by instead if set.
type answer struct {
	http.ResponseWriter
	instead, status int
	body            bool
}

// Write implements http.ResponseWriter.
func (a *answer) Write(b []byte) (int, error) {
	a.body = a.body || len(b) > 0
	return a.ResponseWriter.Write(b)
}

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) {
	if a.instead != 0 && status != http.StatusOK { // which gRPC's errors have
		status = a.instead
	}
	a.status = status
	a.ResponseWriter.WriteHeader(status)
}

// grpcRefusals maps gRPC's codes to HTTP's.
var grpcRefusals = map[string]int{
	"3": http.StatusBadRequest, "8": http.StatusTooManyRequests, "14": http.StatusServiceUnavailable,
	"16": http.StatusUnauthorized,
}

// code returns HTTP's code of the answer.
func (a *answer) code() int {
	for _, key := range []string{"Grpc-Status", http.TrailerPrefix + "Grpc-Status"} {
		if of := a.Header()[key]; len(of) == 1 {
			return grpcRefusals[of[0]]
		}
	}
	return a.status
}

var errorWriter = connect.NewErrorWriter()

// refuse answers that a request is refused, in the protocol that it was made in, and counts it by a code of HTTP.
func (s *Service) refuse(w http.ResponseWriter, r *http.Request, status int, code connect.Code, err error) {
	s.Traffic.Refuse(status)
	untilTaken(w, r, func(w http.ResponseWriter) {
		if !errorWriter.IsSupported(r) {
			http.Error(w, err.Error(), status)
			return
		}
		_ = errorWriter.Write(&answer{ResponseWriter: w, instead: status}, r, connect.NewError(code, err))
	})
}

// token requires a token with the call's right, or the right to read for pages.
func (s *Service) token(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		need := cmp.Or(needs[strings.TrimPrefix(r.URL.Path, api.Path)], traffic.Read)
		got, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		right := traffic.None
		switch {
		case s.Traffic.Open():
			right = traffic.Admin
		case bearer:
			right = s.Traffic.Right(traffic.KeyOf(got))
		}
		switch {
		case right == traffic.None:
			w.Header().Set("WWW-Authenticate", "Bearer")
			s.refuse(w, r, http.StatusUnauthorized, connect.CodeUnauthenticated,
				errors.New("want Authorization: Bearer and the service's token"))
		case right < need:
			s.refuse(w, r, http.StatusForbidden, connect.CodePermissionDenied,
				fmt.Errorf("the token's right is %v, want %v", right, need))
		default:
			next.ServeHTTP(w, r)
		}
	})
}

var errTooLarge = errors.New("the body is too large")

// receive reads a request's body as a whole.
func (s *Service) receive(r *http.Request) (body []byte, err error) {
	most := s.Traffic.Limits.BodyBytes
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc") {
		most += 5 // its envelope
	}
	tooLarge := fmt.Errorf("%w, want at most %d bytes", errTooLarge, most)
	if r.ContentLength > int64(most) {
		return body, tooLarge
	}
	for {
		if len(body) == cap(body) {
			grown, err := s.Traffic.Grow(body)
			if err != nil {
				return body, err
			}
			body = grown
		}
		n, err := r.Body.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case len(body) > most:
			return body, tooLarge
		case errors.Is(err, io.EOF):
			return body, nil
		case errors.Is(err, os.ErrDeadlineExceeded): // whose text has addresses
			return body, fmt.Errorf("%w: the body did not come within %v", io.ErrUnexpectedEOF, s.Traffic.Limits.ReadTime)
		case err != nil:
			return body, fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, err)
		}
	}
}

type connKey struct{}

// gate receives requests, bounds how many are answered at once, and counts what is refused.
func (s *Service) gate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := s.receive(r)
		defer s.Traffic.Free(body)
		switch {
		case errors.Is(err, errTooLarge):
			w.Header().Set("Connection", "close") // the rest of the body is not waited for
			s.refuse(w, r, http.StatusRequestEntityTooLarge, connect.CodeResourceExhausted, err)
			return
		case errors.Is(err, io.ErrUnexpectedEOF):
			s.refuse(w, r, http.StatusBadRequest, connect.CodeInvalidArgument, err)
			return
		}
		if err == nil {
			err = s.Traffic.Enter()
		}
		if err != nil {
			w.Header().Set("Retry-After", "1")
			s.refuse(w, r, http.StatusServiceUnavailable, connect.CodeUnavailable, err)
			return
		}
		defer s.Traffic.Leave()
		if c, ok := r.Context().Value(connKey{}).(*traffic.Conn); ok {
			c.Busy() // until the server says that it is idle
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		ctx, cancel := context.WithTimeout(r.Context(), s.Traffic.Limits.RequestTime)
		defer cancel()
		a := &answer{ResponseWriter: w}
		next.ServeHTTP(a, r.WithContext(ctx))
		if code := a.code(); code >= 400 && code < 500 || code == http.StatusServiceUnavailable {
			s.Traffic.Refuse(code)
		}
	})
}

// Serve answers on a listener, by TLS alone if secure is set, until the context is done; requests have StopTime to end.
func Serve(ctx context.Context, l net.Listener, h http.Handler, t *traffic.Traffic, secure *tls.Config) error {
	limits := &t.Limits
	server := &http.Server{
		Handler: h, TLSConfig: secure.Clone(), ErrorLog: slog.NewLogLogger(slog.Default().Handler(), slog.LevelDebug),
		Protocols: new(http.Protocols), MaxHeaderBytes: 16 << 10, ReadHeaderTimeout: limits.ReadTime,
		ReadTimeout: limits.ReadTime, WriteTimeout: limits.WriteTime, IdleTimeout: limits.IdleTime,
		HTTP2: &http.HTTP2Config{MaxConcurrentStreams: limits.RequestsAtOnce, MaxReadFrameSize: 1 << 16},
	}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetHTTP2(true)
	server.Protocols.SetUnencryptedHTTP2(true)
	of := func(c net.Conn) *traffic.Conn {
		if secured, ok := c.(*tls.Conn); ok {
			c = secured.NetConn()
		}
		return c.(*traffic.Conn)
	}
	server.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, connKey{}, of(c))
	}
	server.ConnState = func(c net.Conn, s http.ConnState) {
		if s == http.StateIdle {
			of(c).Silent(time.Now())
		}
	}
	l = t.Listen(l)
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
	stop, cancel := context.WithTimeout(context.Background(), t.Limits.StopTime)
	defer cancel()
	if err := server.Shutdown(stop); err != nil {
		server.Close()
		return fmt.Errorf("service: requests were cut off after %v: %w", t.Limits.StopTime, err)
	}
	return nil
}
