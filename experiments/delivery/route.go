package delivery

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/rpc"
	"slices"
	"sort"

	"dejavu/experiments/catalogue"
	"dejavu/measure"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/workload"
)

// Exposures is an exposure service. A recall server calls its exported methods by net/rpc.
type Exposures struct{ histories *store.Store[int] }

// A Question asks which candidates a user was shown.
type Question struct {
	User       int
	Candidates []byte // written by appendIDs
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

// connect serves there over a TCP connection on the loopback. Closing the client ends the service.
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
	if err != nil {
		client.Close()
		return nil, err
	}
	go server.ServeConn(far)
	return client, nil
}

type route struct {
	measure.Subject
	Exposures

	client *rpc.Client
	asked  [][]strategies.ID // by user
	body   []byte            // the last question's candidates
	answer []byte            // to the last call: a history, or bits
	next   int               // the user of the next request
	err    error
}

// repeatEvery is n if every n-th candidate was shown before.
const repeatEvery = 10

// newRoute starts a service with users who were shown this number of articles each.
func newRoute(s measure.Subject, shown int, seed uint64) (*route, error) {
	histories, err := store.New[int](store.Config{Unsalted: true, Strategy: s.Strategy, Users: shipUsers})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	r := &route{Subject: s, Exposures: Exposures{histories}}
	population := catalogue.Must(workload.NewFull(seed, shipUsers))
	had := make([]strategies.ID, shown)
	for user := range shipUsers {
		reader, ids := population.Reader(user), make([]strategies.ID, slices.Max(shipSizes))
		reader.IDs(had, 0)
		histories.Record(user, 0, had)
		reader.IDs(ids, workload.Fresh)
		for k := 0; k < len(ids); k += repeatEvery { // the newest first, which every strategy remembers
			ids[k] = had[shown-1-k/repeatEvery%shown]
		}
		r.asked = append(r.asked, ids)
	}
	r.client, err = connect(r.Exposures)
	return r, err
}

func routed(seed uint64, work func(routes []*route) error) error {
	var routes []*route
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

func (r *route) ship(user int, candidates []strategies.ID, seen []bool) error {
	if err := r.client.Call("Exposures.Ship", user, &r.answer); err != nil {
		return fmt.Errorf("%s: shipping: %w", r.Name, err)
	}
	if err := r.Strategy.Validate(r.answer); err != nil {
		return fmt.Errorf("%s: the reply is not a valid history: %w", r.Name, err)
	}
	r.Strategy.Seen(r.answer, candidates, seen)
	return nil
}

func (r *route) ask(user int, candidates []strategies.ID, seen []bool) error {
	r.body = appendIDs(r.body[:0], candidates)
	if err := r.client.Call("Exposures.Ask", Question{user, r.body}, &r.answer); err != nil {
		return fmt.Errorf("%s: asking: %w", r.Name, err)
	}
	unpackBits(r.answer, seen)
	return nil
}

// The messages of both ways, for any protocol; numbers are little-endian:
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

// breakEven returns the least number of candidates for which shipping takes fewer bytes than asking.
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
