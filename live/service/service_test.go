package service_test

import (
	"bufio"
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

	"connectrpc.com/connect"
	"connectrpc.com/grpchealth"
	"connectrpc.com/grpcreflect"
	"go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/proto"

	"dejavu/live/api"
	"dejavu/live/client"
	"dejavu/live/exposure"
	"dejavu/live/service"
	"dejavu/live/traffic"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// Every call, by Connect over HTTP/1.1 and HTTP/2, with TLS too, and by gRPC; the first is lost, and comes again.
func TestCalls(t *testing.T) {
	test := httptest.NewUnstartedServer(nil)
	test.StartTLS()
	defer test.Close()
	trust := &tls.Config{RootCAs: x509.NewCertPool()}
	trust.RootCAs.AddCert(test.Certificate())
	own := &tls.Config{Certificates: test.TLS.Certificates, MinVersion: tls.VersionTLS12}
	for _, o := range []client.Options{{}, {HTTP1: true}, {GRPC: true}, {TLS: trust, HTTP1: true}, {TLS: trust}} {
		_, h := made(t, token)
		var secure *tls.Config
		if o.TLS != nil {
			secure = own
		}
		lost := true
		address := served(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if lost {
				lost = false
				panic(http.ErrAbortHandler)
			}
			h.ServeHTTP(w, r)
		}), limits(""), secure)
		if secure != nil { // nothing else is spoken
			err := calling(client.Options{HTTP1: true, Once: true}, address).Forget(t.Context(), "ann")
			strategytest.ErrorSays(t, "without TLS", err, "400 Bad Request")
		}
		o.Token = token
		c, ctx, articles := calling(o, address), t.Context(), []strategies.ID{1, 2, 3, 4}
		strategytest.Equal(t, fmt.Sprint(strategytest.Value(c.Show(ctx, "ann", articles, 3))), "[1 2 3]", "shown")
		all := []exposure.Show{{User: "ann", Candidates: articles, Limit: 3}, {User: "bob", Candidates: articles, Limit: 1}}
		strategytest.Must(t, c.ShowAll(ctx, all))
		strategytest.Equal(t, fmt.Sprint(all[0].Shown, all[1].Shown), "[4] [1]", "shown to two")
		seen := make([]bool, 3)
		strategytest.Must(t, c.Record(ctx, "bob", []strategies.ID{9}), c.Seen(ctx, "bob", []strategies.ID{9, 1, 2}, seen))
		strategytest.Equal(t, fmt.Sprint(seen), "[true true false]", "seen")
		salt, v := secret.Salt(uint64(secret.DigestString("bob"))), strategytest.Value(c.Vector(ctx, "bob"))
		want := chain.Record(chain.Record(nil, salt.Append(nil, articles[:1])), salt.Append(nil, []strategies.ID{9}))
		strategytest.EqualSlices(t, v.History, want, "the vector")
		got := fmt.Sprint(v.Digest, " ", v.SecretFingerprint)
		strategytest.Equal(t, got, fmt.Sprint(chain.Digest, " ", secret.Fingerprint()), "its digest and secret")
		strategytest.Must(t, c.Forget(ctx, "bob"))
		strategytest.Equal(t, len(strategytest.Value(c.Vector(ctx, "bob")).History), 0, "bytes after forgetting")
		d := strategytest.Value(c.Describe(ctx, 0))
		most := []uint32{d.MostCandidates, d.MostLimit, d.MostRequests, d.MostUserBytes}
		got = fmt.Sprint(d.Layout.Strategy, d.AllHere, d.Partitions, most)
		strategytest.Equal(t, got, "chaintrue 1 [50 20 4 16]", "what it is")
	}
	strategytest.Equal(t, len(trust.NextProtos)+len(own.NextProtos), 0, "protocols added to shared configurations")
}

