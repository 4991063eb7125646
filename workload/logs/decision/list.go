package decision

import (
	"bytes"
	"strings"

	"dejavu/workload/logs/shown"
)

// listOf is how the articles of these fields are listed.
func listOf(column string, fields [][]byte) string {
	if strings.HasSuffix(column, ":token_seq") { // as RecBole writes it
		return " "
	}
	lists, filled := 0, 0
	for _, field := range fields {
		if field = bytes.TrimSpace(field); len(field) > 0 {
			filled++
			if field[0] == '[' && field[len(field)-1] == ']' {
				lists++
			}
		}
	}
	if filled > 0 && lists == filled {
		return Brackets
	}
	return NoList
}

// Articles appends the articles of a field to those of a list. One that is empty is none.
func (o *Options) Articles(list [][]byte, field []byte) (articles [][]byte, reason string) {
	between := o.List
	if between == Brackets {
		inside, opens := bytes.CutPrefix(bytes.TrimSpace(field), []byte{'['})
		inside, closes := bytes.CutSuffix(inside, []byte{']'})
		if !opens || !closes {
			return nil, "article " + shown.Value(field) + " is not a list in brackets (--list none takes it for one article)"
		}
		if field, between = inside, " "; bytes.IndexByte(inside, ',') >= 0 {
			between = ","
		}
	}
	for more := true; more; {
		var article []byte
		article, field, more = bytes.Cut(field, []byte(between))
		article = bytes.TrimSpace(article)
		if o.List == Brackets {
			article = bytes.Trim(article, `"'`)
		}
		if len(article) > 0 {
			list = append(list, article)
		}
	}
	return list, ""
}
