package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/emptypb"

	"dejavu/live/api"
	"dejavu/live/client"
	"dejavu/live/exposure"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// An instance answers as it is told, and notes what it was asked.
type instance struct {
	mu      sync.Mutex
	here    []uint32
	of      uint32  // partitions
	fail    []error // of the next calls; then none
	asked   []string
	numbers map[uint64]int // requests by their number
	short   bool           // answers have an element too few
	all     bool           // it serves every partition
	sent    atomic.Value   // the header of the last request
}

// errSlow is no error: the answer takes its time.
var errSlow = errors.New("slow")

func (i *instance) call(name string, number uint64) (err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.asked = append(i.asked, name)
	i.numbers[number]++
	if len(i.fail) > 0 {
		err, i.fail = i.fail[0], i.fail[1:]
	}
	if errors.Is(err, errSlow) {
		time.Sleep(300 * time.Millisecond)
		return nil
	}
	return err
}

func first(r *api.ShowRequest) *api.ShowResponse {
	return &api.ShowResponse{Shown: r.Candidates[:r.Limit]}
}

func (i *instance) Show(_ context.Context, r *api.ShowRequest) (*api.ShowResponse, error) {
	return first(r), i.call("show "+r.User, r.RequestId)
}

func (i *instance) ShowAll(_ context.Context, r *api.ShowAllRequest) (*api.ShowAllResponse, error) {
	answer, users := &api.ShowAllResponse{}, ""
	for _, one := range r.Requests {
		answer.Responses, users = append(answer.Responses, first(one)), users+" "+one.User
	}
	if i.short {
		answer.Responses = answer.Responses[1:]
	}
	return answer, i.call("all"+users, r.Requests[0].RequestId)
}

func (i *instance) Seen(_ context.Context, r *api.SeenRequest) (*api.SeenResponse, error) {
	answer := &api.SeenResponse{Seen: make([]bool, len(r.Candidates))}
	answer.Seen[0] = true
	if i.short {
		answer.Seen = answer.Seen[1:]
	}
	return answer, i.call("seen "+r.User, 0)
}

func (i *instance) Record(_ context.Context, r *api.RecordRequest) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, i.call(fmt.Sprint("record ", r.User, r.Articles), r.RequestId)
}

func (i *instance) Forget(_ context.Context, r *api.UserRequest) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, i.call("forget "+r.User, 0)
}

func (i *instance) Vector(_ context.Context, r *api.UserRequest) (*api.VectorResponse, error) {
	answer := &api.VectorResponse{History: []byte{7}, Layout: &api.Layout{Strategy: "chain"}}
	return answer, i.call("vector "+r.User, 0)
}

func (i *instance) Describe(context.Context, *emptypb.Empty) (*api.DescribeResponse, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return &api.DescribeResponse{Partitions: i.of, Here: i.here, AllHere: i.all}, nil
}

func started(t *testing.T, o client.Options, partitions uint32, instances ...*instance) *client.Client {
	t.Helper()
	for _, i := range instances {
		i.numbers, i.of = map[uint64]int{}, partitions
		_, h := api.NewExposuresHandler(i)
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			i.sent.Store(r.Header)
			h.ServeHTTP(w, r)
		}))
		t.Cleanup(s.Close)
		o.Addresses = append(o.Addresses, strings.TrimPrefix(s.URL, "http://"))
	}
	o.HTTP1 = true
	c := strategytest.Value(client.New(o))
	t.Cleanup(c.Close)
	return c
}

func noted(instances ...*instance) (all []string) {
	for _, i := range instances {
		i.mu.Lock()
		all = append(all, strings.Join(i.asked, ", "))
		i.asked = nil
		i.mu.Unlock()
	}
	return all
}

var ids = []strategies.ID{1, 2, 3}

