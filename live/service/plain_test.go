package service_test

import (
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"dejavu/live/api"
	"dejavu/live/exposure"
	"dejavu/live/service"
	"dejavu/live/traffic"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// A plain request is answered and counted as by Connect, which takes the same type in capitals. So is what is wrong.
func TestPlain(t *testing.T) {
	p, _ := made(t, "")
	tokens := traffic.Tokens{traffic.KeyOf("reader"): traffic.Read, traffic.KeyOf("admin"): traffic.Admin}
	patient := limits(t)
	patient.RequestTime = 10 * time.Second
	h := (&service.Service{Keeper: p, Layout: chain, Secret: secret, Traffic: traffic.New(patient, tokens)}).Handler()
	encoded := func(m proto.Message) string { return string(strategytest.Value(proto.Marshal(m))) }
	ids := []strategies.ID{1, 2, 3, 4, 5}
	show := &api.ShowRequest{User: "ann", Candidates: ids, Limit: 2}
	one, user := encoded(show), encoded(&api.UserRequest{User: "ann"})
	const timeout, version = "Connect-Timeout-Ms", "Connect-Protocol-Version"
	// check asks in both ways for the same user, and compares. Only Connect's own answers say what it decompresses.
	check := func(call, body string, code int, plain bool, header, value string) {
		t.Helper()
		var is [2]*httptest.ResponseRecorder
		for i, kind := range []string{"application/proto", "Application/Proto"} {
			if p.Store != nil {
				strategytest.Must(t, p.Put("ann", 1, chain.Record(nil, ids[:1])))
			}
			r := httptest.NewRequest("POST", api.Path+call, strings.NewReader(body))
			r.Header.Set("Content-Type", kind)
			r.Header.Set("Authorization", "Bearer admin")
			if r.Header.Set(header, value); header == "" && value != "" {
				r.Method = value
			}
			is[i] = httptest.NewRecorder()
			h.ServeHTTP(is[i], r)
		}
		if was, by := is[0], is[1]; was.Code != code || by.Code != code || was.Body.String() != by.Body.String() ||
			was.Header().Get("Content-Type") != by.Header().Get("Content-Type") {
			t.Errorf("%s %q, %s %q: %d %q, by Connect %d %q, want %d", call, body, header, value, was.Code, was.Body,
				by.Code, by.Body, code)
		}
		if (is[0].Header()["Accept-Encoding"] == nil) != plain {
			t.Errorf("%s %q, %s %q: not answered plainly, want %v", call, body, header, value, plain)
		}
	}
	check("Show", one, 200, true, version, "1")
	check("Show", one, 200, true, timeout, "5000")
	check("ShowAll", encoded(&api.ShowAllRequest{Requests: []*api.ShowRequest{show, show}}), 200, true, "", "")
	check("Seen", encoded(&api.SeenRequest{User: "ann", Candidates: ids}), 200, true, "", "")
	check("Record", encoded(&api.RecordRequest{User: "ann", Articles: ids}), 200, true, "", "")
	check("Vector", user, 200, true, "", "")
	check("Describe", "", 200, true, "", "")
	check("Forget", user, 200, true, "", "")
	check("Show", one+"\x18\x15", 400, true, "", "") // a limit of 21
	check("Show", "\xff", 400, false, "", "")
	check("Show", one+strings.Repeat("\x00", 2048), 413, true, "", "")
	check("Nothing", one, 404, true, "", "")
	check("Show", one, 405, true, "", "PUT")
	check("Show", one, 401, true, "Authorization", "Bearer nobody")
	check("Show", one, 403, true, "Authorization", "Bearer reader")
	check("Show", one, 504, false, timeout, "0")
	check("Show", one, 400, false, timeout, "12345678901")
	check("Show", one, 200, false, timeout, "9876543210")
	check("Show", one, 400, false, version, "2")
	check("Show", one, 501, false, "Content-Encoding", "gzip")
	check("Show", one, 415, true, "Content-Type", "application/protobuf")
	check("Show", `{"user":"ann","candidates":["7"],"limit":1}`, 200, false, "Content-Type", "application/json")
	p.wait = make(chan struct{})
	check("Show", one, 504, true, timeout, "20")
	for err, code := range map[error]int{exposure.ErrElsewhere: 503, exposure.ErrUnavailable: 503, store.ErrDamaged: 500} {
		p.err = err
		check("Vector", user, code, true, "", "")
	}
	p.Store = nil
	check("Vector", user, 500, true, "", "") // it panics
	r := httptest.NewRequest("GET", "/metrics", nil)
	r.Header.Set("Authorization", "Bearer admin")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	counts := regexp.MustCompile(`\ndejavu_(calls|refused)_total.* (\d+)`).FindAllStringSubmatch(w.Body.String(), -1)
	for _, c := range counts {
		if strings.ContainsAny(c[2][len(c[2])-1:], "13579") || len(counts) < 15 {
			t.Errorf("not counted by both: %q", c[0])
		}
	}
}
