package format

import (
	"bytes"
	"cmp"
	"slices"
	"testing"

	"dejavu/strategies"
	"dejavu/workload/logs/clock"
	"dejavu/workload/logs/decision"
	"dejavu/workload/logs/event"
)

// Toy is an event a line: #toy time|user|article, the time in seconds.
const Toy decision.Format = "toy"

var toySyntax = &syntax{
	format:  Toy,
	matches: func(line []byte, _ *decision.Options) bool { return bytes.HasPrefix(line, []byte("#toy ")) },
	parse:   parseToy,
}

func parseToy(p *Parser, line []byte) (reason string) {
	fields := bytes.Split(bytes.TrimPrefix(line, []byte("#toy ")), []byte("|"))
	if len(fields) != 3 {
		return "not #toy time|user|article"
	}
	at, noTime := p.clock(fields[0], clock.Seconds)
	user, noUser := p.key("user", fields[1])
	article, noArticle := p.key("article", fields[2])
	p.begin()
	p.event(user, strategies.ID(article), at, event.Shown)
	return cmp.Or(noTime, noUser, noArticle) // with a reason, the event does not count
}

// A format is one syntax and one line of the list: the toy is named, told from the others, and read with its faults.
func TestToy(t *testing.T) {
	defer func(list []*syntax) { syntaxes = list }(syntaxes)
	syntaxes = slices.Insert(slices.Clone(syntaxes), 0, toySyntax)

	o, err := Options(decision.Options{Format: "TOY"})
	if o.Format != Toy || err != nil || !slices.Contains(Names(), Toy) {
		t.Errorf("the format is %q, %v; Names %v", o.Format, err, Names())
	}
	const text = "#toy 1573776000|7|1\n#toy 1573776000|7|2\n#toy 1573775999|8|1\n"
	want := []event.Event{
		{User: 7, Article: 1, Time: 1573776000},
		{User: 7, Article: 2, Time: 1573776000, Request: 1},
		{User: 8, Article: 1, Time: 1573775999, Request: 2},
	}
	got, faults, d := read(t, text+"#toy 1|2\n#toy now|7|1\n#toy 1||1\n#toy 1|7|", decision.Options{Numbered: true})
	if !slices.Equal(got, want) || len(faults) != 4 || d.Format != Toy {
		t.Errorf("%s: %+v, %q; want %+v and four faults", d.Format, got, faults, want)
	}
}
