//go:build unix

package logs_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"dejavu/strategies/strategytest"
	"dejavu/workload/logs"
)

// hostile makes malicious files of n bytes.
var hostile = []struct {
	name string
	o    logs.Options
	make func(n int) []byte
}{
	{"quotes that open on every line and close on the next", table, lines("a\",b,\"c\n")},
	{"quotes that never close", table, lines("1,\"2,3\n")},
	{"a quote a line", table, lines("\"\n")},
	{"quotes alone", table, repeat("\"")},
	{"quoted fields over many lines", table, lines("\",\"\n")},
	{"one open quote and then good lines", table, after("1,\"2,3\n", good)},
	{"quotes over a long last line", table, func(n int) []byte {
		return append(lines("a\",b,\"c\n")(n/2), repeat("x")(n/2)...)
	}},
	{"long quoted lines", table, lines("1,\"" + strings.Repeat("y", 200_000) + "\n")},
	{"records of the longest length", table, lines("1,2,\"" + strings.Repeat("\n", 1<<20-10) + "\",\n")},
	{"one line", table, repeat("x")},
	{"commas in one line", table, repeat(",")},
	{"lines of many commas", table, lines(strings.Repeat(",", 60_000) + "\n")},
	{"empty lines", table, lines("\n")},
	{"carriage returns", table, repeat("\r")},
	{"zeros", table, repeat("\x00")},
	{"a header of a million columns", logs.Options{Format: logs.CSV}, repeat("a,")},
	{"times of many digits", table, lines("1,2," + strings.Repeat("9", 100_000) + "\n")},
	{"noise", table, noise},
	{"noise packed as zstd", table, func(n int) []byte { return append([]byte("\x28\xb5\x2f\xfd"), noise(n)...) }},
	{"impressions of a byte", logs.Options{Format: logs.MIND}, lines(narrow + "\n")},
	{"impressions of a byte, and a fault", logs.Options{Format: logs.MIND}, lines(narrow + "-1\n")},
	{"tabs in one line", logs.Options{}, repeat("\t1")},
	{"brackets that open", objects, lines(`{"x":` + strings.Repeat("[", 500_000) + "\n")},
	{
		"backslashes and quotes", objects, lines(member + strings.Repeat(`\"`, 250_000) + `","time":1,"id":2}` + "\n"),
	},
	{
		"backslashes", objects, lines(member + strings.Repeat(`\`, 500_000) + `","time":1,"id":2}` + "\n"),
	},
	{"many empty gzip members", table, func(n int) []byte { return repeat(string(pack(".gz", nil)))(n) }},
	{"many frames of zstd to be skipped", table, repeat("\x50\x2a\x4d\x18\x00\x00\x00\x00")},
	{"a bomb of one line", table, func(n int) []byte { return pack(".zst", repeat("x")(40*n)) }},
	{"a bomb of lines", table, func(n int) []byte {
		return pack(".gz", append([]byte(good), lines("1,\"2,3\n")(10*n)...))
	}},
}

// narrow is a line of MIND with very many impressions.
var narrow = "1\tU\t11/15/2019 8:55:22 AM\t\t" + strings.Repeat("N ", 1<<19-100)

const member = `{"user":"`

var objects = logs.Options{Format: logs.JSON, Clock: "s", List: "none"}

var table = logs.Options{
	Format: logs.CSV, Comma: ",", NoHeader: true, Clock: "s", List: "none",
	Columns: logs.Columns{User: "1", Article: "2", Time: "3"},
}

// good begins a table, so that the text after it is read.
const good = "1,2,3\n"

func repeat(text string) func(n int) []byte {
	return func(n int) []byte { return bytes.Repeat([]byte(text), n/len(text)) }
}

// lines returns at least three whole lines.
func lines(text string) func(n int) []byte {
	return func(n int) []byte { return bytes.Repeat([]byte(text), max(n/len(text), 3)) }
}

func after(first, text string) func(n int) []byte {
	return func(n int) []byte { return append([]byte(first), repeat(text)(n)...) }
}

func noise(n int) []byte {
	text := make([]byte, n)
	rand.NewChaCha8([32]byte{17}).Read(text)
	for i := 20; i < len(text); i += 20 {
		text[i] = "\n\",\n\""[i/20%5]
	}
	return text
}

// processor returns the processor time of the process.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// The wait for a pipe that nobody writes to ends with the context.
func TestPipe(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	strategytest.Must(t, syscall.Mkfifo(name, 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, remove, err := logs.Files(ctx, name)
	remove()
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, want %v", err, context.DeadlineExceeded)
	}
}

// A hostile file of a MB ends soon, and with a message or events. A MB of quotes once took
// five minutes; ten seconds of processor time are for the slowest machine.
func TestHostile(t *testing.T) {
	for _, c := range hostile {
		text := c.make(1 << 20)
		isPacked := strings.Contains(c.name, "zstd") || strings.Contains(c.name, "gzip") || strings.Contains(c.name, "bomb")
		if c.o.NoHeader && !isPacked {
			text = append([]byte(good), text...)
		}
		c.o.MaxFaults = math.MaxInt
		begin := processor()
		l := strategytest.Value(logs.New(bytes.NewReader(text), "log", c.o))
		for range l.Requests() {
		}
		err := l.Close()
		if took := processor() - begin; took > 10*time.Second {
			t.Errorf("%s: %d bytes took %v", c.name, len(text), took)
		}
		isEmpty := strings.Contains(c.name, "gzip members") || strings.Contains(c.name, "skipped")
		if err == nil && l.Counts().Lines == 0 && !isEmpty {
			t.Errorf("%s: nothing was found, and nothing said", c.name)
		}
		if err != nil && len(err.Error()) > 1000 {
			t.Errorf("%s: a message of %d bytes", c.name, len(err.Error()))
		}
	}
}
