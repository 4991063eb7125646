package format

import (
	"bytes"
	"cmp"
	"strconv"
	"sync"

	"dejavu/strategies"
	"dejavu/workload/logs/clock"
	"dejavu/workload/logs/decision"
	"dejavu/workload/logs/event"
	"dejavu/workload/logs/jsonline"
	"dejavu/workload/logs/shown"
	"dejavu/workload/logs/table"
)

// A Batch is what some records of one file say.
type Batch struct {
	Events         []event.Event // Request counts from 0
	Requests       uint64
	Opening, Final Key // of the first event and the last, where the format has keys
	Keys           event.Tally
}

// A Key tells consecutive lines of one request from those of another.
type Key struct {
	Set       bool
	user, key uint64
}

// A Parser turns records into events, which it adds to its batch. One goroutine may use it.
type Parser struct {
	Batch
	o        *decision.Options
	splitter table.Splitter
	*memory         // of the record
	own      memory // of records that are not long
	missing  string // the reason of a key that is empty
	times    int64  // that the record's keys are counted
	filters  bool   // the options leave something out

	Line    int64 // number of the next record's in its file, set by the caller
	Empty   bool  // the last record could not be read for want of a user or an article
	LeftOut bool  // something of the last record was left out by the options
}

// Use begins another batch, of records that are read in this way.
func (p *Parser) Use(o *decision.Options, b Batch) {
	p.o, p.Batch, p.splitter = o, b, o.Splitter()
	p.filters = o.SkipEmpty || len(o.WithoutUsers)+len(o.WithoutArticles) > 0
}

// A memory is what records take to be read, several hundred times their length if they are JSON.
type memory struct {
	json     jsonline.Scanner
	articles [][]byte // of a line
}

// longs is held where a record is long, and has the memory of it: there is one at a time, and the next takes no other.
var longs struct {
	sync.Mutex
	memory
}

// Forget gives the memory of long records back.
func Forget() { longs.Lock(); longs.memory = memory{}; longs.Unlock() }

const (
	long       = 128 << 10
	leftOut    = "left out" // the reason of a key that the options leave out: then there is no fault
	allCounted = 1 << 10    // lines of a file whose keys are all counted; later, one in 64 stands for as many
)

// Record reads a record. With a reason, nothing of it counts.
func (p *Parser) Record(parse Reading, record []byte) (reason string) {
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
		}
	}
	if reason = parse(p, record); reason != "" || len(p.Events) == len(before.Events) {
		before.Events, before.Keys = p.Events[:len(before.Events)], p.Keys
		p.Batch = before
	}
	p.Empty = reason != "" && reason == p.missing
	if reason == leftOut {
		return ""
	}
	return reason
}

// event appends an event to the request that begin began.
func (p *Parser) event(user uint64, article strategies.ID, at event.Moment, kind event.Kind) {
	p.Events = append(p.Events, event.Event{
		User: user, Article: article, Time: at.Seconds, Request: p.Requests - 1, Kind: kind, Nanos: at.Nanos,
	})
}

func (p *Parser) begin() { p.Requests++ }

// key is the digest of a key, or its number.
func (p *Parser) key(what string, key []byte) (digest uint64, reason string) {
	if p.filters || p.times > 0 {
		user := what == "user"
		if p.o.LeavesOut(user, key) {
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
		return 0, what + " " + shown.Value(key) + " is not a number below 2^64"
	}
	return digest, ""
}

// clock reads a time as the log writes it, or else in the format's own way.
func (p *Parser) clock(text []byte, own clock.Clock) (at event.Moment, reason string) {
	at.Seconds, at.Nanos, reason = cmp.Or(p.o.Clock, own).Read(text)
	return at, reason
}

// row takes in what was shown at once, or a part of it, by user, article, time, clicked and request, nil where there is
// none: consecutive parts of one user and request are one. articles, if not nil, stand in place of the article.
func (p *Parser) row(values [5][]byte, articles [][]byte) (reason string) {
	if articles == nil {
		if p.articles, reason = p.o.Articles(p.articles[:0], values[1]); reason != "" {
			return reason
		}
		articles = p.articles
	}
	user, noUser := p.key("user", values[0])
	at, noTime := p.clock(values[2], clock.Seconds)
	if p.times > 0 && noTime == "" {
		if hour, ok := p.o.Clock.Hour(values[2]); ok {
			p.Keys.Hour(hour)
		}
	}
	kind, noKind := clicked(bytes.TrimSpace(values[3]))
	if reason := cmp.Or(noUser, noTime, noKind); reason != "" || len(articles) == 0 {
		return reason
	}
	of := Key{}
	if values[4] != nil {
		of = Key{true, user, uint64(strategies.XXHash(values[4]))}
	}
	if len(p.Events) == 0 {
		p.Opening = of
	}
	if !of.Set || of != p.Final {
		p.begin()
	}
	p.Final = of
	for _, name := range articles {
		article, noArticle := p.key("article", name)
		if noArticle == leftOut {
			continue
		}
		if noArticle != "" {
			return noArticle
		}
		p.event(user, strategies.ID(article), at, kind)
	}
	return ""
}

// clicked is the answer that a column of clicks has.
func clicked(text []byte) (k event.Kind, reason string) {
	switch string(text) {
	case "1", "1.0", "true", "True", "TRUE":
		return event.Clicked, ""
	case "0", "0.0", "false", "False", "FALSE":
		return event.Ignored, ""
	case "":
		return event.Shown, ""
	}
	return 0, "clicked " + shown.Value(text) + " is neither 0, 1, true nor false"
}
