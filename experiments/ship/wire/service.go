package wire

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"dejavu/store"
	"dejavu/strategies"
)

// bufferBytes is of a connection's buffer: a request of thousands of candidates.
const bufferBytes = 64 << 10

// A Service answers for the users of a store.
type Service struct {
	Histories *store.Store
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

// answer reads a request and makes its answer. It is io.EOF where there is none.
func (w *worker) answer() error {
	var first [RequestBytes]byte
	if _, err := io.ReadFull(w.in, first[:]); err != nil {
		return cut(err, "head")
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
	w.body = sized(w.body, idBytes*n)
	if _, err := io.ReadFull(w.in, w.body); err != nil {
		return fmt.Errorf("%d candidates cut short: %w", n, noEOF(err))
	}
	w.candidates, w.seen = sized(w.candidates, n), sized(w.seen, n)
	for i := range w.candidates {
		w.candidates[i] = strategies.ID(binary.LittleEndian.Uint64(w.body[idBytes*i:]))
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

// cut is the error of a request's first bytes: io.EOF where there are none at all.
func cut(err error, what string) error {
	if errors.Is(err, io.EOF) {
		return io.EOF
	}
	return fmt.Errorf("%s cut short: %w", what, err)
}

// noEOF keeps the end inside of a request from being taken for one between two.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// sized is a slice of n, in the memory of the old one where that has room.
func sized[T any](old []T, n int) []T {
	if cap(old) < n {
		return make([]T, n)
	}
	return old[:n]
}
