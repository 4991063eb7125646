package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"dejavu/chain"
	"dejavu/store"
	"dejavu/strategies"
	_ "dejavu/strategies/strategytest/seeded"
)

const users = 5

// service has users with 0, 1, 2 ... histories' worth of articles.
func service(t testing.TB) (Service, *chain.Chain) {
	t.Helper()
	s, err := chain.New(chain.Paper)
	if err != nil {
		t.Fatal(err)
	}
	histories, err := store.New[int](store.Config{Unsalted: true, Strategy: s, Users: users})
	if err != nil {
		t.Fatal(err)
	}
	for user := range users {
		histories.Record(user, 0, articles(user, 130*user))
	}
	return Service{histories, users}, s
}

// articles are the first so many of a user.
func articles(user, n int) []strategies.ID {
	ids := make([]strategies.ID, n)
	for i := range ids {
		x := uint64(user)<<32 | uint64(i) + 1
		x *= 0xd6e8feb86659fd93
		ids[i] = strategies.ID(x ^ x>>29)
	}
	return ids
}

// connected is a client of a service over TCP.
func connected(t testing.TB, s Service) *Client {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var served sync.WaitGroup
	accepted := make(chan struct{}) // nobody who asks nothing ends before that
	served.Go(func() {
		conn, err := listener.Accept()
		close(accepted)
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		if err := s.Serve(conn); err != nil && !t.Failed() {
			t.Log(err) // what the client is told too
		}
	})
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	<-accepted
	t.Cleanup(func() {
		conn.Close()
		listener.Close()
		served.Wait()
	})
	return NewClient(conn)
}

// Whichever travels, the answers are those of the store, in as many bytes as are said.
func TestBothWaysAgree(t *testing.T) {
	s, strategy := service(t)
	c := connected(t, s)
	sent, received := int64(0), int64(0)
	rapid.Check(t, func(t *rapid.T) {
		user := rapid.IntRange(0, users-1).Draw(t, "user")
		n := rapid.OneOf(rapid.IntRange(0, 40), rapid.SampledFrom([]int{63, 64, 65, 400, 4000, MostCandidates})).Draw(t, "candidates")
		ids := articles(user, n+rapid.IntRange(0, 200).Draw(t, "from"))
		ids = ids[len(ids)-n:]
		want, shipped, asked := make([]bool, n), make([]bool, n), make([]bool, n)
		s.Histories.Seen(user, 0, ids, want)

		spent := func(bytes int) {
			t.Helper()
			a, b := c.Bytes()
			if a-sent+b-received != int64(bytes) {
				t.Fatalf("%d bytes there and %d back, want %d in all", a-sent, b-received, bytes)
			}
			sent, received = a, b
		}
		history, err := c.Ship(user, []byte("before"))
		if err != nil || !bytes.HasPrefix(history, []byte("before")) {
			t.Fatalf("%.10q, %v", history, err)
		}
		history = history[len("before"):]
		spent(ShippedBytes(len(history)))
		if err := strategy.Validate(history); err != nil {
			t.Fatal(err)
		}
		strategy.Seen(history, ids, shipped)
		if err := c.Ask(user, ids, asked); err != nil {
			t.Fatal(err)
		}
		spent(AskedBytes(n))
		if !slices.Equal(shipped, want) || !slices.Equal(asked, want) {
			t.Fatalf("user %d, %d candidates: the ways differ", user, n)
		}
	})
}

// The break-even is where the one closed form passes the other.
func TestBreakEven(t *testing.T) {
	for history := range 10_000 {
		r := BreakEven(history)
		if AskedBytes(r) <= ShippedBytes(history) || r > 0 && AskedBytes(r-1) > ShippedBytes(history) {
			t.Fatalf("a history of %d bytes breaks even at %d candidates: %d bytes asked, %d shipped",
				history, r, AskedBytes(r), ShippedBytes(history))
		}
	}
	// By hand: 62 candidates are 496 bytes of IDs and 8 of bits, less than 508; 63
	// are 504 and 8.
	if r := BreakEven(508); r != 63 {
		t.Errorf("508 bytes break even at %d candidates, want 63", r)
	}
}

