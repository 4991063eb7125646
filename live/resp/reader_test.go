package resp

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"dejavu/live/traffic"
	"dejavu/strategies/strategytest"
)

// read returns all commands of a text that comes in pieces of a length, and the error that ended it.
func read(t testing.TB, in *traffic.Traffic, text []byte, each int) (commands []string, err error) {
	r, from := reader{t: in, most: 2048}, bytes.NewReader(text)
	for err == nil {
		var words [][]byte
		if words, err = r.next(); words != nil {
			commands = append(commands, fmt.Sprintf("%q", words))
			continue
		}
		if err == nil {
			err = r.fill(io.LimitReader(from, int64(each)))
		}
		strategytest.AtMost(t, cap(r.buf), 4096, "bytes of room for commands of 2048")
	}
	r.free()
	strategytest.Equal(t, r.buf == nil, true, "memory is given back")
	return commands, err
}

// Commands are found in arrays and in lines, whatever pieces they come in, and what is none ends with an error.
func TestReader(t *testing.T) {
	in := traffic.New(limits(""), nil)
	for text, want := range map[string]string{
		"*2\r\n$3\r\nGET\r\n$1\r\na\r\n*1\r\n$0\r\n\r\n":                       `[["GET" "a"] [""]] EOF`,
		"*0\r\n*-1\r\n\r\n  \r\nPING  a\r\n\nb\n":                              `[["PING" "a"] ["b"]] EOF`,
		"*2\r\n$1\r\na\r\n$1\r\nb\r\n*3\r\n$1\r\nc\r\n$1\r\nd\r\n$2\r\nef\r\n": `[["a" "b"] ["c" "d" "ef"]] EOF`,
		"*1\r\n$1\r\na\rb":                     "[] Protocol error: 1 bytes are not followed by the end of a line",
		"a\u00a0\u2003b \x85\v\xa0c\n":         `[["a\u00a0\u2003b" "\x85" "\xa0c"]] EOF`,
		"a \"b c\"\r\n":                        "[] Protocol error: quotes in a line, want an array of words",
		"*1\r\n$2\r\n\r\n\r\n":                 `[["\r\n"]] EOF`,
		"*1\r\n$9223372036854775807\r\n":       "[] Protocol error: a command is too long, want at most 2048 bytes",
		"*1\r\n$18446744073709551617\r\na\r\n": "[] Protocol error: a command is too long, want at most 2048 bytes",
		"*1000000000000\r\n":                   "[] Protocol error: a command is too long, want at most 2048 bytes",
		"*341\r\n":                             "[] EOF",
		"*342\r\n":                             "[] Protocol error: a command is too long, want at most 2048 bytes",
		"*2\r\n$1000\r\n" + strings.Repeat("a", 1000) + "\r\n$1100\r\n": "[] Protocol error: a command is too long, " +
			"want at most 2048 bytes",
		"*1\r\n$-1\r\n":                "[] Protocol error: invalid bulk length",
		"*1\r\n:1\r\n":                 "[] Protocol error: expected '$', got \":1\"",
		"*1\r\n\r\n":                   "[] Protocol error: expected '$', got \"\"",
		"*x\r\n":                       "[] Protocol error: invalid length \"*x\"",
		"*\r\n":                        "[] Protocol error: invalid length \"*\"",
		"*1\r\n$1\r\nabc":              "[] Protocol error: 1 bytes are not followed by the end of a line",
		"*" + strings.Repeat("0", 31):  "[] Protocol error: a line of more than 32 bytes",
		"*" + strings.Repeat("0", 30):  "[] EOF",
		strings.Repeat("a", 4096):      "[] Protocol error: a line of more than 4096 bytes",
		strings.Repeat("a", 4095):      "[] EOF",
		"*2\r\n$3\r\nGET\r\n$1\r\n":    "[] EOF",
		"*1\r\n$4\r\nPING\r\n*1\r\n$x": `[["PING"]] EOF`,
	} {
		for _, each := range []int{1, 7, 30, 10_000} {
			commands, err := read(t, in, []byte(text), each)
			got := fmt.Sprintf("[%s] %v", strings.Join(commands, " "), err)
			strategytest.Equal(t, got, want, "%.50q in pieces of %d", text, each)
		}
	}
}

// Commands do not depend on the pieces that they come in, and can be written again and read.
func FuzzReader(f *testing.F) {
	in := traffic.New(limits(""), nil)
	f.Add([]byte("*2\r\n$3\r\nGET\r\n$1\r\na\r\nPING a\r\n"), 3)
	f.Add([]byte("*1\r\n$9223372036854775807\r\n"), 1)
	f.Add([]byte("*-1\r\n\r\n*1000000000000\r\n"), 5)
	f.Add([]byte("*1\n$70\n"+strings.Repeat("0", 57)), -16) // those that five minutes of it found new
	f.Add([]byte("0\n0\n0 0\n0 0 0 0 0\n0 0\n0\n0"), -304)
	f.Fuzz(func(t *testing.T, text []byte, each int) {
		commands, err := read(t, in, text, len(text)+1)
		again, err2 := read(t, in, text, 1+int(uint(each)%100))
		strategytest.Equal(t, fmt.Sprint(again, err2), fmt.Sprint(commands, err), "in pieces")
		var out reply
		r := reader{t: in, most: 2048}
		for r.buf = text; ; {
			words, err := r.next()
			if words == nil || err != nil {
				break
			}
			out.array(len(words))
			for _, w := range words {
				out.bulk(w)
			}
		}
		// A line of words becomes longer, and may then be too long.
		if same, err := read(t, in, out.out, 1<<20); err == io.EOF && fmt.Sprint(same) != fmt.Sprint(commands) {
			t.Errorf("%s, written again %s", commands, same)
		}
	})
}
