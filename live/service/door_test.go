package service_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"dejavu/live/api"
	"dejavu/live/client"
	"dejavu/live/exposure"
	"dejavu/live/service"
	"dejavu/live/traffic"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// Half-sent bodies keep nobody from being answered. The longest body is taken by each protocol. Refusals are counted.
func TestOverload(t *testing.T) {
	p, _ := made(t, "")
	patient := limits("read_time: 1m, candidates: 200, user_bytes: 500")
	h := handler(p, patient, token)
	address := served(t, h, patient, nil)
	half := func(length int) net.Conn {
		conn := strategytest.Value(net.Dial("tcp", address))
		t.Cleanup(func() { conn.Close() })
		fmt.Fprintf(conn, "POST %sShow HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"+
			"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n{", api.Path, token, length)
		return conn
	}
	for range 8 { // twice the limit
		half(1000)
	}
	large := half(1 << 30) // is refused by what it says
	_ = large.SetReadDeadline(time.Now().Add(20 * time.Second))
	strategytest.Equal(t, string(strategytest.Value(bufio.NewReader(large).Peek(12))), "HTTP/1.1 413", "a large body")
	for _, o := range []client.Options{{HTTP1: true}, {GRPC: true}} {
		o.Token, o.Once, p.err = token, true, nil
		c := calling(o, address)
		for more, want := range []string{"", "resource_exhausted: the body is too large, want at most 20"} {
			r := &api.SeenRequest{User: strings.Repeat("u", 442+more), Candidates: make([]uint64, 200)}
			strategytest.Equal(t, proto.Size(r), patient.BodyBytes+more, "bytes")
			err := c.Seen(t.Context(), r.User, api.IDs(r.Candidates), make([]bool, 200)) // beside half-sent bodies
			strategytest.ErrorSays(t, "the longest body, and a longer one", err, want)
		}
		p.err = exposure.ErrElsewhere
		strategytest.ErrorSays(t, "elsewhere", c.Record(t.Context(), "ann", []strategies.ID{1}), "unavailable: not served")
	}
	page := ask(h, "GET", "/metrics", "", "Authorization", "Bearer "+token).Body.String()
	for _, want := range []string{"413\"} 3", "503\"} 2"} {
		strategytest.Contains(t, page, "\ndejavu_refused_total{code=\""+want+"\n", "refusals")
	}
}

// Memory for bodies is bounded for all together, and given back. A body that does not fit is sent away, not cut.
func TestReceived(t *testing.T) {
	p, _ := made(t, "")
	h := handler(p, limits("body_bytes: 40960, requests_at_once: 1"), "")
	body := `{"user":"a","candidates":["1"]}` + strings.Repeat(" ", 18<<10)
	half, sent := io.Pipe()
	ended := make(chan bool)
	go func() {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("POST", api.Path+"Seen", half))
		close(ended)
	}()
	fmt.Fprintf(sent, "%20480s", "") // returns when it is received
	strategytest.Equal(t, post(h, "Seen", body).Code, http.StatusServiceUnavailable, "beside half a body")
	sent.Close()
	<-ended
	strategytest.Equal(t, post(h, "Seen", body).Code, http.StatusOK, "after it")
}

// waits makes a call that waits in the keeper, and returns what becomes of it.
func waits(p *plain, address string) chan error {
	one := []exposure.Show{{User: "a", Candidates: []strategies.ID{1}, Limit: 1}}
	c, ended := calling(client.Options{HTTP1: true, Once: true}, address), make(chan error, 1)
	go func() { ended <- c.ShowAll(context.Background(), one) }()
	for p.inside.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	return ended
}

// Calls that take too long at a stop are cut off, with a notice.
func TestCutOff(t *testing.T) {
	p, _ := made(t, "")
	p.wait = make(chan struct{}) // never closed: the call ends by being cut off, perhaps after the store is closed
	short := limits("stop_time: 50ms, request_time: 1m")
	l := strategytest.Value(net.Listen("tcp", "127.0.0.1:0"))
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- service.Serve(ctx, l, handler(p, short, ""), traffic.New(short, nil), nil) }()
	call := waits(p, l.Addr().String())
	stop()
	strategytest.ErrorSays(t, "the end", <-ended, "requests were cut off after 50ms")
	strategytest.ErrorSays(t, "the call", <-call, "unavailable")
	strategytest.ErrorSays(t, "again", service.Serve(t.Context(), l, nil, traffic.New(short, nil), nil), "service: accept")
}

