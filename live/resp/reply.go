package resp

import (
	"strconv"

	"dejavu/live/traffic"
)

// A reply is an answer in the version of the protocol that the caller chose.
type reply struct {
	out   []byte
	three bool // RESP3, which has maps and booleans
}

func (r *reply) header(kind byte, n int) {
	r.out = append(r.out, kind)
	r.out = append(strconv.AppendInt(r.out, int64(n), 10), '\r', '\n')
}

func (r *reply) array(n int)   { r.header('*', n) }
func (r *reply) integer(n int) { r.header(':', n) }

// pairs begins a map of n pairs, which RESP2 has as an array.
func (r *reply) pairs(n int) {
	if r.three {
		r.header('%', n)
		return
	}
	r.array(2 * n)
}

func (r *reply) bulk(b []byte) {
	if n := len(r.out) + len(b) + 64; n > max(cap(r.out), traffic.Small) {
		before := r.out
		r.out = append(traffic.Room(n), before...)
		traffic.Recycle(before)
	}
	r.header('$', len(b))
	r.out = append(append(r.out, b...), '\r', '\n')
}

func (r *reply) texts(all ...string) {
	for _, s := range all {
		r.bulk([]byte(s))
	}
}

func (r *reply) simple(s string) { r.out = append(append(append(r.out, '+'), s...), '\r', '\n') }

// fail writes an error in one line, whatever words of callers are in it.
func (r *reply) fail(s string) {
	r.out = append(r.out, '-')
	for _, c := range []byte(s) {
		if c < ' ' {
			c = ' '
		}
		r.out = append(r.out, c)
	}
	r.out = append(r.out, '\r', '\n')
}

// yes writes an integer, as the service's commands do.
func (r *reply) yes(b bool) {
	if b {
		r.out = append(r.out, ":1\r\n"...)
		return
	}
	r.out = append(r.out, ":0\r\n"...)
}

// boolean writes a boolean in RESP3, as the Bloom module does, and an integer in RESP2.
func (r *reply) boolean(b bool) {
	switch {
	case !r.three:
		r.yes(b)
	case b:
		r.out = append(r.out, "#t\r\n"...)
	default:
		r.out = append(r.out, "#f\r\n"...)
	}
}
