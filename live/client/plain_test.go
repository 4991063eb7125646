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
	for _, c := range []struct {
		status               int
		kind, encoding, body string
	}{
		{200, "text/html", "", "a page"},
		{200, "application/json", "", "{}"},
		{200, "application/proto", "", "\xff"},
		{200, "application/proto", "gzip", ""},
		{307, "text/html", "", "elsewhere"},
		{403, "text/plain", "", "no"},
		{502, "text/plain", "", "a proxy's"},
		{400, "application/json", "", `{"code":"not_found","message":"nobody","details":[]}`},
		{503, "application/json", "", `{"code":"what","message":"ever"}`},
		{500, "application/json", "", `{"`},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", c.kind)
			w.Header().Set("Content-Encoding", c.encoding)
			w.WriteHeader(c.status)
			fmt.Fprint(w, c.body)
		}))
		o := client.Options{Addresses: []string{strings.TrimPrefix(s.URL, "http://")}, HTTP1: true, Once: true}
		_, err := strategytest.Value(client.New(o)).Show(t.Context(), "ann", ids, 1)
		by := connect.NewClient[api.ShowRequest, api.ShowResponse](http.DefaultClient, s.URL+api.Path+"Show",
			connect.WithAcceptCompression("gzip", nil, nil))
		_, want := by.CallUnary(t.Context(), connect.NewRequest(&api.ShowRequest{}))
		if want == nil || fmt.Sprint(err) != want.Error() || connect.IsWireError(err) != connect.IsWireError(want) ||
			connect.CodeOf(err) != connect.CodeOf(want) {
			t.Errorf("%v: %v, by Connect %v", c, err, want)
		}
		s.Close()
	}
}