// One whose request is being answered makes no room for another; one that is silent for the idle time ends.
func TestBusy(t *testing.T) {
	few := limits("connections: 1, request_time: 1m, write_time: 1m, idle_time: 3s")
	p, address := serving(t, few)
	p.wait = make(chan struct{})
	answered := waits(p, address)
	other := strategytest.Value(net.Dial("tcp", address))
	defer other.Close()
	fmt.Fprint(other, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
	_ = other.SetReadDeadline(time.Now().Add(300 * time.Millisecond))
	strategytest.ErrorSays(t, "a second connection", strategytest.ErrorOf(other.Read(make([]byte, 1))), "timeout")
	close(p.wait)
	strategytest.ErrorSays(t, "while it was answered", <-answered, "")
	_ = other.SetReadDeadline(time.Now().Add(2 * time.Second))
	strategytest.ErrorSays(t, "when it is silent", strategytest.ErrorOf(other.Read(make([]byte, 1))), "")
	began := time.Now()
	_ = other.SetReadDeadline(began.Add(10 * time.Second))
	b := strategytest.Value(io.ReadAll(other))
	strategytest.Equal(t, strings.HasSuffix(string(b), "ok\n"), true, "answered with %q before the end", b)
	strategytest.AtLeast(t, time.Since(began), time.Second, "the time of a silent connection")
}

const stranger = "want Authorization: Bearer and the service's token"

// Unread answers to strangers by HTTP/2 are bounded: the oldest make room for new ones. A caller who reads is answered.
func TestUntaken(t *testing.T) {
	_, h := made(t, token)
	address, most, by := served(t, h, limits(""), nil), 4*limits("").RequestsAtOnce, http2(t, true)
	for range most { // are taken
		r := strategytest.Value(by.Get("http://" + address + "/healthz"))
		strategytest.Equal(t, string(strategytest.Value(io.ReadAll(r.Body))), "ok\n", "a page")
	}
	var bodies []io.ReadCloser
	for n := range most + 8 {
		if n%4 == 0 {
			time.Sleep(10 * time.Millisecond)
		}
		page := []string{"/healthz", api.Path + "Seen"}[n%2]
		bodies = append(bodies, strategytest.Value(by.Get("http://"+address+page)).Body)
	}
	strategytest.Must(t, calling(client.Options{Token: token}, address).Record(t.Context(), "ann", []strategies.ID{1}))
	for n, body := range bodies { // four a connection: the first two have made room
		got, err := io.ReadAll(body)
		want := []string{"ok\n", stranger}[n%2]
		if body.Close(); (err != nil) != (n < 8) || err == nil && !strings.Contains(string(got), want) {
			t.Errorf("answer %d, of which one byte was taken: %q, %v", n, got, err)
		}
	}
}

// Each call asks for its right, in every protocol: without a token 401, with one that allows less 403.
func TestRights(t *testing.T) {
	p, _ := made(t, "")
	in := traffic.New(limits(""), traffic.Tokens{traffic.KeyOf(token): traffic.Admin})
	h := (&service.Service{Keeper: p, Layout: chain, Secret: secret, Traffic: in}).Handler()
	ask := func(method, path, kind, token string) (status int, answer string) {
		w := ask(h, method, path, "{}", "Content-Type", kind, "Authorization", token)
		return w.Code, w.Body.String() + w.Header().Get("Grpc-Status") + w.Header().Get("Grpc-Message") +
			w.Header().Get("WWW-Authenticate")
	}
	denied := 0
	for own := traffic.None; own <= traffic.Admin; own++ {
		in.SetTokens(traffic.Tokens{traffic.KeyOf("token"): own})
		for call, need := range map[string]traffic.Right{
			"Seen": traffic.Read, "Vector": traffic.Read, "Describe": traffic.Read, "Show": traffic.Write,
			"ShowAll": traffic.Write, "Record": traffic.Write, "Forget": traffic.Admin,
		} {
			status, answer := ask("POST", api.Path+call, "application/json", "Bearer token")
			_, grpc := ask("POST", api.Path+call, "application/grpc", "Bearer token")
			is := fmt.Sprintf("%d %s %s", status, answer, grpc)
			switch {
			case own == traffic.None:
				const want = `401 {"code":"unauthenticated","message":"%s"}Bearer 16%[1]sBearer`
				strategytest.Equal(t, is, fmt.Sprintf(want, stranger), "a stranger's %s", call)
			case own < need:
				denied += 2
				want := fmt.Sprintf("the token's right is %v, want %v", own, need)
				want = fmt.Sprintf(`403 {"code":"permission_denied","message":"%s"} 7%[1]s`, want)
				strategytest.Equal(t, is, want, "%s with the right %v", call, own)
			default:
				refused := status == 401 || status == 403 || strings.Contains(grpc, "token")
				strategytest.Equal(t, refused, false, "%s is refused with the right %v: %s", call, own, is)
			}
		}
		status, _ := ask("GET", "/metrics", "", "Bearer token")
		strategytest.Equal(t, status == 200, own > traffic.None, "%v may look at the metrics", own)
	}
	status, _ := ask("GET", "/metrics", "", "token")
	strategytest.Equal(t, status, 401, "a token that is no bearer's")
	_, page := ask("GET", "/metrics", "", "Bearer token")
	strategytest.Contains(t, page, fmt.Sprintf("\ndejavu_refused_total{code=\"403\"} %d\n", denied), "refusals")
}

// A call ends by its time limit, by the caller's if shorter, and when the caller hangs up. Then another may begin.
func TestDeadlines(t *testing.T) {
	p, _ := made(t, "")
	p.wait = make(chan struct{})
	for kind, body := range map[string]string{
		"application/proto": "\n\x01a\x12\x08\x07\x00\x00\x00\x00\x00\x00\x00\x18\x01",
		"application/json":  `{"user":"a","candidates":["7"],"limit":1}`,
	} {
		for n, want := range []int{504, 504, 504, 499} {
			of, began := limits("requests_at_once: 1, request_time: "+[]string{"50ms", "50ms", "8s", "8s"}[n]), time.Now()
			ctx, hangUp := context.WithCancel(t.Context())
			time.AfterFunc(time.Duration([]int{9000, 9000, 9000, 50}[n])*time.Millisecond, hangUp)
			r := httptest.NewRequestWithContext(ctx, "POST", api.Path+"Show", strings.NewReader(body))
			r.Header = http.Header{"Content-Type": {kind}, "Connect-Timeout-Ms": {[]string{"", "8000", "50", ""}[n]}}
			h, w := handler(p, of, ""), httptest.NewRecorder()
			h.ServeHTTP(w, r)
			hangUp()
			if took := time.Since(began); w.Code != want || took < 40*time.Millisecond || took > 4*time.Second {
				t.Errorf("%s, %d: %d %s after %v, want %d", kind, n, w.Code, w.Body, took, want)
			}
			strategytest.Equal(t, post(h, "Describe", "{}").Code, 200, "the next call")
		}
	}
}

// Many at once get their own answers, by connections that are kept: no buffer is used again while it is in use.
func TestAtOnce(t *testing.T) {
	const wide = "requests_at_once: 16, candidates: 1000, body_bytes: 16384, read_time: 1m, request_time: 1m"
	_, address := serving(t, limits(wide))
	dials := atomic.Int64{}
	c := calling(client.Options{HTTP1: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		dials.Add(1)
		return net.Dial("tcp", address)
	}}, address)
	var group sync.WaitGroup
	for n := range 16 {
		group.Go(func() {
			user, mine := fmt.Sprint("user", n), make([]strategies.ID, 1000)
			for i := range mine {
				mine[i] = strategies.ID(1000*n + i)
			}
			for range 25 {
				shown, err := c.Show(t.Context(), user, mine, 20)
				strategytest.Must(t, err, c.Forget(t.Context(), user))
				strategytest.EqualSlices(t, shown, mine[:20], "shown to %s", user)
			}
		})
	}
	group.Wait()
	strategytest.Between(t, dials.Load(), 1, 40, "connections for 16 callers")
}
