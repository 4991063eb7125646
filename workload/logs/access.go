package logs

import (
	"bytes"
	"cmp"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"
)

// accessTime matches a line with the time and the request of an access log, whatever comes before.
var accessTime = regexp.MustCompile(`^\S.* \[\d\d/[A-Z][a-z]{2}/\d{4}(?::\d\d){3} [+-]\d{4}\] "`)

// accessLine has groups for virtual host and address, or address alone, then user, time, request and status. An address
// behind a virtual host has a point or a colon, so that a user's name of two words is none.
var accessLine = regexp.MustCompile(
	`^(?:(\S+) (\S*[.:]\S*)|(\S+)) \S+ (\S+) \[([^\]]*)\] "((?:[^"\\]|\\.)*)" (\S+)(?: .*)?$`)

// proxies is what helps if proxies are named beside the address.
const proxies = `: sed -E 's/^([^ ,]+),? .* - - \[/\1 - - [/' FILE leaves the first address of a line alone`

// address returns a host without the port, or why it is not the only one. Behind a virtual host it must be an address.
func address(site, host string) (alone, reason string) {
	alone = strings.Trim(host, "[]")
	if port, err := netip.ParseAddrPort(host); err == nil {
		alone = port.Addr().String()
	}
	_, isBare := netip.ParseAddr(strings.Trim(site, "[]"))
	_, isPort := netip.ParseAddrPort(site)
	switch {
	case strings.Contains(site+host, ","):
		return "", fmt.Sprintf("%.40q are several addresses, of which one is the user's%s", site+" "+host, proxies)
	case isBare == nil || isPort == nil || site == "-":
		return "", fmt.Sprintf("%.40q and %.40q may both be the user's address%s", site, host, proxies)
	}
	return alone, ""
}

func readAccess(p *parser, line []byte) (reason string) {
	fields := accessLine.FindSubmatch(line)
	if fields == nil {
		if accessTime.Match(line) && bytes.Contains(line[:min(len(line), 200)], []byte(", ")) {
			return fmt.Sprintf("%.40q begins with several addresses, of which one is the user's%s", line, proxies)
		}
		return fmt.Sprintf(`%.40q is not like address ident user [time] "request" status bytes`, line)
	}
	site := string(fields[1])
	host, several := address(site, string(fields[2])+string(fields[3])) // one of which is empty
	if several != "" {
		return several
	}
	user := []byte(host)
	if string(fields[4]) != "-" {
		user = fields[4]
	}
	target, isGet := bytes.CutPrefix(fields[6], []byte("GET "))
	if protocol := bytes.LastIndex(target, []byte(" HTTP/")); protocol >= 0 {
		target = target[:protocol]
	}
	p.articles = p.articles[:0]
	if isGet && slices.Contains([]string{"200", "206", "304"}, string(fields[7])) {
		p.articles = append(p.articles, slices.Concat(fields[1], target))
	}
	reason = p.row(user, fields[5], nil, p.articles)
	if !isGet && cmp.Or(reason, leftOut) == leftOut {
		p.otherMethods++
	}
	return reason
}
