package client_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"dejavu/live/api"
	"dejavu/live/client"
	"dejavu/strategies/strategytest"
)

// What comes in place of an answer is the error that Connect's own client makes of it.
func TestErrors(t *testing.T) {
	check := func(status int, kind, encoding, body string) {
		t.Helper()
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.Header().Set("Content-Encoding", encoding)
			if body == "\n\x00" { // an answer, if it were whole
				w.Header().Set("Content-Length", "6")
			}
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}))
		defer s.Close()
		o := client.Options{Addresses: []string{strings.TrimPrefix(s.URL, "http://")}, HTTP1: true, Once: true}
		_, err := strategytest.Value(client.New(o)).Show(t.Context(), "ann", ids, 1)
		by := connect.NewClient[api.ShowRequest, api.ShowResponse](http.DefaultClient, s.URL+api.Path+"Show",
			connect.WithAcceptCompression("gzip", nil, nil))
		_, want := by.CallUnary(t.Context(), connect.NewRequest(&api.ShowRequest{}))
		if want == nil || fmt.Sprint(err) != want.Error() || connect.IsWireError(err) != connect.IsWireError(want) {
			t.Errorf("%v, by Connect %v", err, want)
		}
	}
	check(200, "text/html", "", "a page")
	check(200, "application/proto", "", "\xff")
	check(200, "application/proto", "gzip", "")
	check(200, "text/html", "", "")
	check(500, "application/proto", "", "")
	check(200, "application/proto", "", "\n\x00")
	check(307, "text/html", "", "elsewhere")
	check(502, "text/plain", "", "a proxy's")
	check(400, "application/json", "", `{"code":"not_found","message":"nobody","details":[]}`)
	check(503, "application/json", "", `{"code":"what","message":"ever"}`)
	check(500, "application/json", "", `{"`)
}
