package format

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"

	"dejavu/strategies"
	"dejavu/workload/logs/clock"
	"dejavu/workload/logs/decision"
	"dejavu/workload/logs/event"
	"dejavu/workload/logs/shown"
)

// Access is a web server's log in the Common Log Format or its combined form: host, ident, user, [time], "request",
// status, bytes, and what may follow. The user is the one who logged in, or else the host. The article is what was
// asked for, as it stands, behind the virtual host where the line begins with one, and Clicked where a GET was answered
// with it (200, 206 or 304). Other lines are passed over.
const Access decision.Format = "access"

var accessSyntax = &syntax{
	format: Access,
	matches: func(line []byte, _ *decision.Options) bool {
		fields := accessLine.FindSubmatch(line)
		if fields == nil {
			return false
		}
		_, _, reason := clock.English.Read(fields[5])
		return reason == ""
	},
	parse: parseAccess,
}

// accessLine has groups for virtual host and host, or host alone, then user, time, request and status. A host behind a
// virtual one has a point or a colon, so that a user's name of two words is none.
var accessLine = regexp.MustCompile(
	`^(?:(\S+) (\S*[.:]\S*)|(\S+)) \S+ (\S+) \[([^\]]*)\] "((?:[^"\\]|\\.)*)" (\S+)(?: .*)?$`)

func parseAccess(p *Parser, line []byte) (reason string) {
	fields := accessLine.FindSubmatch(line)
	if fields == nil {
		return shown.Value(line) + ` is not like host ident user [time] "request" status bytes`
	}
	site, name := fields[1], slices.Concat(fields[2], fields[3]) // one of which is empty
	if string(fields[4]) != "-" {
		name = fields[4]
	}
	at, noTime := p.clock(fields[5], clock.English)
	user, noUser := p.key("user", name)
	target, isGet := bytes.CutPrefix(fields[6], []byte("GET "))
	isAnswered := slices.Contains([]string{"200", "206", "304"}, string(fields[7]))
	if reason := cmp.Or(noTime, noUser); reason != "" || !isGet || !isAnswered {
		return reason
	}
	if protocol := bytes.LastIndex(target, []byte(" HTTP/")); protocol >= 0 {
		target = target[:protocol]
	}
	article, noArticle := p.key("article", slices.Concat(site, target))
	p.begin()
	p.event(user, strategies.ID(article), at, event.Clicked)
	return noArticle
}
