package format

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/valyala/fastjson"

	"dejavu/strategies"
	"dejavu/workload/logs/clock"
	"dejavu/workload/logs/event"
	"dejavu/workload/logs/table"
)

// A Reader turns a record that is not blank into events, or returns the reason why it cannot be read.
type Reader func(p *Parser, record []byte) (reason string)

// Decide finds out what the options leave open, by the text that a log begins with: whole lines, the first not blank.
func Decide(o *Options, text []byte) (err error) {
	line := table.TrimEnd(text[:table.Line(text, true)])
	found := *o
	if isNamed := o.Columns != (Columns{Clicked: o.Columns.Clicked, Request: o.Columns.Request}); o.Format == "" {
		switch {
		case !isNamed && isMIND(line, o):
			found.Format = MIND
		case !isNamed && isAccess(line, o):
			found.Format = Access
			var p Parser
			p.Use(&found, Batch{Keys: event.NewTally()})
			if reason := p.Record(readAccess, line); reason != "" {
				err = errors.New(reason)
			}
		case isObject(line):
			found.Format = JSON
		}
	}
	switch {
	case found.IsDecided():
	case found.Format == JSON:
		err = decideJSON(&found, text)
	default:
		err = decideCSV(&found, text)
		found.Format = CSV
	}
	*o = found
	if errors.Is(err, errNoTable) {
		return fmt.Errorf("the first line, %.40q, does not tell the format: name one of %v (--format), "+
			"or what separates the columns of a table (--comma)", line, formats)
	}
	return err
}

// Begin returns how a file is read that begins with this record, and whether that is a header.
func Begin(o *Options, first []byte) (read Reader, header bool, err error) {
	switch o.Format {
	case MIND:
		return readMIND, mindHeader.Match(first), nil
	case Access:
		return readAccess, false, nil
	case JSON:
		return readJSON, false, nil
	}
	return beginCSV(first, o)
}

// A Batch holds what some records of one file say.
type Batch struct {
	Events         []event.Event // Request counts from 0
	Requests       uint64
	Opening, Final Key // of the first event and the last, if requests have keys
	Keys           event.Tally
	Doubts         *clock.Doubts
	Said           []string // the first events, for people
	OtherMethods   int64    // of an access log's lines, all but GET
}

// A Key tells consecutive lines of one request from those of another.
type Key struct {
	Set       bool
	user, key uint64
}

// A Parser turns records into events, which it adds to its batch. One goroutine may use it.
type Parser struct {
	Batch
	o        *Options
	splitter table.Splitter
	*memory                   // of the record
	own      memory           // of records that are not long
	missing  string           // the reason of a key that is empty
	times    int64            // that the record's keys are counted
	filters  bool             // the options leave something out
	ended    map[Key]struct{} // requests of the batch

	Line    int64 // number of the next record's in its file, set by the caller
	Empty   bool  // the last record could not be read for want of a user or an article
	LeftOut bool  // something of the last record was left out by the options
}

// Use begins another batch, of records that are read in this way.
func (p *Parser) Use(o *Options, b Batch) {
	p.o, p.Batch, p.splitter = o, b, o.splitter()
	p.filters = o.SkipEmpty || len(o.WithoutUsers)+len(o.WithoutArticles) > 0
	p.ended = map[Key]struct{}{}
	if p.Doubts == nil {
		p.Doubts = &clock.Doubts{}
	}
}

// A memory holds what records take to be read, several hundred times their length if they are JSON.
type memory struct {
	json     fastjson.Parser
	lists    parserOfLists
	numbers  []byte // as a line of JSON has them
	articles [][]byte
}

// longs is the memory of long records. There is one for all parsers.
var longs struct {
	sync.Mutex
	memory
}

// Forget gives the memory of long records back.
func Forget() { longs.Lock(); longs.memory = memory{}; longs.Unlock() }

const (
	long       = 128 << 10
	leftOut    = "left out" // the reason of a key that the options leave out: there is no fault
	allCounted = 1 << 10    // lines of a file whose keys are all counted; later, one in 64 stands for as many
)

