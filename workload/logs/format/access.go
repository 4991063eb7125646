package format

import (
	"bytes"
	"cmp"

	"dejavu/strategies"
	"dejavu/workload/logs/clock"
	"dejavu/workload/logs/decision"
	"dejavu/workload/logs/event"
	"dejavu/workload/logs/shown"
)

// Access is a web server's log in the Common Log Format or its combined form: host, ident, user, [time], "request",
// status, bytes, and what may follow. The user is the one who logged in, or else the host. The article is what was
// asked for, as it stands, and Clicked where a GET was answered with it (200, 206 or 304). Other lines are passed over.
const Access decision.Format = "access"

var accessSyntax = &syntax{
	format: Access,
	matches: func(line []byte, _ *decision.Options) bool {
		a, ok := accessOf(line)
		_, _, reason := clock.English.Read(a.at)
		return ok && reason == ""
	},
	parse: parseAccess,
}

// An access is the fields of a line.
type access struct{ user, at, method, target, status []byte }

func accessOf(line []byte) (a access, ok bool) {
	head, rest, _ := bytes.Cut(line, []byte(" ["))
	who := bytes.Fields(head)
	a.at, rest, ok = bytes.Cut(rest, []byte(`] "`))
	end := 0
	for end < len(rest) && rest[end] != '"' {
		if rest[end] == '\\' { // and what it stands before
			end++
		}
		end++
	}
	if !ok || len(who) < 3 || end >= len(rest) {
		return a, false
	}
	if a.user = who[len(who)-1]; string(a.user) == "-" {
		a.user = who[len(who)-3]
	}
	a.method, a.target, _ = bytes.Cut(rest[:end], []byte{' '})
	if protocol := bytes.LastIndex(a.target, []byte(" HTTP/")); protocol >= 0 {
		a.target = a.target[:protocol]
	}
	after := bytes.Fields(rest[end+1:])
	if len(after) == 0 {
		return a, false
	}
	a.status = after[0]
	return a, true
}

func parseAccess(p *Parser, line []byte) (reason string) {
	a, ok := accessOf(line)
	if !ok {
		return shown.Value(line) + ` is not like host ident user [time] "request" status bytes`
	}
	at, noTime := p.clock(a.at, clock.English)
	user, noUser := p.key("user", a.user)
	if reason := cmp.Or(noTime, noUser); reason != "" || string(a.method) != "GET" {
		return reason
	}
	switch string(a.status) {
	case "200", "206", "304":
	default:
		return ""
	}
	article, noArticle := p.key("article", a.target)
	p.begin()
	p.event(user, strategies.ID(article), at, event.Clicked)
	return noArticle
}
