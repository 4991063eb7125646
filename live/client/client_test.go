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
	api.UnimplementedExposuresHandler
	mu      sync.Mutex
	here    []uint32
	of      uint32  // partitions
	fail    []error // of the next calls; then none
	asked   []string
	numbers map[uint64]int // requests by their number
	slow    time.Duration  // that the next answer takes
	short   bool           // answers have an element too few
	all     bool           // it serves every partition
	sent    http.Header    // with the last call
}

func first(r *api.ShowRequest) *api.ShowResponse {
	return &api.ShowResponse{Shown: r.Candidates[:r.Limit]}
}

// answer answers in place of the handler's methods.
func (i *instance) answer(connect.UnaryFunc) connect.UnaryFunc {
	return func(_ context.Context, request connect.AnyRequest) (answer connect.AnyResponse, err error) {
		i.mu.Lock()
		defer i.mu.Unlock()
		number, asked, few := uint64(0), strings.ToLower(strings.TrimPrefix(request.Spec().Procedure, api.Path)), 0
		if i.short {
			few = 1
		}
		switch r := request.Any().(type) {
		case *api.ShowRequest:
			answer, number, asked = connect.NewResponse(first(r)), r.RequestId, asked+" "+r.User
		case *api.ShowAllRequest:
			all := &api.ShowAllResponse{}
			for _, one := range r.Requests[few:] {
				all.Responses = append(all.Responses, first(one))
			}
			for _, one := range r.Requests {
				asked += " " + one.User
			}
			answer, number = connect.NewResponse(all), r.Requests[0].RequestId
		case *api.SeenRequest:
			seen := append([]bool{true}, make([]bool, len(r.Candidates))...)[:len(r.Candidates)-few]
			answer, asked = connect.NewResponse(&api.SeenResponse{Seen: seen}), asked+" "+r.User
		case *api.RecordRequest:
			answer, number = connect.NewResponse(&emptypb.Empty{}), r.RequestId
			asked += fmt.Sprint(" ", r.User, r.Articles)
		case *api.UserRequest:
			answer, asked = connect.NewResponse(&emptypb.Empty{}), asked+" "+r.User
		default:
			return connect.NewResponse(&api.DescribeResponse{Partitions: i.of, Here: i.here, AllHere: i.all}), nil
		}
		i.asked, i.sent = append(i.asked, asked), request.Header()
		i.numbers[number]++
		if len(i.fail) > 0 {
			err, i.fail = i.fail[0], i.fail[1:]
		}
		time.Sleep(i.slow)
		i.slow = 0
		return answer, err
	}
}

