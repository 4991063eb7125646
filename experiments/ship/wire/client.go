package wire

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"dejavu/strategies"
)

// A Client is the recall server's end of a connection. It is for one goroutine. After
// an error the connection is of no more use.
type Client struct {
	conn *counted
	in   *bufio.Reader
	out  []byte
}

// NewClient returns the client of a connection that nobody else uses.
func NewClient(conn io.ReadWriter) *Client {
	c := &counted{ReadWriter: conn}
	return &Client{conn: c, in: bufio.NewReaderSize(c, bufferBytes)}
}

// Bytes is how many bytes the client has sent and received so far.
func (c *Client) Bytes() (sent, received int64) { return c.conn.sent, c.conn.received }

// counted counts the bytes of a connection's two streams.
type counted struct {
	io.ReadWriter
	sent, received int64
}

// Write sends b.
func (c *counted) Write(b []byte) (int, error) {
	n, err := c.ReadWriter.Write(b)
	c.sent += int64(n)
	return n, err
}

// Read receives into b.
func (c *counted) Read(b []byte) (int, error) {
	n, err := c.ReadWriter.Read(b)
	c.received += int64(n)
	return n, err
}

// Ship fetches a user's history: a copy behind the contents of dst, which it
// returns as append does. It comes from outside: Validate it.
func (c *Client) Ship(user int, dst []byte) ([]byte, error) {
	if err := c.request(user, 0, kindShip, nil); err != nil {
		return dst, err
	}
	n, err := c.length()
	if err != nil {
		return dst, err
	}
	if n > MostHistory {
		return dst, fmt.Errorf("wire: history of %d bytes, want at most %d", n, MostHistory)
	}
	at := len(dst)
	dst = slices.Grow(dst, n)[:at+n]
	return dst, c.read(dst[at:], "history")
}

// Ask sets seen[i] to whether the user's history remembers candidates[i], 0 to
// MostCandidates of them. The two slices have the same length.
func (c *Client) Ask(user int, candidates []strategies.ID, seen []bool) error {
	if len(candidates) > MostCandidates || len(seen) != len(candidates) {
		return fmt.Errorf("wire: %d candidates and %d answers, want as many, 0 to %d", len(candidates), len(seen), MostCandidates)
	}
	if err := c.request(user, len(candidates), kindAsk, candidates); err != nil {
		return err
	}
	n, err := c.length()
	if err != nil {
		return err
	}
	if n != bitBytes(len(candidates)) {
		return fmt.Errorf("wire: %d bytes of bits, want %d for %d candidates", n, bitBytes(len(candidates)), len(candidates))
	}
	c.out = slices.Grow(c.out[:0], n)[:n]
	if err := c.read(c.out, "bits"); err != nil {
		return err
	}
	for i := range seen {
		seen[i] = c.out[i/8]>>(i%8)&1 == 1
	}
	return nil
}

// request sends one.
func (c *Client) request(user, candidates int, kind uint16, ids []strategies.ID) error {
	if user < 0 || int64(user) > 1<<32-1 {
		return fmt.Errorf("wire: user %d, want 0 to %d", user, int64(1<<32-1))
	}
	c.out = head{uint32(user), uint16(candidates), kind}.append(c.out[:0])
	for _, id := range ids {
		c.out = binary.LittleEndian.AppendUint64(c.out, uint64(id))
	}
	if _, err := c.conn.Write(c.out); err != nil {
		return fmt.Errorf("wire: asking: %w", err)
	}
	return nil
}

// length reads how long the answer is, or the reason why there is none.
func (c *Client) length() (int, error) {
	var first [AnswerBytes]byte
	if err := c.read(first[:], "length"); err != nil {
		return 0, err
	}
	n := binary.LittleEndian.Uint32(first[:])
	if n&refused == 0 {
		return int(n), nil
	}
	text := make([]byte, min(n&^uint32(refused), mostText))
	if err := c.read(text, "reason of a refusal"); err != nil {
		return 0, err
	}
	return 0, fmt.Errorf("wire: refused: %q", text)
}

// read fills b.
func (c *Client) read(b []byte, what string) error {
	if _, err := io.ReadFull(c.in, b); err != nil {
		return fmt.Errorf("wire: %s of an answer: %w", what, noEOF(err))
	}
	return nil
}