// A wrong request gets an error, one too many learns when to come again, and nothing is recorded.
func TestBadInput(t *testing.T) {
	p, h := made(t, "")
	var bad []struct {
		Call, Body, Want string
		Code             int
	}
	words := strings.NewReplacer("FIFTYONE", `"1"`+strings.Repeat(`,"1"`, 50), "LONG", strings.Repeat("a", 3000))
	text := words.Replace(string(strategytest.Value(os.ReadFile("testdata/bad.yaml"))))
	strategytest.Must(t, yaml.Unmarshal([]byte(text), &bad))
	strategytest.AtLeast(t, len(bad), 11, "bad input")
	for _, c := range bad {
		w := post(h, c.Call, c.Body)
		said := fmt.Sprint(w.Code, strings.ReplaceAll(w.Body.String(), "\u00a0", " "))
		strategytest.Contains(t, said, c.Want, "%s %.60s", c.Call, c.Body)
		strategytest.Equal(t, w.Code, c.Code, "%s %.60s", c.Call, c.Body)
	}
	none := limits("")
	none.RequestsAtOnce = 0
	sent := post(handler(p, none, ""), "Show", `{"user":"ann","candidates":["1"],"limit":1}`)
	said := fmt.Sprint(sent.Code, sent.Header()["Retry-After"], sent.Body)
	strategytest.Contains(t, said, `503 [1] {"code":"unavailable","message":"0 requests at once, try`, "one too many")
	strategytest.Equal(t, p.Stats().Users, 0, "users who have a history after bad input")
}

// Requests on a connection are answered in turn, or refused, as HTTP says. Bodies that do not come are not waited for,
// nor unread answers. Other answers than 200 may be cut off, and are tried again.
func TestRaw(t *testing.T) {
	_, soon := serving(t, limits("write_time: 1s"))
	_, address := serving(t, limits("read_time: 1m, request_time: 1m"))
	var all []struct{ Send, Want string }
	strategytest.Must(t, yaml.Unmarshal(strategytest.Value(os.ReadFile("testdata/raw.yaml")), &all))
	words := strings.NewReplacer("\n", "\r\n", "END", "\r\nConnection: close\r\n\r\n", "PATH", api.Path,
		"SEEN", "POST "+api.Path+"Seen HTTP/1.1\r\nHost: x\r\nContent-Type: application/json",
		"BODY", `{"user":"a","candidates":["1"]}`, "LONG", strings.Repeat("a", 1<<20), "MUCH", strings.Repeat("a", 4096))
	send := func(to, text string) (statuses string, err error) {
		conn := strategytest.Value(net.Dial("tcp", to))
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
		go func() {
			if _, err := io.WriteString(conn, words.Replace(text)); err == nil && strings.HasSuffix(text, "BODY ") {
				_ = conn.(*net.TCPConn).CloseWrite()
			}
		}()
		from := bufio.NewReader(conn)
		r, err := http.ReadResponse(from, nil)
		for ; err == nil; r, err = http.ReadResponse(from, nil) {
			statuses += fmt.Sprint(r.StatusCode, " ")
			if b, _ := io.ReadAll(r.Body); strings.Contains(string(b), "the body did not come within 300ms") {
				statuses += "late "
			}
		}
		return strings.TrimSpace(statuses), err
	}
	for _, c := range all {
		to, got, err := map[bool]string{false: soon, true: address}[strings.Contains(c.Want, "200")], "", error(nil)
		for try := 0; try < 20 && got != c.Want && !errors.Is(err, os.ErrDeadlineExceeded); try++ {
			got, err = send(to, c.Send)
		}
		strategytest.Equal(t, got, c.Want, "%s", c.Send)
	}
	unread, err := net.Dial("tcp", soon)
	strategytest.Must(t, err)
	defer unread.Close()
	_ = unread.SetDeadline(time.Now().Add(20 * time.Second))
	for err == nil {
		_, err = io.WriteString(unread, strings.Repeat("GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n", 1000))
	}
	strategytest.Equal(t, errors.Is(err, os.ErrDeadlineExceeded), false, "who does not read answers is waited for")
}