// What is asked arrives, and what is answered comes back.
func TestCalls(t *testing.T) {
	i := &instance{}
	c := started(t, client.Options{}, 1, i)
	ctx := t.Context()
	strategytest.Equal(t, fmt.Sprint(strategytest.Value(c.Show(ctx, "ann", ids, 2))), "[1 2]", "shown")
	two := []exposure.Show{
		{User: "ann", Candidates: ids, Limit: 1}, {User: "bob", Request: 5, Candidates: ids[1:], Limit: 1},
	}
	strategytest.Must(t, c.ShowAll(ctx, two))
	drawn := two[0].Request != 0 // and the other is the caller's
	strategytest.Equal(t, fmt.Sprint(two[0].Shown, two[1].Shown, drawn, two[1].Request), "[1] [2] true 5", "shown to two")
	seen := make([]bool, 3)
	strategytest.Must(t, c.Seen(ctx, "ann", ids, seen), c.Record(ctx, "ann", ids), c.Forget(ctx, "ann"))
	strategytest.EqualSlices(t, seen, []bool{true, false, false}, "seen")
	const want = "show ann, all ann bob, seen ann, record ann[1 2 3], forget ann"
	strategytest.Equal(t, noted(i)[0], want, "asked")
	strategytest.Equal(t, i.numbers[0], 2, "calls without a number")
	i.short = true
	strategytest.ErrorSays(t, "an answer too few", c.Seen(ctx, "ann", ids, seen), "2 answers to 3 candidates")
	strategytest.ErrorSays(t, "an answer too few", c.ShowAll(ctx, two), "1 answers to 2 requests")
	sent := i.sent.Load().(http.Header)
	ms, err := strconv.Atoi(sent.Get("Connect-Timeout-Ms"))
	if sent.Get("Content-Type") != "application/proto" || sent["Connect-Protocol-Version"] == nil ||
		err != nil || ms < 1000 || ms > 10000 || sent["Authorization"] != nil {
		t.Errorf("without a token, and with 10 s for an attempt: %v", sent)
	}
	_ = started(t, client.Options{GRPC: true, Once: true}, 1, i).Forget(ctx, "ann") // which is answered by HTTP/2 only
	strategytest.Equal(t, i.sent.Load().(http.Header).Get("Content-Type"), "application/grpc", "the protocol")
	strategytest.ErrorSays(t, "none", strategytest.ErrorOf(client.New(client.Options{})), "no address of an instance")
}

// A call whose answer was lost comes again with its number; one that is refused does not, nor one to be made once.
func TestRepeats(t *testing.T) {
	planted := func(code connect.Code) error { return connect.NewError(code, errors.New("planted")) }
	lost, other := planted(connect.CodeUnavailable), planted(connect.CodeUnknown)
	i := &instance{fail: []error{lost, other, planted(connect.CodeCanceled), planted(connect.CodeAborted)}}
	c := started(t, client.Options{}, 1, i)
	strategytest.Must(t, strategytest.ErrorOf(c.Show(t.Context(), "ann", ids, 1)))
	strategytest.Equal(t, c.Repeated(), 4, "repetitions")
	for number, times := range i.numbers {
		strategytest.Equal(t, number != 0 && times == 5, true, "number %d came %d times, want one number 5 times:",
			number, times)
	}
	noted(i)
	i.fail = []error{lost}
	two := []exposure.Show{{User: "ann", Candidates: ids, Limit: 1}, {User: "bob", Candidates: ids, Limit: 2}}
	strategytest.Must(t, c.ShowAll(t.Context(), two))
	strategytest.Equal(t, fmt.Sprint(two[0].Shown, two[1].Shown, c.Repeated()), "[1] [1 2] 5", "shown, and repetitions")
	strategytest.Equal(t, noted(i)[0], "all ann bob, show ann, show bob", "asked, each alone after all together")
	i.fail = []error{lost, planted(connect.CodeInvalidArgument)}
	strategytest.ErrorSays(t, "one of two is refused", c.ShowAll(t.Context(), two), "invalid_argument: planted")
	for _, code := range []connect.Code{connect.CodeInvalidArgument, connect.CodeInternal, connect.CodeUnauthenticated} {
		i.fail = []error{planted(code), planted(code)}
		strategytest.Equal(t, connect.CodeOf(c.Record(t.Context(), "ann", ids)), code, "a record that is refused")
		strategytest.Equal(t, connect.CodeOf(c.ShowAll(t.Context(), two)), code, "shows that are refused")
	}
	once := started(t, client.Options{Once: true}, 1, i)
	i.fail = []error{lost}
	strategytest.ErrorSays(t, "once", once.Forget(t.Context(), "ann"), "unavailable: planted")
	i.fail = []error{lost}
	strategytest.ErrorSays(t, "show all once", once.ShowAll(t.Context(), two), "unavailable: planted")
	strategytest.Equal(t, once.Repeated(), 0, "repetitions")
	before := c.Repeated()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	i.fail = make([]error, 1000)
	for n := range i.fail {
		i.fail[n] = lost
	}
	_, err := c.Vector(ctx, "ann")
	n := c.Repeated() - before
	said := strings.Contains(fmt.Sprint(err), fmt.Sprintf("after %d attempts, the last: unavailable", n+1))
	if late := connect.CodeOf(err) == connect.CodeDeadlineExceeded; err == nil || ctx.Err() == nil || !said && !late {
		t.Errorf("as long as the context says: %v, after %d repetitions", err, n)
	}
	strategytest.Between(t, n, 1, 7, "repetitions in 300 ms") // after 5, 10, 20, 40, 80 and 160 ms at least
	// One that takes too long is given up, and comes again.
	hasty := started(t, client.Options{Attempt: 100 * time.Millisecond}, 1, &instance{fail: []error{errSlow}})
	strategytest.Must(t, strategytest.ErrorOf(hasty.Show(t.Context(), "ann", ids, 1)))
	strategytest.AtLeast(t, hasty.Repeated(), 1, "repetitions")
}

