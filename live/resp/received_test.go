package resp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dejavu/live/traffic"
	"dejavu/strategies/strategytest"
)

// Memory for received requests is bounded for all together, and released when a connection ends.
func TestReceived(t *testing.T) {
	_, in, address, _ := served(t, "", "body_bytes: 40960, requests_at_once: 1", nil)
	command := encoded("PING " + strings.Repeat("a", 18<<10))
	first := dial(t, address)
	fmt.Fprint(first.Conn, command[:17<<10])
	received := func(want float64) {
		t.Helper()
		n := -1.0
		for end := time.Now().Add(10 * time.Second); n != want && time.Now().Before(end); time.Sleep(time.Millisecond) {
			n = counted(in, "dejavu_received_bytes")
		}
		strategytest.Equal(t, n, want, "bytes that are counted")
	}
	received(32 << 10)
	second := dial(t, address)
	fmt.Fprint(second.Conn, command)
	const full = "-ERR 40960 bytes of requests are being received, try again 1"
	got := fmt.Sprint(second.answer(), " ", counted(in, "dejavu_refused_total", "503"))
	strategytest.Equal(t, got, full, "what does not fit, and is counted")
	for _, rest := range []string{command[17<<10:] + "*", command[1:]} { // whose bytes are given back once it is answered
		fmt.Fprint(first.Conn, rest)
		strategytest.Equal(t, len(first.answer()), 18<<10, "bytes of an answer")
	}
	received(0)
	fmt.Fprint(first.Conn, strings.TrimSuffix(command, "\r\n")+"  ")
	strategytest.Contains(t, first.answer(), "18432 bytes are not followed by the end of a line", "a command")
	began := time.Now()
	received(0)
	strategytest.AtMost(t, time.Since(began), 900*time.Millisecond, "the time, as the connection stays for a second")
	second = dial(t, address)
	fmt.Fprint(second.Conn, command[:17<<10])
	received(32 << 10)
	second.Close()
	received(0)
	// A command whose bytes come one by one has no more time than another.
	slow := dial(t, address)
	for range 20 {
		fmt.Fprint(slow.Conn, "P")
		time.Sleep(50 * time.Millisecond)
	}
	_ = slow.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	err := strategytest.ErrorOf(slow.ReadByte())
	strategytest.Equal(t, err == nil || errors.Is(err, os.ErrDeadlineExceeded), false, "it stays: %v", err)
}

// Large commands of many callers at once get their own answers: no memory is used again while it is in use.
func TestRoom(t *testing.T) {
	_, _, address, _ := served(t, "", "body_bytes: 1048576, requests_at_once: 64, read_time: 1m", nil)
	var callers sync.WaitGroup
	for n := range 8 {
		c := dial(t, address)
		callers.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(n)))
			for range 20 {
				var lines, want []string
				for range 1 + r.IntN(4) {
					word := strings.Repeat(string(rune('a'+n)), 1+r.IntN(1<<(10+r.IntN(7))))
					lines, want = append(lines, "ECHO "+word), append(want, word)
				}
				strategytest.Equal(t, slices.Equal(c.ask(lines...), want), true, "caller %d gets its own", n)
			}
			// The received part of the next command stays.
			fmt.Fprint(c.Conn, encoded("ECHO "+strings.Repeat("b", 20_000))+"*2\r\n$4\r\nECHO\r\n")
			first := c.answer()
			fmt.Fprint(c.Conn, "$1\r\nx\r\n")
			strategytest.Equal(t, fmt.Sprint(len(first), " ", c.answer()), "20000 x", "bytes, then what caller %d gets", n)
		})
	}
	callers.Wait()
}

// Who does not read answers is cut off after write_time, or when all unread ones take too much. Others are answered.
func TestUnread(t *testing.T) {
	_, in, address, _ := served(t, "", "body_bytes: 1048576, write_time: 1s", nil)
	echo := encoded("ECHO " + strings.Repeat("a", 1000_000))
	var unread sync.WaitGroup
	for range 12 { // a door takes 1 MiB of answers that wait
		c := dial(t, address)
		_ = c.Conn.(*net.TCPConn).SetReadBuffer(2048)
		unread.Go(func() {
			for err := error(nil); err == nil; {
				_, err = c.Write([]byte(echo))
			}
		})
	}
	other := dial(t, address)
	for counted(in, "dejavu_connections_displaced_total") == 0 {
		strategytest.Contains(t, other.ask("SHOW ann 1 a")[0], "[", "another caller's answer")
	}
	began := time.Now()
	unread.Wait() // who does not read does not stay
	strategytest.AtMost(t, time.Since(began), 10*time.Second, "the time to read, of a second")
	for range 4 { // each answer has its own time
		time.Sleep(300 * time.Millisecond)
		strategytest.Equal(t, other.ask("PING")[0], "PONG", "another caller's answer")
	}
}

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
		"*1\r\n$1\r\nab\n":                     "[] Protocol error: 1 bytes are not followed by the end of a line",
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

// Commands do not depend on the pieces that they come in.
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
	})
}
