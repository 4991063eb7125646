package delivery

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"net/rpc"
	"slices"
	"sort"

	"dejavu/experiments/catalogue"
	"dejavu/measure"
	"dejavu/measure/stopwatch"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/workload"
)

// Users is the number of users of the exposure service: few, so that their histories lie in the cache. They are
// numbered from 0, and one more, the newcomer, has no history.
const Users = 32

// Exposures is an exposure service. A recall server calls its exported methods by net/rpc.
type Exposures struct{ histories *store.Store[int] }

// A Question asks which candidates a user was shown.
type Question struct {
	User       int
	Candidates []byte // as appendIDs writes them
}

// Ship answers with a user's history.
func (e Exposures) Ship(user int, history *[]byte) error {
	*history = e.histories.History(user, 0, nil)
	return nil
}

// Ask answers with a bit for each candidate.
func (e Exposures) Ask(q Question, bits *[]byte) error {
	*bits = packBits(e.histories.Seen(q.User, 0, readIDs(q.Candidates), nil))
	return nil
}

// connect serves histories over one TCP connection on the loopback, which it returns. Closing it ends the service.
func connect(there Exposures) (*rpc.Client, error) {
	server := rpc.NewServer()
	if err := server.Register(there); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer listener.Close()
	client, err := rpc.Dial("tcp", listener.Addr().String())
	if err != nil {
		return nil, err
	}
	far, err := listener.Accept()
	if err == nil {
		go server.ServeConn(far)
	}
	return client, err
}

// A Route is an exposure service, a connection to it, and a recall server's buffers.
type Route struct {
	measure.Subject
	Exposures

	client *rpc.Client
	asked  [][]strategies.ID // by user
	body   []byte            // of the last question
	answer []byte            // to the last call: a history, or bits
	next   int               // user
	err    error
}

// repeatEvery is that one candidate in so many was shown.
const repeatEvery = 10

// newRoute serves histories of Users who were shown a number of articles each, and of a newcomer.
func newRoute(s measure.Subject, shown int, seed uint64) (*Route, error) {
	histories, err := store.New[int](store.Config{Unsalted: true, Strategy: s.Strategy, Users: Users + 1})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	r := &Route{Subject: s, Exposures: Exposures{histories}}
	population := catalogue.Must(workload.NewFull(seed, Users))
	had := make([]strategies.ID, shown)
	for user := range Users {
		reader, ids := population.Reader(user), make([]strategies.ID, slices.Max(shipSizes))
		reader.IDs(had, 0)
		histories.Record(user, 0, had)
		reader.IDs(ids, workload.Fresh)
		for k := 0; k < len(ids); k += repeatEvery { // the newest first, which all remember
			ids[k] = had[shown-1-k/repeatEvery%shown]
		}
		r.asked = append(r.asked, ids)
	}
	r.client, err = connect(r.Exposures)
	return r, err
}

func routed(seed uint64, work func(routes []*Route) error) error {
	var routes []*Route
	for _, s := range shippings() {
		r, err := newRoute(s.Subject, s.shown, seed)
		if err != nil {
			return err
		}
		defer r.client.Close()
		routes = append(routes, r)
	}
	return work(routes)
}

// ship fetches a user's history, validates it, and tests the candidates.
func (r *Route) ship(user int, candidates []strategies.ID, seen []bool) error {
	if err := r.client.Call("Exposures.Ship", user, &r.answer); err != nil {
		return fmt.Errorf("%s: shipping: %w", r.Name, err)
	}
	if err := r.Strategy.Validate(r.answer); err != nil {
		return fmt.Errorf("%s: the reply is not a valid history: %w", r.Name, err)
	}
	r.Strategy.Seen(r.answer, candidates, seen)
	return nil
}

func (r *Route) ask(user int, candidates []strategies.ID, seen []bool) error {
	r.body = appendIDs(r.body[:0], candidates)
	if err := r.client.Call("Exposures.Ask", Question{user, r.body}, &r.answer); err != nil {
		return fmt.Errorf("%s: asking: %w", r.Name, err)
	}
	unpackBits(r.answer, seen)
	return nil
}

// The messages of both ways, whatever carries them; numbers are little-endian:
//
//	request  4 user, 2 number of candidates, 2 kind (a history, or answers);
//	         8 for each candidate
//	answer   4 length of what follows; the history, or a bit for each candidate,
//	         candidate 0 the lowest of the first byte
const (
	requestBytes = 8
	answerBytes  = 4
	idBytes      = 8
)

func shippedBytes(history int) int { return requestBytes + answerBytes + history }

func askedBytes(candidates int) int {
	return requestBytes + idBytes*candidates + answerBytes + (candidates+7)/8
}