// /healthz, /readyz and /metrics, and the codes of a keeper's errors.
func TestPages(t *testing.T) {
	p, h := made(t, "")
	get := func(path string) string {
		w := ask(h, "GET", path, "")
		return fmt.Sprint(w.Code, " ", w.Body)
	}
	strategytest.Equal(t, get("/readyz"), "200 ready\n", "ready")
	for _, warning := range []error{nil, errors.New("planted")} {
		s := service.Service{Keeper: p, Traffic: traffic.New(limits(""), nil), Warning: func() error { return warning }}
		w := ask(s.Pages(), "GET", "/readyz", "")
		want := map[bool]string{false: "ready\n", true: "ready\nwarning: planted\n"}[warning != nil]
		strategytest.Equal(t, w.Body.String(), want, "with a warning of %v: %d", warning, w.Code)
	}
	for err, code := range map[error]string{
		exposure.ErrElsewhere: "unavailable", exposure.ErrUnavailable: "unavailable", exposure.ErrRefused: "unavailable",
		context.DeadlineExceeded: "deadline_exceeded", context.Canceled: "canceled", io.EOF: "internal",
	} {
		p.err = fmt.Errorf("planted: %w", err)
		const articles = `"user":"ann","candidates":["1"]`
		for call, body := range map[string]string{
			"Show": articles + `,"limit":1`, "ShowAll": `"requests":[{` + articles + `,"limit":1}]`, "Seen": articles,
			"Record": `"user":"ann","articles":["1"]`, "Forget": `"user":"ann"`, "Vector": `"user":"ann"`,
		} {
			strategytest.Contains(t, post(h, call, "{"+body+"}").Body.String(), `{"code":"`+code+`"`, "%s, %v", call, p.err)
		}
	}
	p.err = fmt.Errorf("partition 3: %w", exposure.ErrElsewhere)
	strategytest.Equal(t, get("/readyz"), "503 partition 3: not served here\n", "not ready")
	strategytest.Equal(t, get("/healthz"), "200 ok\n", "healthy")
	p.of = 3
	body := strings.ReplaceAll(post(h, "Describe", "{}").Body.String(), " ", "")
	strategytest.Contains(t, body, `"partitions":3,"here":[0]}`, "one of three partitions")
	post(h, "Vector", "{}")
	for _, of := range []string{`Vector",code="invalid_argument`, `Describe",code="ok`} {
		strategytest.Contains(t, get("/metrics"), `dejavu_calls_total{call="`+of+`"} 1`, "metrics")
	}
	p.Store = nil // the call panics
	answer := post(h, "Vector", `{"user":"ann"}`).Body.String()
	strategytest.Equal(t, answer, `{"code":"internal","message":"a fault of the service's"}`, "a panic's answer")
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
			strategytest.AtMost(t, w.Code, 499, "%s: %s", call, w.Body)
		}
	})
}

// What gRPC's tools ask: health without a token, the calls with one.
func TestStandard(t *testing.T) {
	p, h := made(t, token)
	address, by, name := "http://"+served(t, h, limits(""), nil), http2(t, false), strings.Trim(api.Path, "/")
	check := func(service string) string {
		r := grpchealth.CheckRequest{Service: service}
		is, err := grpchealth.NewClient(by, address, connect.WithGRPC()).Check(t.Context(), &r)
		if err != nil {
			return connect.CodeOf(err).String()
		}
		return is.Status.String()
	}
	strategytest.Equal(t, check("")+check(name)+check("x"), "servingservingnot_found", "health")
	p.err = exposure.ErrElsewhere
	strategytest.Equal(t, check(""), "not_serving", "health")
	for token, want := range map[string]string{token: "[" + name + " grpc.health.v1.Health] true", "": "[] false"} {
		asked := grpcreflect.NewClient(by, address, connect.WithGRPC()).NewStream(t.Context(),
			grpcreflect.WithRequestHeaders(http.Header{"Authorization": {"Bearer " + token}}))
		services, _ := asked.ListServices()
		files, _ := asked.FileContainingSymbol("dejavu.exposure.v1.ShowRequest")
		strategytest.Equal(t, fmt.Sprint(services, len(files) > 0), want, "with token %q", token)
		_, _ = asked.Close()
	}
}

// The OpenAPI description has every call, every message and every field.
func TestOpenAPI(t *testing.T) {
	_, h := made(t, token)
	page := ask(h, "GET", "/openapi.json", "").Body.String()
	file := new(api.Layout).ProtoReflect().Descriptor().ParentFile()
	for calls, i := file.Services().Get(0).Methods(), 0; i < calls.Len(); i++ {
		strategytest.Contains(t, page, `"`+api.Path+string(calls.Get(i).Name())+`": {`, "paths")
	}
	for i := range file.Messages().Len() {
		message := file.Messages().Get(i)
		_, schema, _ := strings.Cut(page, `"`+string(message.FullName())+`": {`)
		schema, _, _ = strings.Cut(schema, `"additionalProperties"`)
		for j := range message.Fields().Len() {
			strategytest.Contains(t, schema, `"`+message.Fields().Get(j).JSONName()+`": {`, "%s", message.Name())
		}
	}
}
