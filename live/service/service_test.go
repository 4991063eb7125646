package service_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/proto"

	"dejavu/live/api"
	"dejavu/live/client"
	"dejavu/live/config"
	"dejavu/live/exposure"
	"dejavu/live/layout"
	"dejavu/live/service"
	"dejavu/live/traffic"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

var (
	chain, _ = layout.Make(layout.Choice{Name: "chain"})
	secret   = strategies.RandomSecret()
)

func limits(t testing.TB) config.Limits {
	t.Helper()
	return strategytest.Value(config.Read([]byte("limits: {candidates: 50, limit: 20, requests: 4, user_bytes: 16, " +
		"body_bytes: 2048, requests_at_once: 4, read_time: 300ms, request_time: 300ms}"))).Limits
}

// admitting returns one token that allows everything, or none if it is empty.
func admitting(token string) traffic.Tokens {
	if token == "" {
		return nil
	}
	return traffic.Tokens{traffic.KeyOf(token): traffic.Admin}
}

func made(t testing.TB, token string) (*plain, http.Handler) {
	t.Helper()
	s := strategytest.Value(store.New[string](store.Config{Strategy: chain, Secret: secret}))
	t.Cleanup(s.Close)
	p := &plain{Store: s}
	return p, handler(p, limits(t), token)
}

func handler(p *plain, limits config.Limits, token string) http.Handler {
	return (&service.Service{
		Keeper: p, Layout: chain, Secret: secret, Traffic: traffic.New(limits, admitting(token)),
	}).Handler()
}

// served runs the handler as Serve does, and returns its address.
func served(t testing.TB, h http.Handler, limits config.Limits, secure *tls.Config) string {
	t.Helper()
	l := strategytest.Value(net.Listen("tcp", "127.0.0.1:0"))
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- service.Serve(ctx, l, h, traffic.New(limits, nil), secure) }()
	t.Cleanup(func() {
		cancel()
		strategytest.Must(t, <-ended)
	})
	return l.Addr().String()
}

func calling(t testing.TB, o client.Options, address string) *client.Client {
	t.Helper()
	o.Addresses = []string{address}
	return strategytest.Value(client.New(o))
}

// Every call, by Connect over HTTP/1.1 and HTTP/2, and by gRPC; the first is lost, and comes again.
func TestCalls(t *testing.T) {
	for _, o := range []client.Options{{}, {HTTP1: true}, {GRPC: true}} {
		_, h := made(t, "a token of sixteen")
		lost := true
		address := served(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if lost {
				lost = false
				panic(http.ErrAbortHandler)
			}
			h.ServeHTTP(w, r)
		}), limits(t), nil)
		o.Token = "a token of sixteen"
		c := calling(t, o, address)
		ctx := t.Context()
		articles := []strategies.ID{1, 2, 3, 4}
		if shown, err := c.Show(ctx, "ann", articles, 3); err != nil || fmt.Sprint(shown) != "[1 2 3]" {
			t.Errorf("show: %v, %v", shown, err)
		}
		all := []exposure.Show{{User: "ann", Candidates: articles, Limit: 3}, {User: "bob", Candidates: articles, Limit: 1}}
		if err := c.ShowAll(ctx, all); err != nil || fmt.Sprint(all[0].Shown, all[1].Shown) != "[4] [1]" {
			t.Errorf("show all: %v, %v", all, err)
		}
		strategytest.Must(t, c.Record(ctx, "bob", []strategies.ID{9}))
		seen := make([]bool, 3)
		if err := c.Seen(ctx, "bob", []strategies.ID{9, 1, 2}, seen); err != nil || fmt.Sprint(seen) != "[true true false]" {
			t.Errorf("seen: %v, %v", seen, err)
		}
		want := chain.Record(nil, secret.Salt(uint64(secret.DigestString("bob"))).Append(nil, []strategies.ID{1}))
		want = chain.Record(want, secret.Salt(uint64(secret.DigestString("bob"))).Append(nil, []strategies.ID{9}))
		v, err := c.Vector(ctx, "bob")
		if err != nil || !bytes.Equal(v.History, want) || v.Digest != chain.Digest ||
			v.SecretFingerprint != secret.Fingerprint() {
			t.Errorf("the vector: %v, %v", v, err)
		}
		strategytest.Must(t, c.Forget(ctx, "bob"))
		if v, err := c.Vector(ctx, "bob"); err != nil || len(v.History) != 0 {
			t.Errorf("after forgetting: %d bytes, %v", len(v.History), err)
		}
		d, err := c.Describe(ctx, 0)
		if err != nil || d.Layout.Strategy != "chain" || !d.AllHere || d.Partitions != 1 ||
			fmt.Sprint(d.MostCandidates, d.MostLimit, d.MostRequests, d.MostUserBytes) != "50 20 4 16" {
			t.Errorf("describe: %v, %v", d, err)
		}
	}
}