// What cannot be asked is an error here, and nothing is sent.
func TestBadQuestions(t *testing.T) {
	s, _ := service(t)
	c := connected(t, s)
	many := make([]strategies.ID, MostCandidates+1)
	for _, q := range []struct {
		err  error
		want string
	}{
		{c.Ask(0, many, make([]bool, len(many))), "65536 candidates and 65536 answers, want as many, 0 to 65535"},
		{c.Ask(0, many[:3], make([]bool, 2)), "3 candidates and 2 answers"},
		{c.Ask(-1, nil, nil), "user -1, want 0 to 4294967295"},
	} {
		if q.err == nil || !strings.Contains(q.err.Error(), q.want) {
			t.Errorf("%v, want %q", q.err, q.want)
		}
	}
	if sent, received := c.Bytes(); sent+received != 0 {
		t.Errorf("%d bytes sent and %d received of nothing", sent, received)
	}
}

// What the service refuses it says why, to both ends.
func TestRefusals(t *testing.T) {
	s, _ := service(t)
	if _, err := connected(t, s).Ship(users, nil); err == nil || !strings.Contains(err.Error(), `refused: "user 5, want 0 to 4"`) {
		t.Errorf("a user who is not there: %v", err)
	}
	for _, q := range []struct {
		head head
		want string
	}{
		{head{0, 0, 0}, "request of kind 0, want 1 (ship) or 2 (ask)"},
		{head{0, 3, kindShip}, "3 candidates in a request to ship, want none"},
		{head{1<<32 - 1, 0, kindAsk}, "user 4294967295, want 0 to 4"},
	} {
		conn := &talk{in: bytes.NewReader(q.head.append(nil))}
		if err := s.Serve(conn); err == nil || !strings.Contains(err.Error(), q.want) {
			t.Errorf("%+v: %v, want %q", q.head, err, q.want)
		}
		if !strings.Contains(conn.out.String(), q.want) {
			t.Errorf("%+v: the client is told %q", q.head, &conn.out)
		}
	}
}

// A connection that ends between requests is no error; inside of one it is.
func TestCutShort(t *testing.T) {
	s, _ := service(t)
	whole := head{1, 2, kindAsk}.append(nil)
	whole = append(whole, make([]byte, 2*idBytes)...)
	for n := range len(whole) + 1 {
		err := s.Serve(&talk{in: bytes.NewReader(whole[:n])})
		if clean := n == 0 || n == len(whole); clean != (err == nil) {
			t.Errorf("%d of %d bytes: %v", n, len(whole), err)
		}
	}
}

// What a service must not say is an error, never a panic or a long wait for memory.
func TestBadAnswers(t *testing.T) {
	le := binary.LittleEndian
	for _, a := range []struct {
		what, answer, want string
	}{
		{"nothing", "", "length of an answer: unexpected EOF"},
		{"half a length", "\x01\x00", "length of an answer: unexpected EOF"},
		{"a short history", "\x04\x00\x00\x00abc", "history of an answer: unexpected EOF"},
		{"too long a history", string(le.AppendUint32(nil, MostHistory+1)), "history of 1048577 bytes, want at most 1048576"},
		{"a refusal cut short", "\xff\xff\xff\xffwhy", "reason of a refusal of an answer"},
		{"a refusal", "\x03\x00\x00\x80why", `refused: "why"`},
		{"a long refusal", "\x00\x08\x00\x80" + strings.Repeat("y", 1024), `refused: "` + strings.Repeat("y", 1024) + `"`},
	} {
		if _, err := NewClient(&talk{in: strings.NewReader(a.answer)}).Ship(0, nil); err == nil || !strings.Contains(err.Error(), a.want) {
			t.Errorf("%s: %v, want %q", a.what, err, a.want)
		}
	}
	longest := string(le.AppendUint32(nil, MostHistory)) + strings.Repeat("h", MostHistory)
	if h, err := NewClient(&talk{in: strings.NewReader(longest)}).Ship(0, nil); err != nil || len(h) != MostHistory {
		t.Errorf("the longest history: %d bytes, %v", len(h), err)
	}
	err := NewClient(&talk{in: strings.NewReader("\x02\x00\x00\x00ab")}).Ask(0, make([]strategies.ID, 8), make([]bool, 8))
	if err == nil || !strings.Contains(err.Error(), "2 bytes of bits, want 1 for 8 candidates") {
		t.Errorf("too many bits: %v", err)
	}
	broken := errors.New("the wire is down")
	if _, err := NewClient(&talk{fail: broken}).Ship(0, nil); !errors.Is(err, broken) {
		t.Errorf("a wire that is down: %v", err)
	}
	if err := (Service{Users: 1}).Serve(&talk{in: &failing{broken}}); !errors.Is(err, broken) {
		t.Errorf("the service's wire is down: %v", err)
	}
}

