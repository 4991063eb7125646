package logs

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"github.com/valyala/fastjson"

	"dejavu/internal/plural"
)

// object parses a line, or returns why it is not an object. The object is valid until the next call.
func object(parser *fastjson.Parser, line []byte) (o *fastjson.Object, reason string) {
	v, err := parser.ParseBytes(line)
	if err != nil {
		return nil, fmt.Sprintf("JSON: %.100s", err) // the error begins with its place, which may be deep
	}
	if o = v.GetObject(); o == nil {
		return nil, fmt.Sprintf("JSON: %.40q is no object", line)
	}
	return o, ""
}

// members finds the members with these names; a.b is member b of member a. It returns a reason if one occurs twice.
func members(o *fastjson.Object, names *[4]string, found *[4]*fastjson.Value) (reason string) {
	o.Visit(func(key []byte, v *fastjson.Value) {
		for i, name := range names {
			switch rest, isInside := strings.CutPrefix(name, string(key)); {
			case name == "" || !isInside:
			case rest == "" && found[i] != nil:
				reason = fmt.Sprintf("JSON: two values of %.40q", name)
			case rest == "":
				found[i] = v
			case rest[0] == '.' && v.Type() == fastjson.TypeObject:
				var inner [4]string
				inner[i] = rest[1:]
				reason = cmp.Or(reason, members(v.GetObject(), &inner, found))
			}
		}
	})
	return reason
}

// text returns a string or a number as text, nil for null or no value, or the reason why it is none of these.
func (p *parser) text(what string, v *fastjson.Value) (text []byte, reason string) {
	if v == nil || v.Type() == fastjson.TypeNull {
		return nil, ""
	}
	switch v.Type() {
	case fastjson.TypeString:
		return v.GetStringBytes(), ""
	case fastjson.TypeNumber:
		from := len(p.numbers)
		p.numbers = v.MarshalTo(p.numbers)
		return p.numbers[from:], ""
	}
	return nil, fmt.Sprintf("JSON: %s is %.40q, want a string or a number", what, v.MarshalTo(nil))
}

func readJSON(p *parser, line []byte) (reason string) {
	o, reason := object(&p.json, line)
	if reason != "" {
		return reason
	}
	c := &p.o.Columns
	names := [4]string{c.User, c.Article, c.Time, c.Request}
	var found [4]*fastjson.Value
	if reason = members(o, &names, &found); reason != "" {
		return reason
	}
	p.numbers = p.numbers[:0]
	var values [4][]byte
	var articles [][]byte
	for i, v := range found {
		if i == 1 && v != nil && v.Type() == fastjson.TypeArray {
			articles, reason = p.array(v)
		} else if values[i], reason = p.text(names[i], v); i == 1 && reason == "" {
			articles, reason = p.list(values[i])
		}
		if reason != "" {
			return reason
		}
	}
	return p.row(values[0], values[2], values[3], articles)
}

// array returns the elements of an array, or why they are not articles.
func (p *parser) array(list *fastjson.Value) (articles [][]byte, reason string) {
	p.articles = p.articles[:0]
	for _, v := range list.GetArray() {
		text, reason := p.text("an article", v)
		if reason != "" {
			return nil, reason
		}
		p.articles = append(p.articles, text)
	}
	return p.articles, ""
}

// list returns the articles in a field, or why it is not a list.
func (p *parser) list(field []byte) (articles [][]byte, reason string) {
	if p.o.List != JSONList {
		p.articles = append(p.articles[:0], field)
		return p.articles, ""
	}
	v, err := p.lists.ParseBytes(field)
	if err != nil || v.Type() != fastjson.TypeArray {
		return nil, fmt.Sprintf("article %.40q is no JSON array (--list %s takes it for one article)", field, NoList)
	}
	return p.array(v)
}

// decideJSON decides how JSON that begins with this text is read, by the members of its first lines.
func (o *Options) decideJSON(text []byte) error {
	s := &sample{}
	fault, isNested := "", false
	var parser fastjson.Parser
	for _, line := range firstLines(text) {
		found, reason := object(&parser, line)
		if reason != "" {
			fault = cmp.Or(fault, reason)
			continue
		}
		s.values = append(s.values, make([][]byte, len(s.names)))
		s.members("", found, &isNested)
	}
	if len(s.names) == 0 {
		return errors.New("the first lines are not JSON objects: " + fault)
	}
	if q := o.Columns.Request; q != "" && !slices.Contains(s.names, q) { // lines may lack it
		s.names = append(s.names, q)
	}
	at, err := s.choose(&o.Columns)
	if err != nil && isNested {
		return fmt.Errorf("%w; a DuckDB query of docs/logs.md writes nested events as a table", err)
	}
	if err != nil {
		return err
	}
	return s.settle(o, at)
}

