package logs

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/valyala/fastjson"

	"dejavu/strategies"
	"dejavu/workload/logs/clock"
)

// A reader turns a line that is not blank into events, or returns the reason why it cannot be read.
type reader func(p *parser, line []byte) (reason string)

// A request tells lines of one request from lines of others. It is zero if requests have no column.
type request struct{ user, key uint64 }

// A parser turns lines into events. One goroutine may use it.
type parser struct {
	o    *Options
	read reader // nil if all lines are blank
	line int64  // number of the line in its file

	events       []Event // Request counts from 0
	requests     uint64
	starts       []begun // requests with keys
	keys         []key   // of some lines
	said         []string
	zoned, bare  int64 // times
	otherMethods int64 // of an access log's lines, all but GET

	// Of the last line:
	missing string // the reason if the user or an article is empty
	leftOut bool   // the options leave something of it out
	times   int64  // that its keys are counted

	json, lists fastjson.Parser
	split       splitter
	numbers     []byte // as a line of JSON has them
	articles    [][]byte
}

// A begun is a request and the line that begins it.
type begun struct {
	request
	line int64
}

// longs is locked while a long line is read: JSON takes several hundred times its length.
var longs sync.Mutex

const (
	longLine   = 64 << 10
	leftOut    = "left out" // the reason of a key that the options leave out, which is no fault
	allCounted = 1 << 10    // lines of a file whose keys are all counted; later, one in 64 stands for as many
)

// record reads a line. With a reason, nothing of it counts.
func (p *parser) record(line []byte) (reason string) {
	if len(line) > longLine {
		longs.Lock()
		defer func() {
			p.json, p.lists = fastjson.Parser{}, fastjson.Parser{}
			longs.Unlock()
		}()
	}
	p.missing, p.leftOut, p.times = "", false, 1
	if p.line > allCounted {
		p.times = 0
		if uint64(p.line)*0x9e3779b97f4a7c15>>58 == 0 { // not each 64th: a log may have periods
			p.times = 64
		}
	}
	events, requests, starts, said, zoned, bare := len(p.events), p.requests, len(p.starts), len(p.said), p.zoned, p.bare
	if reason = p.read(p, line); reason != "" || len(p.events) == events {
		p.events, p.requests, p.starts = p.events[:events], requests, p.starts[:starts]
		p.said, p.zoned, p.bare = p.said[:said], zoned, bare
	}
	if reason == leftOut {
		return ""
	}
	return reason
}

// key returns the digest of a user or an article, or its number.
func (p *parser) key(user bool, text []byte) (digest uint64, reason string) {
	what := key{user: user}.what()
	if p.o.leavesOut(user, text) {
		p.leftOut = true
		p.keys = append(p.keys, key{user: user, text: string(text), leftOut: true})
		return 0, leftOut
	}
	if p.times > 0 {
		p.keys = append(p.keys, key{user, string(text), false, p.times})
	}
	switch {
	case len(text) == 0:
		p.missing = "no " + what
		return 0, p.missing
	case !p.o.Numbered:
		return uint64(strategies.XXHash(text)), ""
	}
	digits := string(text)
	if c := digits[0] | 0x20; c >= 'a' && c <= 'z' {
		digits = digits[1:]
	}
	digest, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return 0, fmt.Sprintf("%s %.40q is not a number below 2^64", what, text)
	}
	return digest, ""
}

// row takes in articles that were shown at once, or a part of them. With a column of requests, consecutive parts of one
// user and request are one.
func (p *parser) row(user, at, requestKey []byte, articles [][]byte) (reason string) {
	digest, noUser := p.key(true, user)
	t, noTime := cmp.Or(p.o.Clock, clock.Seconds).Read(at)
	if reason := cmp.Or(noUser, noTime); reason != "" || len(articles) == 0 {
		return reason
	}
	q := request{}
	if requestKey != nil {
		q = request{digest, uint64(strategies.XXHash(requestKey))}
	}
	if last := len(p.starts) - 1; q == (request{}) || last < 0 || p.starts[last].request != q {
		p.requests++
		if p.o.Columns.Request != "" {
			p.starts = append(p.starts, begun{q, p.line})
		}
	}
	for _, name := range articles {
		article, noArticle := p.key(false, name)
		if noArticle == leftOut {
			continue
		}
		if noArticle != "" {
			return noArticle
		}
		switch t.Zone {
		case clock.HasZone:
			p.zoned++
		case clock.Bare:
			p.bare++
		}
		if len(p.said) < 3 {
			p.said = append(p.said, fmt.Sprintf("%.60q was shown %.60q at %s", user, name,
				time.Unix(t.Seconds, int64(t.Nanos)).UTC().Format("2006-01-02 15:04:05.999 UTC")))
		}
		p.events = append(p.events, Event{
			User: digest, Article: strategies.ID(article), Time: t.Seconds, Request: p.requests - 1, Nanos: t.Nanos,
		})
	}
	return ""
}

// decide finds out what the options leave open, by the lines that a log begins with. The first is not blank.
func (o *Options) decide(text []byte) (err error) {
	line, _, _ := bytes.Cut(text, []byte{'\n'})
	line = bytes.TrimSuffix(line, []byte{'\r'})
	found := *o
	if isNamed := o.Columns != (Columns{Request: o.Columns.Request}); o.Format == "" {
		switch {
		case !isNamed && isMIND(line):
			found.Format = MIND
		case !isNamed && accessTime.Match(line):
			found.Format = Access
		case bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte{'{'}):
			found.Format = JSON
		}
	}
	found.Clock = cmp.Or(found.Clock, clocks[found.Format])
	switch found.Format {
	case MIND:
	case Access:
		p := parser{o: &Options{Clock: found.Clock}}
		if reason := readAccess(&p, line); reason != "" && o.Format == "" {
			err = errors.New(reason)
		}
	case JSON:
		err = found.decideJSON(text)
	default:
		err = found.decideCSV(text)
		found.Format = CSV
	}
	*o = found
	if errors.Is(err, errNoTable) {
		return fmt.Errorf("the first line, %.40q, does not tell the format: name one of %v (--format), "+
			"or what separates the columns of a table (--comma)", line, formats)
	}
	return err
}

// begin returns how a file is read that begins with this line, and whether that is a header.
func (o *Options) begin(first []byte) (read reader, isHeader bool, err error) {
	switch o.Format {
	case MIND:
		return readMIND, mindHeader.Match(first), nil
	case Access:
		return readAccess, false, nil
	case JSON:
		return readJSON, false, nil
	}
	return o.beginCSV(first)
}
