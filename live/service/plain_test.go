package service_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"dejavu/live/api"
	"dejavu/live/exposure"
	"dejavu/live/service"
	"dejavu/live/traffic"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// Twins are two services of the same users. One answers plain requests, the other one leaves them to Connect.
type twins [2]struct {
	*plain
	http.Handler
}

func newTwins(t testing.TB) (s twins) {
	tokens := traffic.Tokens{traffic.KeyOf("reader"): traffic.Read, traffic.KeyOf("admin"): traffic.Admin}
	for i := range s {
		s[i].plain, _ = made(t, "")
		one := service.Service{Keeper: s[i], Layout: chain, Secret: secret, Traffic: traffic.New(limits(t), tokens)}
		s[i].Handler = one.Handler()
	}
	return s
}

// ask is what both answer, the same, and whether the first one did without Connect, which says what it decompresses.
func (s *twins) ask(t *testing.T, method, call, body string, header ...string) (is [2]*httptest.ResponseRecorder) {
	t.Helper()
	for i, kind := range []string{"application/proto", "Application/Proto"} { // which is no other type
		r := httptest.NewRequest(method, api.Path+call, strings.NewReader(body))
		r.Header.Set("Content-Type", kind)
		r.Header.Set("Authorization", "Bearer admin")
		for n := 0; n < len(header); n += 2 {
			r.Header.Set(header[n], header[n+1])
		}
		is[i] = httptest.NewRecorder()
		s[i].ServeHTTP(is[i], r)
	}
	if one, two := is[0], is[1]; one.Code != two.Code || !bytes.Equal(one.Body.Bytes(), two.Body.Bytes()) ||
		one.Header().Get("Content-Type") != two.Header().Get("Content-Type") {
		t.Errorf("%s %q %q: %d %v %q, by Connect %d %v %q", call, body, header,
			one.Code, one.Header(), one.Body, two.Code, two.Header(), two.Body)
	}
	return is
}

func encoded(m proto.Message) string { return string(strategytest.Value(proto.Marshal(m))) }

// A plain request is answered and counted as Connect does it, and so is what is wrong with one.
func TestPlain(t *testing.T) {
	s := newTwins(t)
	show := &api.ShowRequest{User: "ann", Candidates: []strategies.ID{1, 2, 3, 4, 5}, Limit: 2}
	one, user := encoded(show), encoded(&api.UserRequest{User: "ann"})
	const timeout, version = "Connect-Timeout-Ms", "Connect-Protocol-Version"
	for _, c := range []struct {
		call, body string
		code       int
		plain      bool // or it goes on to Connect
		header     []string
	}{
		{"Show", one, 200, true, nil},
		{"Show", one, 200, true, []string{version, "1", timeout, "5000"}},
		{"ShowAll", encoded(&api.ShowAllRequest{Requests: []*api.ShowRequest{show, show}}), 200, true, nil},
		{"Seen", encoded(&api.SeenRequest{User: "ann", Candidates: show.Candidates}), 200, true, nil},
		{"Record", encoded(&api.RecordRequest{User: "ann", Articles: show.Candidates}), 200, true, nil},
		{"Vector", user, 200, true, nil},
		{"Describe", "", 200, true, nil},
		{"Forget", user, 200, true, nil},
		{"Show", "", 400, true, nil},
		{"Show", one + "\x18\x15", 400, true, nil}, // a limit of 21
		{"Show", "\xff", 400, false, nil},
		{"Show", one + strings.Repeat("\x00", 2048), 413, true, nil},
		{"Nothing", one, 404, true, nil},
		{"Show", one, 401, true, []string{"Authorization", "Bearer nobody"}},
		{"Show", one, 403, true, []string{"Authorization", "Bearer reader"}},
		{"Show", one, 504, false, []string{timeout, "0"}},
		{"Show", one, 400, false, []string{timeout, "soon"}},
		{"Show", one, 400, false, []string{timeout, "12345678901"}},
		{"Show", one, 200, false, []string{timeout, "9876543210"}},
		{"Show", one, 400, false, []string{version, "2"}},
		{"Show", one, 501, false, []string{"Content-Encoding", "gzip"}},
		{"Show", `{"user":"ann","candidates":["7"],"limit":1}`, 200, false, []string{"Content-Type", "application/json"}},
	} {
		is := s.ask(t, "POST", c.call, c.body, c.header...)[0]
		if plain := is.Header()["Accept-Encoding"] == nil; is.Code != c.code || plain != c.plain {
			t.Errorf("%s %q %q: %d, plain %v, want %d, %v: %q", c.call, c.body, c.header, is.Code, plain, c.code, c.plain, is.Body)
		}
	}
	s.ask(t, "GET", "Show", one)
	for i := range s {
		s[i].wait = make(chan struct{})
	}
	for _, header := range [][]string{{timeout, "20"}, nil} { // the service's own is 300 ms
		strategytest.Equal(t, s.ask(t, "POST", "Show", one, header...)[0].Code, 504, "a slow call, %q", header)
	}
	for _, err := range []error{exposure.ErrElsewhere, store.ErrDamaged} {
		s[0].err, s[1].err = err, err
		s.ask(t, "POST", "Seen", encoded(&api.SeenRequest{User: "ann", Candidates: show.Candidates}))
	}
	s[0].Store, s[1].Store = nil, nil
	strategytest.Equal(t, s.ask(t, "POST", "Vector", user)[0].Code, 500, "a call that panics")
	var counts [2]string
	for i := range s {
		r := httptest.NewRequest("GET", "/metrics", nil)
		r.Header.Set("Authorization", "Bearer reader")
		w := httptest.NewRecorder()
		s[i].ServeHTTP(w, r)
		counted := regexp.MustCompile("dejavu_(calls_total|call_seconds_count|refused_total).*")
		counts[i] = strings.Join(counted.FindAllString(w.Body.String(), -1), "\n")
	}
	strategytest.Equal(t, counts[0], counts[1], "what is counted")
}

// No body makes the service panic or answer that it is at fault, nor is answered otherwise than by Connect.
func FuzzBody(f *testing.F) {
	s := newTwins(f)
	good := encoded(&api.ShowRequest{User: "a", Candidates: []strategies.ID{1, 2}, Limit: 1, RequestId: 3})
	f.Add(true, good)
	f.Add(false, `{"user":"a","candidates":["1",2],"limit":1}`)
	f.Add(false, strings.Repeat("[", 100))
	f.Fuzz(func(t *testing.T, binary bool, body string) {
		header := map[bool][]string{false: {"Content-Type", "application/json"}}[binary]
		for _, call := range []string{"Show", "ShowAll", "Seen", "Record", "Forget", "Vector", "Describe"} {
			if is := s.ask(t, "POST", call, body, header...)[0]; is.Code >= 500 {
				t.Errorf("%s: %d %s", call, is.Code, is.Body)
			}
		}
	})
}
