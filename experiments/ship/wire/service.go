package wire

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"dejavu/store"
	"dejavu/strategies"
)

// bufferBytes is of a connection's buffer: a request of thousands of candidates.
const bufferBytes = 64 << 10

// A Service answers for the users of a store.
type Service struct {
	Histories *store.Store[int]
	Users     int // numbered from 0
}

// Serve answers the requests of one connection, one after the other, until it ends,
// which is no error. Any number of connections may be served at once.
func (s Service) Serve(conn io.ReadWriter) error {
	w := worker{Service: s, in: bufio.NewReaderSize(conn, bufferBytes)}
	for {
		err := w.answer()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err == nil:
			if _, err := conn.Write(w.out); err != nil {
				return fmt.Errorf("wire: answering: %w", err)
			}
			continue
		}
		text := err.Error()
		text = text[:min(len(text), mostText)]
		out := binary.LittleEndian.AppendUint32(nil, refused|uint32(len(text)))
		_, _ = conn.Write(append(out, text...)) // the error is told all the same
		return fmt.Errorf("wire: %w", err)
	}
}

// A worker serves one connection.
type worker struct {
	Service
	in         *bufio.Reader
	body, out  []byte
	candidates []strategies.ID
	seen       []bool
}

// answer reads a request and makes its answer. The error wraps io.EOF where there is no
// request at all.
func (w *worker) answer() error {
	var first [RequestBytes]byte
	if _, err := io.ReadFull(w.in, first[:]); err != nil {
		return fmt.Errorf("head cut short: %w", err)
	}
	h := headOf(first[:])
	if err := h.check(w.Users); err != nil {
		return err
	}
	w.out = append(w.out[:0], 0, 0, 0, 0)
	if h.kind == kindShip {
		w.out = w.Histories.History(int(h.user), 0, w.out)
	} else if err := w.test(h); err != nil {
		return err
	}
	if len(w.out)-AnswerBytes > MostHistory {
		return fmt.Errorf("history of %d bytes, want at most %d", len(w.out)-AnswerBytes, MostHistory)
	}
	binary.LittleEndian.PutUint32(w.out, uint32(len(w.out)-AnswerBytes))
	return nil
}

// test appends a bit for each candidate that follows the head.
func (w *worker) test(h head) error {
	n := int(h.candidates)
	w.body = slices.Grow(w.body[:0], idBytes*n)[:idBytes*n]
	if _, err := io.ReadFull(w.in, w.body); err != nil {
		return fmt.Errorf("%d candidates cut short: %w", n, noEOF(err))
	}
	w.candidates, w.seen = w.candidates[:0], slices.Grow(w.seen[:0], n)[:n]
	for id := range slices.Chunk(w.body, idBytes) {
		w.candidates = append(w.candidates, strategies.ID(binary.LittleEndian.Uint64(id)))
	}
	w.Histories.Seen(int(h.user), 0, w.candidates, w.seen)
	at := len(w.out)
	w.out = append(w.out, make([]byte, bitBytes(n))...)
	for i, s := range w.seen {
		if s {
			w.out[at+i/8] |= 1 << (i % 8)
		}
	}
	return nil
}

// noEOF keeps the end inside of a request from being taken for one between two.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
