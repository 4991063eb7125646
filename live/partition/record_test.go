package partition

import (
	"bytes"
	"context"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"dejavu/live/exposure"
	"dejavu/live/layout"
	"dejavu/live/log"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

func drawn(t *rapid.T) record {
	return record{
		check: rapid.Uint32().Draw(t, "check"), time: rapid.Uint32().Draw(t, "time"),
		exposures: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Exposure {
			e := Exposure{
				Kind: Kind(rapid.IntRange(int(Shown), int(Forgotten)).Draw(t, "kind")),
				User: rapid.Uint64().Draw(t, "user"), Request: rapid.Uint64().Draw(t, "request"),
			}
			for _, id := range rapid.SliceOfN(rapid.Uint64(), 1, 20).Draw(t, "articles") {
				e.Articles = append(e.Articles, strategies.ID(id))
			}
			return e
		}), 1, 5).Draw(t, "exposures"),
	}
}

// Records are read as written, also into memory of another, and if two bytes do not count their exposures or articles.
func TestRoundTrip(t *testing.T) {
	var many record
	articles := make([]strategies.ID, 1<<16+1)
	for i := range articles {
		articles[i] = strategies.ID(i)
		many.exposures = append(many.exposures, Exposure{Kind: Shown, User: uint64(i), Articles: articles[i : i+1]})
	}
	rapid.Check(t, func(t *rapid.T) {
		r, got := drawn(t), drawn(t)
		if rapid.IntRange(0, 9).Draw(t, "large") == 0 {
			r = many
			r.exposures[0].Articles = articles[:rapid.IntRange(1, len(articles)).Draw(t, "articles")]
		}
		b := r.append(nil)
		if err := got.decode(b); err != nil || !reflect.DeepEqual(got, r) {
			t.Fatalf("%d exposures, %v, want the %d that were written", len(got.exposures), err, len(r.exposures))
		}
		cut := rapid.IntRange(0, len(b)-1).Draw(t, "cut")
		if got.decode(b[:cut]) == nil || got.decode(append(b, 0)) == nil {
			t.Fatalf("%d of %d bytes, or one more, are taken for a record", cut, len(b))
		}
	})
}

// The bytes of a record, by hand from the package comment.
func TestBytes(t *testing.T) {
	e := Exposure{Kind: Recorded, User: 6, Request: 7, Articles: []strategies.ID{8}}
	r := record{check: 0x04030201, time: 5, exposures: []Exposure{e}}
	want := []byte{
		1, 1, 2, 3, 4, 5, 0, 0, 0, 1, 2, 6, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 1, 8, 0, 0, 0, 0, 0,
		0, 0,
	}
	strategytest.EqualSlices(t, r.append(nil), want, "a record")
	want[10] = 9
	strategytest.ErrorSays(t, "a kind", r.decode(want), "record of 36 bytes, at byte 10: kind 9, want 1 to 4")
	want[10], want[27] = 2, 2
	strategytest.ErrorSays(t, "too many articles", r.decode(want), "at byte 27: it counts more than it has room for")
	want[0] = 2
	strategytest.ErrorSays(t, "another version", r.decode(want), "version 2, want 1")
}

// No bytes make Decode panic, or take memory out of proportion; what it takes for a record is written as records are.
func FuzzDecode(f *testing.F) {
	r := record{exposures: []Exposure{{Kind: Shown, Articles: []strategies.ID{1, 2}}, {Kind: Forgotten}}}
	f.Add(r.append(nil))
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		var r, again record
		if r.decode(b) != nil {
			return
		}
		if err := again.decode(r.append(nil)); err != nil || len(again.exposures) != len(r.exposures) {
			t.Errorf("%d exposures are read again as %d: %v", len(r.exposures), len(again.exposures), err)
		}
	})
}

var (
	chain, _  = layout.Make(layout.Choice{Name: "chain"})
	single, _ = layout.Make(layout.Choice{Name: "single"})
)

// memoryLog is a log that the test can cut short: unsettled records may be lost.
type memoryLog struct {
	records [][]byte
	at      []log.Offset
	tickets []*log.Ticket
	durable int
	trimmed log.Offset
	fails   error
}

func (l *memoryLog) Append(_ int, record []byte) (log.Offset, *log.Ticket, error) {
	at := log.Offset(3 * (len(l.records) + 1)) // offsets need not be consecutive
	ticket := log.NewTicket()
	l.records, l.at, l.tickets = append(l.records, bytes.Clone(record)), append(l.at, at), append(l.tickets, ticket)
	return at, ticket, l.fails
}

func (l *memoryLog) settle(n int) {
	for ; l.durable < n; l.durable++ {
		l.tickets[l.durable].Settle(nil)
	}
}

func (l *memoryLog) Read(_ context.Context, from map[int]log.Offset, each log.Each) (map[int]log.Offset, error) {
	for i, r := range l.records {
		if l.at[i] >= from[0] {
			if l.at[i] < l.trimmed {
				return nil, log.ErrGone
			}
			if err := each(0, l.at[i], r); err != nil {
				return nil, err
			}
		}
	}
	return map[int]log.Offset{0: log.Offset(3*len(l.records) + 1)}, nil
}
func (l *memoryLog) Trim(context.Context, int, log.Offset) error { return nil }
func (l *memoryLog) Err() error                                  { return nil }
func (l *memoryLog) Close() error                                { return nil }

func secretOf(t testing.TB, key string) strategies.Secret {
	t.Helper()
	return strategytest.Value(strategies.NewSecret([]byte(strings.Repeat(key, 16))))
}

func configOf(t testing.TB, l log.Log, dir string) Config {
	return Config{Of: 1, Layout: chain, Secret: secretOf(t, "s"), Retries: 8, Log: l, Dir: dir, Idle: 1000}
}

// begun returns an empty partition and its log.
func begun(t testing.TB) (*memoryLog, Config, *Partition) {
	l := &memoryLog{}
	c := configOf(t, l, t.TempDir())
	return l, c, start(t, c)
}

type asking struct {
	exposure.Show
	user uint64 // digest
}

func showOf(user, request uint64, candidates ...strategies.ID) asking {
	return asking{exposure.Show{Request: request, Candidates: candidates, Limit: 1}, user}
}

func (a asking) of(p *Partition, now store.Timestamp) ([]strategies.ID, error) {
	one := []exposure.Show{a.Show}
	_, err := p.Show(now, one, []Asked{{User: a.user}})
	return one[0].Shown, err
}

func start(t interface{ Fatal(...any) }, c Config) *Partition {
	p, found, err := Load(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	next := strategytest.Value(c.Log.Read(context.Background(), map[int]log.Offset{0: found.From},
		func(_ int, at log.Offset, r []byte) error { return p.Apply(at, r) }))
	p.Begin(next[0])
	return p
}