func started(t *testing.T, o client.Options, partitions uint32, instances ...*instance) *client.Client {
	t.Helper()
	for _, i := range instances {
		i.numbers, i.of = map[uint64]int{}, partitions
		_, h := api.NewExposuresHandler(i, connect.WithInterceptors(connect.UnaryInterceptorFunc(i.answer)))
		s := httptest.NewServer(h)
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
	const want = "show ann, showall ann bob, seen ann, record ann[1 2 3], forget ann"
	strategytest.Equal(t, noted(i)[0], want, "asked")
	strategytest.Equal(t, i.numbers[0], 2, "calls without a number")
	i.short = true
	strategytest.ErrorSays(t, "an answer too few", c.Seen(ctx, "ann", ids, seen), "2 answers to 3 candidates")
	strategytest.ErrorSays(t, "an answer too few", c.ShowAll(ctx, two), "1 answers to 2 requests")
	sent := i.sent
	ms, err := strconv.Atoi(sent.Get("Connect-Timeout-Ms"))
	if sent.Get("Content-Type") != "application/proto" || sent["Connect-Protocol-Version"] == nil ||
		err != nil || ms < 1000 || ms > 10000 || sent["Authorization"] != nil {
		t.Errorf("without a token, and with 10 s for an attempt: %v", sent)
	}
	strategytest.Must(t, started(t, client.Options{GRPC: true}, 1, i).Forget(ctx, "ann"))
	strategytest.Equal(t, i.sent.Get("Content-Type"), "application/grpc", "the protocol")
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
	strategytest.Equal(t, noted(i)[0], "showall ann bob, show ann, show bob", "asked, each alone after all together")
	i.fail = []error{lost, planted(connect.CodeInvalidArgument)}
	strategytest.ErrorSays(t, "one of two is refused", c.ShowAll(t.Context(), two), "invalid_argument: planted")
	for _, code := range []connect.Code{connect.CodeInvalidArgument, connect.CodeInternal, connect.CodeUnauthenticated} {
		i.fail = []error{planted(code), planted(code)}
		strategytest.Equal(t, connect.CodeOf(c.Record(t.Context(), "ann", ids)), code, "a record that is refused")
		strategytest.Equal(t, connect.CodeOf(c.ShowAll(t.Context(), two)), code, "shows that are refused")
	}
	once := started(t, client.Options{Once: true}, 1, i)
	i.fail = []error{lost, lost}
	strategytest.ErrorSays(t, "once", once.Forget(t.Context(), "ann"), "unavailable: planted")
	strategytest.ErrorSays(t, "show all once", once.ShowAll(t.Context(), two), "unavailable: planted")
	strategytest.Equal(t, once.Repeated(), 0, "repetitions")
	before := c.Repeated()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	i.fail = slices.Repeat([]error{lost}, 1000)
	_, err := c.Vector(ctx, "ann")
	n := c.Repeated() - before
	said := strings.Contains(fmt.Sprint(err), fmt.Sprintf("after %d attempts, the last: unavailable", n+1))
	if late := connect.CodeOf(err) == connect.CodeDeadlineExceeded; err == nil || ctx.Err() == nil || !said && !late {
		t.Errorf("as long as the context says: %v, after %d repetitions", err, n)
	}
	strategytest.Between(t, n, 1, 7, "repetitions in 300 ms") // after 5, 10, 20, 40, 80 and 160 ms at least
	// One that takes too long is given up, and comes again.
	hasty := started(t, client.Options{Attempt: 100 * time.Millisecond}, 1, &instance{slow: 300 * time.Millisecond})
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
	want := []string{"showall " + user[0], "showall " + user[1] + " " + user[1]}
	strategytest.EqualSlices(t, noted(a, b), want, "asked")
	// The second instance takes over what the first had.
	a.mu.Lock()
	elsewhere := []error{connect.NewError(connect.CodeUnavailable, exposure.ErrElsewhere)}
	a.here, a.fail = nil, elsewhere
	a.mu.Unlock()
	b.mu.Lock()
	b.here = []uint32{0, 1}
	b.mu.Unlock()
	time.Sleep(110 * time.Millisecond) // as long as a table is used
	strategytest.Must(t, c.Record(t.Context(), user[0], ids))
	record := "record " + user[0] + "[1 2 3]"
	strategytest.EqualSlices(t, noted(a, b), []string{record, record}, "asked, the first and then the second")
	// If nobody says that it serves the user, each is asked in turn.
	elsewhere = slices.Repeat(elsewhere, 9)
	const once, twice, thrice = "forget ann", "forget ann, forget ann", "forget ann, forget ann, forget ann"
	for n, of := range []struct {
		parts uint32
		a, b  *instance
		want  []string
	}{
		{0, &instance{fail: elsewhere[:3]}, &instance{fail: elsewhere[:2]}, []string{thrice, thrice}},
		{2, &instance{fail: elsewhere}, &instance{}, []string{once, once}},
		{3, &instance{}, &instance{all: true}, []string{"", once}},
		{3, &instance{all: true, fail: elsewhere[:1]}, &instance{}, []string{twice, ""}},
	} {
		strategytest.Must(t, started(t, client.Options{}, of.parts, of.a, of.b).Forget(t.Context(), "ann"))
		strategytest.EqualSlices(t, noted(of.a, of.b), of.want, "asked, case %d", n)
	}
}

// A redirect is an error, and the token goes nowhere else.
func TestRedirect(t *testing.T) {
	s := httptest.NewServer(http.RedirectHandler("/elsewhere", http.StatusTemporaryRedirect))
	defer s.Close()
	o := client.Options{Addresses: []string{strings.TrimPrefix(s.URL, "http://")}, HTTP1: true, Once: true}
	err := strategytest.Value(client.New(o)).Forget(t.Context(), "ann")
	strategytest.ErrorSays(t, "a redirect", err, "307 Temporary Redirect")
}
