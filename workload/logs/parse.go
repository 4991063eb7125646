package logs

import (
	"bytes"
	"cmp"
	"math"

	"dejavu/strategies"
	"dejavu/workload/logs/shown"
	"dejavu/workload/logs/table"
)

// A parser turns the lines of a block into events. Every worker has one.
type parser struct {
	o *Options
	b *block

	cutter   table.Cutter
	splitter table.Splitter
	most     int      // events of a block that are kept
	over     int      // that were not
	articles [][]byte // of a line
	scratch  []byte   // what a string of JSON says, where it is not what it looks like
}

// parse reads the block's lines. Where they have too many events, it counts them alone.
func (p *parser) parse(b *block) {
	before := b.parsed // the rest is others' to read meanwhile
	p.most, p.over = blockEvents, 0
	if p.lines(b); p.over > 0 {
		late := p.over + len(b.events)
		b.parsed = before
		b.late = late
	}
}

// parseLate reads a block of many events.
func (p *parser) parseLate(b *block) {
	p.most, p.over = b.late, 0
	b.events = make([]Event, 0, b.late)
	p.lines(b)
}

func (p *parser) lines(b *block) {
	p.b, p.o = b, b.o
	p.cutter = p.o.cutter()
	p.splitter.Dialect, p.splitter.Most = p.cutter.Dialect, mostFields
	line := b.first
	for at := 0; at < len(b.data); {
		n, lines := p.record(at)
		record := trimEnd(b.data[at : at+n])
		at += n
		b.lines++
		switch events, requests, final := len(b.events), b.requests, b.final; {
		case len(record) > p.o.MaxLine:
			b.lines--
			b.fault(line, tooLong(p.o.MaxLine))
		case blank(record):
			b.blank++
		default:
			p.scratch = p.scratch[:0]
			if reason := b.parse(p, record); reason != "" {
				b.lines--
				b.fault(line, reason)
				b.events, b.requests, b.final = b.events[:events], requests, final
				if events == 0 {
					b.opening = requestKey{}
				}
			} else if len(b.events) == events {
				b.passed++
			}
		}
		line += lines
	}
}

// record is the length of the record that begins there, and its number of lines.
func (p *parser) record(at int) (n int, lines int64) {
	if p.b.parse == nil || p.b.syntax.table == nil {
		return table.Line(p.b.data[at:], true), 1
	}
	// The cutter left whole records: where one seems open here, it was to the
	// cutter, too, and is its first line.
	n = p.cutter.End(p.b.data, at, true)
	return n, max(1, int64(bytes.Count(p.b.data[at:at+n], []byte{'\n'})))
}

// trimEnd cuts the end of a line off.
func trimEnd(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte{'\n'}), []byte{'\r'})
}

func blank(line []byte) bool { return len(bytes.Trim(line, " \t\r\n")) == 0 }

// event appends an event to the request that begin began.
func (p *parser) event(user uint64, article strategies.ID, at moment, kind Kind) {
	if len(p.b.events) == p.most {
		p.over++
		return
	}
	p.b.events = append(p.b.events, Event{user, article, at.seconds, p.b.requests - 1, kind, at.nanos})
}

func (p *parser) begin() { p.b.requests++ }

// key is the digest of a key, or its number.
func (p *parser) key(what string, key []byte) (digest uint64, reason string) {
	switch {
	case len(key) == 0:
		return 0, "no " + what
	case !p.o.Numbered:
		return uint64(strategies.XXHash(key)), ""
	}
	digits := key
	if c := digits[0] | 0x20; c >= 'a' && c <= 'z' {
		digits = digits[1:]
	}
	for _, c := range digits {
		d := uint64(c - '0')
		if d > 9 || digest > (math.MaxUint64-d)/10 {
			digits = nil
			break
		}
		digest = digest*10 + d
	}
	if len(digits) == 0 {
		return 0, what + " " + shown.Value(key) + " is not a number below 2^64"
	}
	return digest, ""
}

// lastTime is the end of the year 9999.
const lastTime = 253402300799

// A moment is a time as a line has it.
type moment struct {
	seconds int64
	nanos   uint32
}

func (m moment) before(n moment) bool {
	return m.seconds < n.seconds || m.seconds == n.seconds && m.nanos < n.nanos
}

func (m moment) compare(n moment) int {
	return cmp.Or(cmp.Compare(m.seconds, n.seconds), cmp.Compare(m.nanos, n.nanos))
}

// clock reads a time as the log writes it, or else in the format's own way.
func (p *parser) clock(text []byte, own Clock) (at moment, reason string) {
	at.seconds, at.nanos, reason = cmp.Or(p.o.Clock, own).Read(text)
	return at, reason
}
