package logs

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/valyala/fastjson"

	"dejavu/strategies"
	"dejavu/workload/logs/clock"
)

// A lineReader reads a line that is not blank, or returns why it cannot be read.
type lineReader func(p *parser, line []byte) (reason string)

// A request identifies the lines of one request. It is zero if there is no column for requests.
type request struct{ user, key uint64 }

type parser struct {
	o      *Options
	number int64   // the line's number in its file
	events []Event // of one request, and perhaps of the first line of the next
	users  tally
	shown  tally // articles
	doubts clock.Doubts
	said   []string // the first three events, in words

	// Of the last line:
	of      request
	time    clock.Time
	missing string // why the line cannot be read, if its user or article is empty
	leftOut bool   // the options leave out something
	isOther bool   // another method than GET
	times   int64  // how often to count its keys

	json, lists fastjson.Parser
	split       splitter
	numbers     []byte // copies of numbers in JSON
	articles    [][]byte
}

const (
	longLine   = 64 << 10   // after a longer line, free the JSON parsers: they take hundreds of times its length
	leftOut    = "left out" // the reason for a key that the options leave out, which is no fault
	allCounted = 1 << 10    // after this many lines of a file, only one in 64 counts keys
)

// record reads a line. If it returns a reason, no event of the line counts.
func (p *parser) record(read lineReader, line []byte) (reason string) {
	p.missing, p.leftOut, p.isOther, p.times = "", false, false, 1
	if p.number > allCounted {
		p.times = 0
		if uint64(p.number)*0x9e3779b97f4a7c15>>58 == 0 { // not every 64th: a log may have periods
			p.times = 64
		}
	}
	events, said := len(p.events), len(p.said)
	if reason = read(p, line); reason != "" {
		p.events, p.said = p.events[:events], p.said[:said]
	}
	if len(line) > longLine {
		p.json, p.lists = fastjson.Parser{}, fastjson.Parser{}
	}
	if reason == leftOut {
		return ""
	}
	return reason
}

// key returns the digest of a user or an article, or its number.
func (p *parser) key(t *tally, text []byte) (digest uint64, reason string) {
	if len(text) == 0 && p.o.SkipEmpty || len(t.without) > 0 && slices.Contains(t.without, string(text)) {
		p.leftOut, t.leftOut[string(text)] = true, true
		return 0, leftOut
	}
	if p.times > 0 {
		t.add(string(text), p.times)
	}
	switch {
	case len(text) == 0:
		p.missing = "no " + t.role
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
		return 0, fmt.Sprintf("%s %.40q is not a number below 2^64", t.role, text)
	}
	return digest, ""
}

// row adds the articles of a line. Lines with one user and requestKey are one request, unless requestKey is empty.
func (p *parser) row(name, at, requestKey []byte, articles [][]byte) (reason string) {
	digest, noUser := p.key(&p.users, name)
	t, noTime := cmp.Or(p.o.Clock, clock.Seconds).Read(at)
	if reason := cmp.Or(noUser, noTime); reason != "" || len(articles) == 0 {
		return reason
	}
	p.time, p.of = t, request{}
	if len(requestKey) > 0 {
		p.of = request{digest, uint64(strategies.XXHash(requestKey))}
	}
	for _, shown := range articles {
		id, noArticle := p.key(&p.shown, shown)
		if noArticle == leftOut {
			continue
		}
		if noArticle != "" {
			return noArticle
		}
		if len(p.said) < 3 {
			p.said = append(p.said, fmt.Sprintf("%.60q was shown %.60q at %s", name, shown,
				time.Unix(t.Seconds, int64(t.Nanos)).UTC().Format("2006-01-02 15:04:05.999 UTC")))
		}
		p.events = append(p.events, Event{User: digest, Article: strategies.ID(id), Time: t.Seconds, Nanos: t.Nanos})
	}
	return ""
}

// decide decides what the options leave open by a log's first lines. The first is not blank.
func (o *Options) decide(text []byte) (err error) {
	line := firstLines(text)[0]
	found := *o
	if isNamed := o.Columns != (Columns{Request: o.Columns.Request}); o.Format == "" {
		switch {
		case !isNamed && (mindLine.Match(line) || mindHeader.Match(line)):
			found.Format = MIND
		case !isNamed && accessTime.Match(line):
			found.Format = Access
		case bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte{'{'}):
			found.Format = JSON
		}
	}
	found.Clock = cmp.Or(found.Clock, clocks[found.Format])
	switch found.Format {
	case MIND, Access:
	case JSON:
		err = found.decideJSON(text)
	default:
		err = found.decideCSV(text)
		found.Format = CSV
	}
	*o = found
	if errors.Is(err, errNoTable) {
		return fmt.Errorf("the first line, %.40q, does not tell the format: name one of %v (--format), "+
			"or what separates the columns of a table (--comma)", line, Formats())
	}
	return err
}