// Users are asked for on the instance that serves them, in one call per instance. Moved users are found again.
func TestInstances(t *testing.T) {
	const parts = 2
	user := map[int]string{}
	for n := 0; len(user) < parts; n++ {
		name := fmt.Sprint("user", n)
		user[exposure.Partition(name, parts)] = name
	}
	a, b := &instance{here: []uint32{0}}, &instance{here: []uint32{1}}
	c := started(t, client.Options{}, parts, a, b)
	all := []exposure.Show{
		{User: user[1], Candidates: ids, Limit: 1},
		{User: user[0], Candidates: ids, Limit: 2},
		{User: user[1], Candidates: ids, Limit: 3},
	}
	strategytest.Must(t, c.ShowAll(t.Context(), all))
	strategytest.Equal(t, fmt.Sprint(all[0].Shown, all[1].Shown, all[2].Shown), "[1] [1 2] [1 2 3]", "shown")
	want := []string{"all " + user[0], "all " + user[1] + " " + user[1]}
	strategytest.EqualSlices(t, noted(a, b), want, "asked")
	// The second instance takes over what the first had.
	a.mu.Lock()
	elsewhere := connect.NewError(connect.CodeUnavailable, exposure.ErrElsewhere)
	a.here, a.fail = nil, []error{elsewhere}
	a.mu.Unlock()
	b.mu.Lock()
	b.here = []uint32{0, 1}
	b.mu.Unlock()
	time.Sleep(110 * time.Millisecond) // as long as a table stands
	strategytest.Must(t, c.Record(t.Context(), user[0], ids))
	record := "record " + user[0] + "[1 2 3]"
	strategytest.EqualSlices(t, noted(a, b), []string{record, record}, "asked, the first and then the second")
	// Nobody says that it serves the user: each is asked in turn.
	a, b = &instance{fail: slices.Repeat([]error{elsewhere}, 9)}, &instance{}
	c = started(t, client.Options{}, parts, a, b)
	strategytest.Must(t, c.Record(t.Context(), user[0], ids))
	strategytest.EqualSlices(t, noted(a, b), []string{record, record}, "asked, the first and then the second")
}

// Where no instance says what it serves, all are asked in turn, again and again.
func TestNobodyKnows(t *testing.T) {
	lost := connect.NewError(connect.CodeUnavailable, errors.New("planted"))
	a, b := &instance{fail: []error{lost, lost, lost}}, &instance{fail: []error{lost, lost}}
	strategytest.Must(t, started(t, client.Options{}, 0, a, b).Forget(t.Context(), "ann"))
	twice := "forget ann, forget ann"
	strategytest.EqualSlices(t, noted(a, b), []string{twice + ", forget ann", twice + ", forget ann"}, "asked")
}

// An instance that serves all says so briefly, and is asked again if it failed.
func TestAllHere(t *testing.T) {
	a, b := &instance{}, &instance{all: true}
	c := started(t, client.Options{}, 3, a, b)
	for _, user := range []string{"ann", "bob", "eve", "zoe"} {
		strategytest.Must(t, c.Forget(t.Context(), user))
	}
	all := []string{"", "forget ann, forget bob, forget eve, forget zoe"}
	strategytest.EqualSlices(t, noted(a, b), all, "asked, the second alone")
	b.fail = []error{connect.NewError(connect.CodeUnavailable, errors.New("planted"))}
	strategytest.Must(t, started(t, client.Options{}, 3, b, a).Forget(t.Context(), "ann"))
	strategytest.EqualSlices(t, noted(a, b), []string{"", "forget ann, forget ann"}, "asked, the one that failed")
}

// A redirect is an error, and the token goes nowhere else.
func TestRedirect(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/elsewhere" {
			t.Error("a redirect is followed")
			return
		}
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	}))
	defer s.Close()
	o := client.Options{Addresses: []string{strings.TrimPrefix(s.URL, "http://")}, HTTP1: true, Once: true}
	err := strategytest.Value(client.New(o)).Forget(t.Context(), "ann")
	strategytest.ErrorSays(t, "a redirect", err, "307 Temporary Redirect")
}
