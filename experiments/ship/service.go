package ship

import (
	"fmt"
	"net"
	"net/rpc"
	"slices"

	"dejavu/experiments/catalogue"
	"dejavu/measure"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/workload"
)

// Users is how many users an exposure service has here: few, so that what is timed is the way and not the
// memory that the histories lie in. They are numbered from 0, and one more, the newcomer, has no history.
const Users = 32

// Exposures are the histories of an exposure service. Its exported methods are those that a recall server
// calls by net/rpc.
type Exposures struct{ histories *store.Store[int] }

// A Question is which candidates a user was shown.
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
	ids := readIDs(q.Candidates)
	seen := make([]bool, len(ids))
	e.histories.Seen(q.User, 0, ids, seen)
	*bits = packBits(seen)
	return nil
}

// connect serves histories over TCP on the loopback, to one connection, which it returns. The service ends
// with the connection.
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
	near, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		return nil, err
	}
	far, err := listener.Accept()
	if err != nil {
		return nil, err
	}
	go server.ServeConn(far)
	return rpc.NewClient(near), nil
}

// A Route is an exposure service, a connection to it, and room for a recall server's work.
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

// newRoute makes histories of Users who were shown so many articles each, and of a newcomer, and serves them.
func newRoute(s measure.Subject, shown int, seed uint64) (*Route, error) {
	histories, err := store.New[int](store.Config{Unsalted: true, Strategy: s.Strategy, Users: Users + 1})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	r := &Route{Subject: s, Exposures: Exposures{histories}}
	population := catalogue.Must(workload.NewFull(seed, Users))
	had := make([]strategies.ID, shown)
	for user := range Users {
		reader, ids := population.Reader(user), make([]strategies.ID, slices.Max(sizes))
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

// routed hands work a route for every shipping, and ends them.
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

// ship fetches a user's history, validates it, and tests the candidates here.
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

// ask has the candidates tested where the history lies.
func (r *Route) ask(user int, candidates []strategies.ID, seen []bool) error {
	r.body = appendIDs(r.body[:0], candidates)
	if err := r.client.Call("Exposures.Ask", Question{user, r.body}, &r.answer); err != nil {
		return fmt.Errorf("%s: asking: %w", r.Name, err)
	}
	unpackBits(r.answer, seen)
	return nil
}

func (r *Route) test(user int, candidates []strategies.ID, seen []bool) error {
	r.histories.Seen(user, 0, candidates, seen)
	return nil
}
