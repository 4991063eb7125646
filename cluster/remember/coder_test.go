package remember

import (
	"encoding/binary"
	"reflect"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/timers"

	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

func TestCodersRoundTrip(t *testing.T) {
	for _, r := range []Request{
		{},
		{ID: "7/1"},
		{ID: "é", Shown: []strategies.ID{1, 1 << 63}},
		{Candidates: []strategies.ID{0}},
		{ID: "7/2", Vector: true},
		{ID: "7/3", Forget: true},
		{Vector: true, Forget: true},
	} {
		if again, err := decodeRequest(encodeRequest(r)); err != nil || !reflect.DeepEqual(again, r) {
			t.Errorf("%+v comes back as %+v, %v", r, again, err)
		}
		a := Answer{ID: r.ID, Fresh: r.Shown}
		if r.Vector {
			a.Vector = []byte{1, 2}
		}
		if got, err := decodeAnswer(encodeAnswer(a)); err != nil || !reflect.DeepEqual(got, a) {
			t.Errorf("%+v comes back as %+v, %v", a, got, err)
		}
	}
}

// A length whose product with the size of an ID overflows to 0 is refused.
func TestLengthsThatOverflow(t *testing.T) {
	b := binary.AppendUvarint([]byte{0}, 1<<61)
	if a, err := decodeAnswer(append(b, 0)); err == nil {
		t.Errorf("it is %+v", a)
	}
}

// State is read back as written, and refused if it has no times.
func TestMemoryRoundTrips(t *testing.T) {
	m := memory{newest: -1, came: 2, ends: 1 << 50, history: []byte{3}}
	b := m.encode()
	if got, err := decodeMemory(b); err != nil || !reflect.DeepEqual(got, m) {
		t.Errorf("%+v comes back as %+v, %v", m, got, err)
	}
	if got, err := decodeMemory(b[:memoryHeader-1]); err == nil {
		t.Errorf("%d bytes are %+v", memoryHeader-1, got)
	}
}

// A worker that has just started waits for what comes late, however long a user is idle.
func TestTheClockWaitsForAWorkerThatHasJustStarted(t *testing.T) {
	c := Config{Idle: time.Minute, Lateness: time.Second, ByClock: true}
	for _, f := range []struct{ came, began, least, most int64 }{
		{came: 1000, began: 0, least: 62_000, most: 62_000 + 60_000/8},
		{came: 1000, began: 1_000_000, least: 1_001_000, most: 1_001_000},
	} {
		s := stepFn[timers.ProcessingTime]{Config: c, began: f.began}
		strategytest.Between(t, s.end("user", memory{came: f.came}), f.least, f.most, "%+v: it is cleared at", f)
	}
}

// Every part that is missing is missed, and so is none that is too many.
func TestCodersRefuseWhatIsCut(t *testing.T) {
	whole := encodeRequest(Request{ID: "id", Shown: []strategies.ID{1}, Candidates: []strategies.ID{2, 3}})
	for n := range whole {
		if r, err := decodeRequest(whole[:n]); err == nil {
			t.Errorf("%d bytes of %d are %+v", n, len(whole), r)
		}
	}
	if r, err := decodeRequest(append(whole, 0)); err == nil {
		t.Errorf("a byte too many is %+v", r)
	}
}

// Bytes from anywhere are refused or are a request, and never take more memory than they have.
func FuzzDecodeRequest(f *testing.F) {
	f.Add(encodeRequest(Request{ID: "id", Shown: []strategies.ID{1}, Candidates: []strategies.ID{2, 3}}))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := decodeRequest(b)
		if err != nil {
			return
		}
		again := encodeRequest(r)
		if got, err := decodeRequest(again); err != nil || !reflect.DeepEqual(got, r) || len(again) > len(b) {
			t.Errorf("%x is %+v, and comes back as %+v, %v", b, r, got, err)
		}
	})
}

// Must constructs a strategy of the catalogue.
func Must(name string) strategies.Strategy {
	s, err := Config{Strategy: name}.build()
	if err != nil {
		panic(err)
	}
	return s
}

// A Turn is what the step did at a request, or at a timer.
type Turn = turn

// Witness makes steps tell f of each turn, on any goroutine; nil ends it.
func Witness(f func(Turn)) { witness = f }