// breakEven returns the least number of candidates for which shipping a history takes fewer bytes than asking.
func breakEven(history int) int {
	return sort.Search(shippedBytes(history), func(n int) bool { return askedBytes(n) > shippedBytes(history) })
}

func appendIDs(dst []byte, ids []strategies.ID) []byte {
	for _, id := range ids {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(id))
	}
	return dst
}

func readIDs(body []byte) []strategies.ID {
	ids := make([]strategies.ID, len(body)/idBytes)
	for i := range ids {
		ids[i] = strategies.ID(binary.LittleEndian.Uint64(body[i*idBytes:]))
	}
	return ids
}

func packBits(seen []bool) []byte {
	bits := make([]byte, (len(seen)+7)/8)
	for i, s := range seen {
		if s {
			bits[i/8] |= 1 << (i % 8)
		}
	}
	return bits
}

func unpackBits(bits []byte, seen []bool) {
	for i := range seen {
		seen[i] = bits[i/8]>>(i%8)&1 == 1
	}
}

// ShipCounts counts requests of a number of candidates and their bytes.
type ShipCounts struct {
	Candidates int   `json:"candidates" sum:"same"`
	Requests   int64 `json:"requests"` // in each of the two ways
	Shipped    int64 `json:"shipped"`  // bytes of both directions
	Asked      int64 `json:"asked"`
	Checked    int64 `json:"checked"` // candidates asked for
	Apart      int64 `json:"apart"`   // those on which the answers differed, of the two ways or of the histories here
}

// Count serves each of these users in both ways.
func (r *Route) Count(ctx context.Context, users measure.Range, candidates int) (ShipCounts, error) {
	c := ShipCounts{Candidates: candidates}
	here, shipped, asked := make([]bool, candidates), make([]bool, candidates), make([]bool, candidates)
	for user := users.From; user < users.To; user++ {
		if err := ctx.Err(); err != nil {
			return c, err
		}
		ids := r.asked[user][:candidates]
		if err := r.ship(user, ids, shipped); err != nil {
			return c, err
		}
		c.Shipped += int64(requestBytes + answerBytes + len(r.answer))
		if err := r.ask(user, ids, asked); err != nil {
			return c, err
		}
		c.Asked += int64(requestBytes + len(r.body) + answerBytes + len(r.answer))
		r.histories.Seen(user, 0, ids, here[:0])
		for i, s := range here {
			if s != shipped[i] || s != asked[i] {
				c.Apart++
			}
		}
		c.Requests++
		c.Checked += int64(candidates)
	}
	return c, nil
}

// A shipTimed is the time of requests by route, then by number of candidates, and of a newcomer's history.
type shipTimed struct {
	Times     [][]Times
	RoundTrip stopwatch.Latency
}

// Times is the time of a request, by way, in turns.
type Times struct {
	Shipped   stopwatch.Latency `json:"shipped"`    // the history validated and tested where it came to
	Asked     stopwatch.Latency `json:"asked"`      // the answers' bits unpacked
	InProcess stopwatch.Latency `json:"in_process"` // the histories here, and no wire at all
}

// Time times requests of these numbers of candidates over these routes, and requests for a newcomer's history. A batch
// has the given number of requests of a kind; kinds and users take turns.
func Time(ctx context.Context, routes []*Route, sizes []int, times int) (t shipTimed, err error) {
	var works []func()
	for _, r := range routes {
		for _, size := range sizes {
			here := func(user int, candidates []strategies.ID, seen []bool) error {
				r.histories.Seen(user, 0, candidates, seen[:0])
				return nil
			}
			works = append(works, r.work(size, r.ship), r.work(size, r.ask), r.work(size, here))
		}
	}
	first := routes[0]
	works = append(works, first.work(0, func(int, []strategies.ID, []bool) error { return first.ship(Users, nil, nil) }))
	took, err := stopwatch.Turns(ctx, works, slices.Repeat([]int{times}, len(works)))
	for _, r := range routes {
		err = cmp.Or(err, r.err)
	}
	if err != nil {
		return t, err
	}
	t.Times, t.RoundTrip = make([][]Times, len(routes)), took[len(took)-1]
	t.RoundTrip.Candidates = 0
	for i := range routes {
		for _, size := range sizes {
			took[0].Candidates, took[1].Candidates, took[2].Candidates = size, size, size
			t.Times[i], took = append(t.Times[i], Times{took[0], took[1], took[2]}), took[3:]
		}
	}
	return t, nil
}

// work serves the next user, unless something has gone wrong on the route.
func (r *Route) work(candidates int, serve func(user int, ids []strategies.ID, seen []bool) error) func() {
	seen := make([]bool, candidates)
	return func() {
		if r.err == nil {
			user := r.next
			r.next = (r.next + 1) % Users
			r.err = serve(user, r.asked[user][:candidates], seen)
		}
	}
}
