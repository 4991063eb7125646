//go:build unix

package logs_test

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"dejavu/workload/logs"
)

// go test ./workload/logs -run Hostile -v -hostile 25 reads each hostile file with so many
// MB, and with four times as many, and prints how much longer that took.
var hostileSize = flag.Int("hostile", 0, "MB of the smaller hostile files that are measured; 0 reads 1 MB of each")

// hostile are files that nobody means well with, so many bytes of each.
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
	{"impressions of a byte", logs.Options{Format: logs.MIND}, lines("1\tU\t11/15/2019 8:55:22 AM\t\t" + strings.Repeat("N ", 1<<19-100) + "\n")},
	{"impressions of a byte, and a fault", logs.Options{Format: logs.MIND}, lines("1\tU\t11/15/2019 8:55:22 AM\t\t" + strings.Repeat("N ", 1<<19-100) + "-1\n")},
	{"tabs in one line", logs.Options{}, repeat("\t1")},
	{"an endless session", logs.Options{Format: logs.OTTO}, after(`{"session":1,"events":[`, `{"aid":1,"ts":1,"type":"carts"},`)},
	{"sessions of many lists", logs.Options{Format: logs.OTTO}, lines(`{"session":1,` + strings.Repeat(`"events":[{"aid":1,"ts":1,"type":"carts"}],`, 20_000) + `"x":1}` + "\n")},
	{"brackets that open", logs.Options{Format: logs.Adressa}, lines(`{"x":` + strings.Repeat("[", 500_000) + "\n")},
	{"backslashes and quotes", logs.Options{Format: logs.Adressa}, lines(`{"userId":"` + strings.Repeat(`\"`, 250_000) + `","time":1,"id":2}` + "\n")},
	{"backslashes", logs.Options{Format: logs.Adressa}, lines(`{"userId":"` + strings.Repeat(`\`, 500_000) + `","time":1,"id":2}` + "\n")},
	{"many empty gzip members", table, func(n int) []byte { return bytes.Repeat(pack(".gz", nil), n/len(pack(".gz", nil))) }},
	{"many frames of zstd to be skipped", table, repeat("\x50\x2a\x4d\x18\x00\x00\x00\x00")},
	{"a bomb of one line", table, func(n int) []byte { return pack(".zst", repeat("x")(40*n)) }},
	{"a bomb of lines", table, func(n int) []byte { return pack(".gz", append([]byte(good), lines("1,\"2,3\n")(10*n)...)) }},
}

var table = logs.Options{Format: logs.CSV, Comma: ",", NoHeader: true, Clock: logs.Seconds}

// good begins a table, so that what follows it is read.
const good = "1,2,3\n"

func repeat(text string) func(n int) []byte {
	return func(n int) []byte { return bytes.Repeat([]byte(text), n/len(text)) }
}

// lines are whole lines, three at the least.
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

func pack(suffix string, text []byte) []byte {
	var b bytes.Buffer
	w, err := logs.Pack(&b, suffix)
	if err != nil {
		panic(err)
	}
	if _, err := w.Write(text); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// processor is how much processor time the process has taken.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// whole reads all of a file, however many faults it has, and says what came of it and how
// much processor time it took.
func whole(t *testing.T, text []byte, o logs.Options) (counts logs.Counts, err error, took time.Duration) {
	t.Helper()
	o.MaxFaults = 1 << 40
	begin := processor()
	l, err := logs.New(bytes.NewReader(text), "log", o)
	if err != nil {
		t.Fatal(err)
	}
	for range l.Requests() {
	}
	err = l.Close()
	return l.Counts(), err, processor() - begin
}

// A hostile file ends in a time that is proportional to its size, and with a message or
// events. A MB of quotes once took five minutes; ten seconds of processor
// time are for the slowest machine.
func TestHostile(t *testing.T) {
	for _, c := range hostile {
		size := max(*hostileSize, 1) << 20
		make := func(n int) []byte {
			if c.o.NoHeader && !strings.Contains(c.name, "zstd") && !strings.Contains(c.name, "gzip") && !strings.Contains(c.name, "bomb") {
				return append([]byte(good), c.make(n)...)
			}
			return c.make(n)
		}
		text := make(size)
		counts, err, took := whole(t, text, c.o)
		said := "no message"
		if err != nil {
			said = err.Error()
			said = said[:min(len(said), 90)]
		}
		if err == nil && counts.Lines == 0 && !strings.Contains(c.name, "gzip members") && !strings.Contains(c.name, "skipped") {
			t.Errorf("%s: nothing was found, and nothing said", c.name)
		}
		if err != nil && len(err.Error()) > 1000 {
			t.Errorf("%s: a message of %d bytes", c.name, len(err.Error()))
		}
		if *hostileSize == 0 {
			if took > 10*time.Second {
				t.Errorf("%s: %d bytes took %v", c.name, len(text), took)
			}
			continue
		}
		var least [2]time.Duration
		for turn := range 3 {
			for i, text := range [][]byte{text, make(4 * size)} {
				if _, _, took := whole(t, text, c.o); turn == 0 || took < least[i] {
					least[i] = took
				}
			}
		}
		t.Logf("%-55s %4d MB %6d ms, 4 times as many %6d ms, %.1f times: %s", c.name, len(text)>>20, least[0].Milliseconds(), least[1].Milliseconds(), float64(least[1])/float64(least[0]), said)
	}
}

// Lines of very many events take the memory that the package promises: 3 MB for each of six
// blocks, and 30 MB for one.
func TestMemoryOfManyEvents(t *testing.T) {
	live := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	line := "1\tU\t11/15/2019 8:55:22 AM\t\t" + strings.Repeat("N ", 1<<19-100) + "\n"
	before := live()
	l, err := logs.New(&endless{text: line}, "log", logs.Options{Format: logs.MIND, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	most, events := int64(0), 0
	for request := range l.Requests() {
		if events%(1<<20) < len(request) {
			most = max(most, live()-before)
		}
		if events += len(request); events > 10<<20 {
			break
		}
	}
	if most > 48<<20 {
		t.Errorf("%d MB while lines of half a million events are read, want at most 48", most>>20)
	}
}