// A wrong request gets an error, and nothing is recorded.
func TestBadInput(t *testing.T) {
	p, h := made(t, "")
	post := func(call, kind, body string) (int, string) {
		w := ask(h, "POST", api.Path+call, body, "Content-Type", kind)
		return w.Code, w.Body.String()
	}
	var bad []struct {
		Call, Body, Want string
		Code             int
	}
	words := strings.NewReplacer("FIFTYONE", `"1"`+strings.Repeat(`,"1"`, 50), "LONG", strings.Repeat("a", 3000))
	text := words.Replace(string(strategytest.Value(os.ReadFile("testdata/bad.yaml"))))
	strategytest.Must(t, yaml.Unmarshal([]byte(text), &bad))
	strategytest.Equal(t, len(bad) > 10, true, "there is bad input")
	for _, c := range bad {
		code, body := post(c.Call, "application/json", c.Body)
		if code != c.Code || !strings.Contains(strings.ReplaceAll(body, "\u00a0", " "), c.Want) {
			t.Errorf("%s %.60s: %d %s, want %d %s", c.Call, c.Body, code, body, c.Code, c.Want)
		}
	}
	strategytest.Equal(t, p.Stats().Users, 0, "users who have a history after bad input")
}

// One request more than there may be at once is sent away, and told when to come again.
func TestTooMany(t *testing.T) {
	p, _ := made(t, "")
	few := limits(t)
	few.RequestsAtOnce = 0
	sent := ask(handler(p, few, ""), "POST", api.Path+"Show", "")
	if body := sent.Body.String(); sent.Code != 503 || sent.Header().Get("Retry-After") != "1" ||
		!strings.Contains(body, "0 requests at once, try again") {
		t.Errorf("%d %v %s", sent.Code, sent.Header(), body)
	}
}

