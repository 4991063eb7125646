// Package shown shows what a log says in messages about it.
package shown

import "strconv"

// Value is a value in quotes, at most 40 bytes of it.
func Value(value []byte) string {
	if len(value) > 40 {
		return strconv.Quote(string(value[:40])) + "..."
	}
	return strconv.Quote(string(value))
}