// members adds the members of an object to the last line of the sample, and members of inner objects as a.b. It sets
// isNested if one is a list of objects.
func (s *sample) members(outer string, o *fastjson.Object, isNested *bool) {
	last := &s.values[len(s.values)-1]
	o.Visit(func(key []byte, v *fastjson.Value) {
		name := outer + string(key)
		if v.Type() == fastjson.TypeObject && strings.Count(name, ".") < 4 {
			s.members(name+".", v.GetObject(), isNested)
			return
		}
		list := v.GetArray()
		*isNested = *isNested || len(list) > 0 && list[0].Type() == fastjson.TypeObject
		at := slices.Index(s.names, name)
		if at < 0 {
			if len(s.names) == mostNames {
				return
			}
			at = len(s.names)
			s.names, *last = append(s.names, name), append(*last, nil)
		}
		value, _ := (&parser{}).text("", v)
		(*last)[at] = bytes.Clone(value[:min(len(value), mostBytes)])
	})
}

// accessTime matches the beginning of a line up to the time and the request of an access log.
var accessTime = regexp.MustCompile(`^\S.* \[\d\d/[A-Z][a-z]{2}/\d{4}(?::\d\d){3} [+-]\d{4}\] "`)

// accessLine has groups for virtual host and address, or address alone, then user, time, request and status. An address
// after a virtual host contains a point or a colon, so that it is not the first word of a user's name.
var accessLine = regexp.MustCompile(
	`^(?:(\S+) (\S*[.:]\S*)|(\S+)) \S+ (\S+) \[([^\]]*)\] "((?:[^"\\]|\\.)*)" (\S+)(?: .*)?$`)

const proxies = `: sed -E 's/^([^ ,]+),? .* - - \[/\1 - - [/' FILE leaves the first address of a line alone`

// address returns a host without its port, and whether it is an address. ::ffff:203.0.113.7 is 203.0.113.7.
func address(host string) (alone string, is bool) {
	alone = strings.Trim(host, "[]")
	if port, err := netip.ParseAddrPort(host); err == nil {
		alone = port.Addr().String()
	}
	if ip, err := netip.ParseAddr(alone); err == nil {
		return ip.Unmap().String(), true
	}
	return alone, false
}

// forwarded matches the field X-Forwarded-For that nginx writes at the end of a line, with addresses in it.
var forwarded = regexp.MustCompile(`" "(\d+\.\d+\.\d+\.\d+|[0-9a-fA-F]*:[0-9a-fA-F:.]*:[0-9a-fA-F:.]*)[,"]`)

func readAccess(p *parser, line []byte) (reason string) {
	if who, _, _ := bytes.Cut(line, []byte(" [")); bytes.IndexByte(who, ',') >= 0 && accessTime.Match(line) {
		return fmt.Sprintf("%.40q begins with several addresses, of which one is the user's%s", line, proxies)
	}
	fields := accessLine.FindSubmatch(line)
	if fields == nil {
		return fmt.Sprintf(`%.40q is not like address ident user [time] "request" status bytes`, line)
	}
	host, _ := address(string(fields[2]) + string(fields[3])) // one of which is empty
	if _, isAddress := address(string(fields[1])); isAddress || string(fields[1]) == "-" {
		return fmt.Sprintf("%.40q and %.40q may both be the user's address%s", fields[1], host, proxies)
	}
	if proxied := forwarded.FindSubmatch(line); proxied != nil {
		return fmt.Sprintf(`%q at the end may be the user's address: sed -E 's/^[^ ]+ (.*) "([0-9a-fA-F.:]+)[^"]*"$/\2 \1/' `+
			`FILE puts it first, and sed -E 's/ "[^"]*"$//' FILE leaves it out`, proxied[1])
	}
	who := []byte(host)
	if string(fields[4]) != "-" {
		who = fields[4]
	}
	target, isGet := bytes.CutPrefix(fields[6], []byte("GET "))
	if protocol := bytes.LastIndex(target, []byte(" HTTP/")); protocol >= 0 {
		target = target[:protocol]
	}
	p.articles = p.articles[:0]
	if isGet && slices.Contains([]string{"200", "206", "304"}, string(fields[7])) {
		p.articles = append(p.articles, slices.Concat(fields[1], target))
	}
	reason = p.row(who, fields[5], nil, p.articles)
	p.isOther = !isGet && (reason == "" || reason == leftOut)
	return reason
}

var (
	mindLine   = regexp.MustCompile(`^[^\t]*\t[^\t]*\t\d\d?/\d\d?/\d{4} [\d:]+ [AP]M\t[^\t]*\t`)
	mindHeader = regexp.MustCompile(
		`(?i)^ *impression[^\t]*\t *user[^\t]*\t *time[^\t]*\t *history[^\t]*\t *impression[^\t]*$`)
)

func readMIND(p *parser, line []byte) (reason string) {
	fields := bytes.SplitN(line, []byte{'\t'}, 6)
	if len(fields) < 5 || len(fields) == 6 && !blank(fields[5]) {
		return plural.Of(len(fields), "field", "fields") +
			" between tabs, want 5: impression, user, time, history, impressions"
	}
	p.articles = p.articles[:0]
	for name := range bytes.FieldsSeq(fields[4]) {
		if dash := bytes.LastIndexByte(name, '-'); dash >= 0 {
			if label := string(name[dash:]); label != "-0" && label != "-1" {
				return fmt.Sprintf("impression %.40q ends in neither -0 nor -1", name)
			}
			name = name[:dash]
		}
		p.articles = append(p.articles, name)
	}
	return p.row(fields[1], fields[2], nil, p.articles)
}
