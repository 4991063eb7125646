package service_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"

	"dejavu/live/api"
	"dejavu/live/client"
	"dejavu/live/exposure"
	"dejavu/live/service"
	"dejavu/live/traffic"
	"dejavu/strategies"
)

// Bodies that do not come do not keep others from being answered, and what is refused is counted by its code.
func TestOverload(t *testing.T) {
	p, _ := made(t, "")
	patient := limits(t)
	patient.ReadTime = time.Minute
	in := traffic.New(patient, "a token of sixteen")
	h := (&service.Service{Keeper: p, Layout: chain, Secret: secret, Traffic: in}).Handler()
	address := served(t, h, patient, nil)
	for range 8 { // twice as many as there may be at once
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprint(conn, "POST "+api.Path+"Show HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a token of sixteen\r\n"+
			"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")
	}
	for _, o := range []client.Options{{HTTP1: true}, {GRPC: true}} {
		o.Token, o.Once = "a token of sixteen", true
		c := calling(t, o, address)
		if _, err := c.Show(t.Context(), "ann", []strategies.ID{1}, 1); err != nil {
			t.Errorf("beside half-sent bodies: %v", err)
		}
		if _, err := c.Show(t.Context(), "ann", []strategies.ID{1}, 21); connect.CodeOf(err) != connect.CodeInvalidArgument {
			t.Errorf("a bad limit: %v", err)
		}
		_, err := c.Show(t.Context(), "ann", make([]strategies.ID, 1000), 1)
		if connect.CodeOf(err) != connect.CodeResourceExhausted || !strings.Contains(err.Error(), "want at most 20") {
			t.Errorf("a long body: %v", err)
		}
		o.Token = "another"
		_, err = calling(t, o, address).Show(t.Context(), "ann", []strategies.ID{1}, 1)
		if connect.CodeOf(err) != connect.CodeUnauthenticated {
			t.Errorf("another token: %v", err)
		}
	}
	p.err = exposure.ErrElsewhere
	for _, grpc := range []bool{false, true} {
		c := calling(t, client.Options{GRPC: grpc, Token: "a token of sixteen", Once: true}, address)
		if err := c.Record(t.Context(), "ann", []strategies.ID{1}); connect.CodeOf(err) != connect.CodeUnavailable {
			t.Errorf("elsewhere: %v", err)
		}
	}
	chunked := io.MultiReader(strings.NewReader(strings.Repeat("a", 4000)))
	long, err := http.NewRequest("POST", "http://"+address+api.Path+"Show", chunked)
	if err != nil {
		t.Fatal(err)
	}
	long.Header.Set("Authorization", "Bearer a token of sixteen")
	if got, err := http.DefaultClient.Do(long); err != nil || got.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a long body that does not say how long: %v, %v", got, err)
	}
	r := httptest.NewRequest("GET", "/metrics", nil)
	r.Header.Set("Authorization", "Bearer a token of sixteen")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	for _, want := range []string{"400\"} 2", "401\"} 2", "413\"} 3", "503\"} 2"} {
		if !strings.Contains(w.Body.String(), "\ndejavu_refused_total{code=\""+want+"\n") {
			t.Errorf("refusals, want %s: %s", want, regexp.MustCompile("dejavu_refused.*").FindAllString(w.Body.String(), -1))
		}
	}
}
