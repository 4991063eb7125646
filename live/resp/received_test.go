package resp

import (
	"errors"
	"fmt"
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
	for _, rest := range []string{command[17<<10:] + "*", command[1:]} { // which gives room back once it is answered
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

// Commands that take too long at a stop are cut off, without an answer.
func TestCutOff(t *testing.T) {
	w, _, address, stop := served(t, "", "stop_time: 100ms", nil)
	w.wait = make(chan struct{})
	defer close(w.wait)
	c := dial(t, address)
	fmt.Fprint(c.Conn, encoded("SHOW ann 1 a"))
	for w.calls[0].Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	strategytest.ErrorSays(t, "the end", stop(), "1 connections were cut off after 100ms")
	strategytest.Equal(t, c.answer(), "EOF", "after the end")
	l := strategytest.Value(net.Listen("tcp", "127.0.0.1:0"))
	l.Close()
	s := &Server{Traffic: traffic.New(limits(""), nil)}
	strategytest.ErrorSays(t, "closed", s.Serve(t.Context(), l, nil), "resp: accept")
}