// Record reads a record. With a reason, nothing of it counts.
func (p *Parser) Record(read Reader, record []byte) (reason string) {
	before := p.Batch
	p.missing, p.LeftOut, p.times = "", false, 1
	if p.memory = &p.own; len(record) > long {
		longs.Lock()
		defer longs.Unlock()
		p.memory = &longs.memory
	}
	if p.Line > allCounted {
		p.times = 0
		if uint64(p.Line)*0x9e3779b97f4a7c15>>58 == 0 { // not each 64th: a log may have periods
			p.times = 64
		} else if bytes.IndexByte(record, '\n') >= 0 { // a stray quote is rare
			p.times = 1
		}
	}
	if reason = read(p, record); reason != "" || len(p.Events) == len(before.Events) {
		before.Events, before.Keys, before.OtherMethods = p.Events[:len(before.Events)], p.Keys, p.OtherMethods
		p.Batch = before
	}
	p.Empty = reason != "" && reason == p.missing
	if reason == leftOut {
		return ""
	}
	return reason
}

// event appends an event to the request that began last.
func (p *Parser) event(user uint64, article strategies.ID, at clock.Time, kind event.Kind) {
	p.Doubts.Take(at)
	p.Events = append(p.Events, event.Event{
		User: user, Article: article, Time: at.Seconds, Request: p.Requests - 1, Kind: kind, Nanos: at.Nanos,
	})
}

// say keeps the first events as people read them.
func (p *Parser) say(user, article []byte, at clock.Time) {
	if len(p.Said) < 3 {
		p.Said = append(p.Said, fmt.Sprintf("%.60q was shown %.60q at %s", user, article,
			time.Unix(at.Seconds, int64(at.Nanos)).UTC().Format("2006-01-02 15:04:05.999 UTC")))
	}
}

// key returns the digest of a user or an article, or its number.
func (p *Parser) key(user bool, key []byte) (digest uint64, reason string) {
	what := "article"
	if user {
		what = "user"
	}
	if p.filters || p.times > 0 {
		if p.o.leavesOut(user, key) {
			p.LeftOut, p.Keys.LeftOut[event.Key{User: user, Text: string(key)}] = true, true
			return 0, leftOut
		}
		p.Keys.Count(user, key, p.times)
	}
	switch {
	case len(key) == 0:
		p.missing = "no " + what
		return 0, p.missing
	case !p.o.Numbered:
		return uint64(strategies.XXHash(key)), ""
	}
	digits := string(key)
	if c := digits[0] | 0x20; c >= 'a' && c <= 'z' {
		digits = digits[1:]
	}
	digest, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return 0, fmt.Sprintf("%s %.40q is not a number below 2^64", what, key)
	}
	return digest, ""
}

// row takes in articles that were shown at once, or a part of them, by the values of user, time, clicked and request.
// Consecutive parts of one user and request are one. A request that comes again after others in its block of lines is
// refused.
func (p *Parser) row(values [5][]byte, articles [][]byte) (reason string) {
	user, noUser := p.key(true, values[0])
	at, noTime := cmp.Or(p.o.Clock, clock.Seconds).Read(values[2])
	kind, noKind := clicked(bytes.TrimSpace(values[3]))
	if reason := cmp.Or(noUser, noTime, noKind); reason != "" || len(articles) == 0 {
		return reason
	}
	of := Key{}
	if values[4] != nil {
		of = Key{true, user, uint64(strategies.XXHash(values[4]))}
		if _, again := p.ended[of]; again {
			return fmt.Sprintf("request %.40q of user %.40q goes on after others: sort the log by user and request",
				values[4], values[0])
		}
	}
	if len(p.Events) == 0 {
		p.Opening = of
	}
	if !of.Set || of != p.Final {
		p.Requests++
	}
	before, events := p.Final, len(p.Events)
	p.Final = of
	for _, name := range articles {
		article, noArticle := p.key(false, name)
		if noArticle == leftOut {
			continue
		}
		if noArticle != "" {
			return noArticle
		}
		p.say(values[0], name, at)
		p.event(user, strategies.ID(article), at, kind)
	}
	if before.Set && before != of && len(p.Events) > events {
		p.ended[before] = struct{}{}
	}
	return ""
}

// clicked returns the answer that a column of clicks has.
func clicked(text []byte) (k event.Kind, reason string) {
	switch {
	case len(text) == 0:
		return event.Shown, ""
	case slices.Contains([]string{"1", "1.0", "true", "True", "TRUE"}, string(text)):
		return event.Clicked, ""
	case slices.Contains([]string{"0", "0.0", "false", "False", "FALSE"}, string(text)):
		return event.Ignored, ""
	}
	return 0, fmt.Sprintf("clicked %.40q is neither 0, 1, true nor false", text)
}
