package partition

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"dejavu/live/layout"
	"dejavu/live/log"
	"dejavu/store"
	"dejavu/strategies"
)

var (
	chain, _  = layout.Make(layout.Choice{Name: "chain"})
	single, _ = layout.Make(layout.Choice{Name: "single"})
)

// memoryLog is a log that the test can cut short: what is not settled may be lost.
type memoryLog struct {
	records [][]byte
	at      []log.Offset
	tickets []*log.Ticket
	durable int
	trimmed log.Offset
}

func (l *memoryLog) Append(_ int, record []byte) (log.Offset, *log.Ticket, error) {
	at := log.Offset(3 * (len(l.records) + 1)) // offsets need not be consecutive
	l.records, l.at, l.tickets = append(l.records, bytes.Clone(record)), append(l.at, at), append(l.tickets,
		log.NewTicket())
	return at, l.tickets[len(l.tickets)-1], nil
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
func (l *memoryLog) Close() error                                { return nil }

func secretOf(t testing.TB, key string) strategies.Secret {
	t.Helper()
	s, err := strategies.NewSecret([]byte(strings.Repeat(key, 16)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func configOf(t testing.TB, l log.Log, dir string) Config {
	return Config{
		Of: 1, Layout: chain, Secret: secretOf(t, "s"), Retries: 8, Log: l,
		Dir: dir, Idle: 1000,
	}
}

// showOf asks for one article.
func showOf(user, request uint64, candidates ...strategies.ID) Show {
	asked := store.ShowRequest[uint64]{User: user, Candidates: candidates, Limit: 1}
	return Show{ShowRequest: asked, Request: request}
}

func start(t interface{ Fatal(...any) }, c Config) *Partition {
	p, found, err := Load(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	next, err := c.Log.Read(context.Background(), map[int]log.Offset{0: found.From},
		func(_ int, at log.Offset, r []byte) error { return p.Apply(at, r) })
	if err != nil {
		t.Fatal(err)
	}
	p.Begin(next[0])
	return p
}