// Requests on a connection are answered in turn, or refused, as HTTP says. Unread answers end the connection.
func TestRaw(t *testing.T) {
	_, h := made(t, "")
	of := limits(t)
	of.WriteTime = time.Second
	address := served(t, h, of, nil)
	var all []struct{ Send, Want string }
	strategytest.Must(t, yaml.Unmarshal(strategytest.Value(os.ReadFile("testdata/raw.yaml")), &all))
	words := strings.NewReplacer("\n", "\r\n", "END", "\r\nConnection: close\r\n\r\n", "PATH", api.Path,
		"SEEN", "POST "+api.Path+"Seen HTTP/1.1\r\nHost: x\r\nContent-Type: application/json",
		"BODY", `{"user":"a","candidates":["1"]}`, "LONG", strings.Repeat("a", 1<<20), "MUCH", strings.Repeat("a", 4096))
	for _, c := range all {
		conn, got := strategytest.Value(net.Dial("tcp", address)), []string(nil)
		_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
		go func() {
			if _, err := io.WriteString(conn, words.Replace(c.Send)); err == nil && strings.HasSuffix(c.Send, "BODY ") {
				_ = conn.(*net.TCPConn).CloseWrite()
			}
		}()
		from := bufio.NewReader(conn)
		r, err := http.ReadResponse(from, nil)
		for ; err == nil; r, err = http.ReadResponse(from, nil) {
			got = append(got, fmt.Sprint(r.StatusCode))
			if b, _ := io.ReadAll(r.Body); strings.Contains(string(b), "the body did not come within 300ms") {
				got = append(got, "late")
			}
		}
		conn.Close()
		strategytest.Equal(t, strings.Join(got, " "), c.Want, "%s", c.Send)
	}
	unread, err := strategytest.Value(net.Dial("tcp", address)), error(nil)
	defer unread.Close()
	_ = unread.SetDeadline(time.Now().Add(10 * time.Second))
	for err == nil {
		_, err = io.WriteString(unread, strings.Repeat("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 1000))
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("who does not read answers is waited for")
	}
}

// /healthz, /readyz and /metrics.
func TestPages(t *testing.T) {
	p, h := made(t, "")
	get := func(path string) string {
		w := ask(h, "GET", path, "")
		return fmt.Sprint(w.Code, " ", w.Body)
	}
	strategytest.Equal(t, get("/readyz"), "200 ready\n", "ready")
	for _, warning := range []error{nil, errors.New("planted")} {
		s := service.Service{Keeper: p, Traffic: traffic.New(limits(t), nil), Warning: func() error { return warning }}
		w := ask(s.Pages(), "GET", "/readyz", "")
		want := map[bool]string{false: "ready\n", true: "ready\nwarning: planted\n"}[warning != nil]
		strategytest.Equal(t, w.Body.String(), want, "with a warning of %v: %d", warning, w.Code)
	}
	p.err = fmt.Errorf("partition 3: %w", exposure.ErrElsewhere)
	strategytest.Equal(t, get("/readyz"), "503 partition 3: not served here\n", "not ready")
	strategytest.Equal(t, get("/healthz"), "200 ok\n", "healthy")
	p.of = 3
	w := ask(h, "POST", api.Path+"Describe", "{}", "Content-Type", "application/json")
	if body := strings.ReplaceAll(w.Body.String(), " ", ""); !strings.Contains(body, `"partitions":3,"here":[0]}`) {
		t.Errorf("one of three partitions is here: %s", body)
	}
	ask(h, "POST", api.Path+"Vector", "{}", "Content-Type", "application/json")
	if body := get("/metrics"); !strings.Contains(body, `dejavu_calls_total{call="Vector",code="invalid_argument"} 1`) {
		t.Errorf("metrics: %.300s", body)
	}
	p.Store = nil // the call panics
	w = ask(h, "POST", api.Path+"Vector", `{"user":"ann"}`, "Content-Type", "application/json")
	if got := fmt.Sprint(w.Code, w.Body); !strings.Contains(got, `500 {"code":"internal","message":"a fault of the service's"}`) {
		t.Errorf("a panic is answered with %s", got)
	}
}

// With a certificate the service speaks TLS, and nothing else.
func TestTLS(t *testing.T) {
	_, h := made(t, "")
	test := httptest.NewUnstartedServer(nil)
	test.StartTLS()
	defer test.Close()
	address := served(t, h, limits(t), &tls.Config{Certificates: test.TLS.Certificates, MinVersion: tls.VersionTLS12})
	pool := x509.NewCertPool()
	pool.AddCert(test.Certificate())
	for _, http1 := range []bool{false, true} {
		c := calling(t, client.Options{TLS: &tls.Config{RootCAs: pool}, HTTP1: http1, Once: true}, address)
		if shown, err := c.Show(t.Context(), "ann", []strategies.ID{1, 2}, 1); err != nil || len(shown) != 1 {
			t.Errorf("show: %v, %v", shown, err)
		}
	}
	plain := calling(t, client.Options{HTTP1: true, Once: true}, address)
	if _, err := plain.Show(t.Context(), "ann", []strategies.ID{1}, 1); err == nil {
		t.Error("an answer without TLS")
	}
}

// No body makes the service panic or answer that it is at fault.
func FuzzBody(f *testing.F) {
	_, h := made(f, "")
	good, _ := proto.Marshal(&api.ShowRequest{User: "a", Candidates: []uint64{1, 2}, Limit: 1, RequestId: 3})
	f.Add(true, good)
	f.Add(false, []byte(`{"user":"a","candidates":["1",2],"limit":1}`))
	f.Add(false, []byte(strings.Repeat("[", 100)))
	f.Fuzz(func(t *testing.T, binary bool, body []byte) {
		for _, call := range []string{"Show", "ShowAll", "Seen", "Record", "Forget", "Vector", "Describe"} {
			kind := map[bool]string{true: "application/proto", false: "application/json"}[binary]
			w := ask(h, "POST", api.Path+call, string(body), "Content-Type", kind)
			if w.Code >= 500 {
				t.Errorf("%s: %d %s", call, w.Code, w.Body)
			}
		}
	})
}