// Whatever bytes come, the service answers or refuses.
func FuzzService(f *testing.F) {
	s, _ := service(f)
	f.Add(head{2, 0, kindShip}.append(nil))
	f.Add(append(head{3, 1, kindAsk}.append(nil), make([]byte, 8)...))
	f.Add(append(head{1, 0, kindAsk}.append(nil), head{9, 0, 7}.append(nil)...))
	f.Fuzz(func(t *testing.T, requests []byte) {
		conn := &talk{in: bytes.NewReader(requests)}
		_ = s.Serve(conn)
		for out := conn.out.Bytes(); len(out) > 0; {
			if len(out) < AnswerBytes {
				t.Fatalf("%d bytes are no answer", len(out))
			}
			n := binary.LittleEndian.Uint32(out) &^ uint32(refused)
			if int64(n) > int64(len(out)-AnswerBytes) {
				t.Fatalf("an answer of %d bytes has %d", n, len(out)-AnswerBytes)
			}
			out = out[AnswerBytes+n:]
		}
	})
}

// Whatever comes back, a client returns an answer or an error.
func FuzzClient(f *testing.F) {
	f.Add([]byte("\x03\x00\x00\x00abc"))
	f.Add([]byte("\x03\x00\x00\x80why"))
	f.Fuzz(func(t *testing.T, answer []byte) {
		if h, err := NewClient(&talk{in: bytes.NewReader(answer)}).Ship(0, nil); err == nil && !bytes.Equal(h, answer[AnswerBytes:AnswerBytes+len(h)]) {
			t.Fatalf("%q from %q", h, answer)
		}
		_ = NewClient(&talk{in: bytes.NewReader(answer)}).Ask(0, make([]strategies.ID, 24), make([]bool, 24))
	})
}

// A talk is a connection whose other end has said everything already.
type talk struct {
	in   io.Reader
	out  bytes.Buffer
	fail error // of writing
}

func (t *talk) Read(b []byte) (int, error) { return t.in.Read(b) }

func (t *talk) Write(b []byte) (int, error) {
	if t.fail != nil {
		return 0, t.fail
	}
	return t.out.Write(b)
}

type failing struct{ error }

func (f *failing) Read([]byte) (int, error) { return 0, f.error }

// long is a strategy whose history has so many bytes as soon as there is one.
type long int

func (l long) Sizes() []int                              { return []int{int(l)} }
func (long) Validate([]byte) error                       { return nil }
func (long) Seen(_ []byte, _ []strategies.ID, _ []bool)  {}
func (l long) Record(_ []byte, _ []strategies.ID) []byte { return make([]byte, l) }

// The longest history is shipped whole, and a longer one refused by name.
func TestLongestHistory(t *testing.T) {
	for _, c := range []struct {
		bytes int
		want  string
	}{{MostHistory, ""}, {MostHistory + 1, "history of 1048577 bytes, want at most 1048576"}} {
		histories, err := store.New[int](store.Config{Unsalted: true, Strategy: long(c.bytes), Users: 1})
		if err != nil {
			t.Fatal(err)
		}
		histories.Record(0, 0, articles(0, 1))
		request := &talk{in: bytes.NewReader(head{0, 0, kindShip}.append(nil))}
		err = Service{histories, 1}.Serve(request)
		if c.want == "" && (err != nil || request.out.Len() != AnswerBytes+c.bytes) {
			t.Errorf("%d bytes: %v, %d bytes of an answer", c.bytes, err, request.out.Len())
		}
		if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%d bytes: %v, want %q", c.bytes, err, c.want)
		}
	}
}
