package instance

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"dejavu/strategies/strategytest"
)

// On a full disk reads go on, and the rest is refused with the reason everywhere, and one alarm, until there is space.
func TestFull(t *testing.T) {
	dir, door := filepath.Join(t.TempDir(), "data"), free()
	file := "strategy: queue\nsnapshots: {every: 100ms}\nresp: " + door
	address, stop := running(t, dir, file)
	get(t, address, "/readyz", "ready")
	call := func(name, body, want string) {
		t.Helper()
		url := "http://" + address + "/dejavu.exposure.v1.Exposures/" + name
		r := strategytest.Value(http.Post(url, "application/json", strings.NewReader(body)))
		defer r.Body.Close()
		got := strings.ReplaceAll(string(strategytest.Value(io.ReadAll(r.Body))), ", ", ",") // which come at random
		strategytest.Contains(t, got, strings.ReplaceAll(want, ", ", ","), "%s %s", name, body)
	}
	call("Record", `{"user":"ann","articles":["1"]}`, "{}")

	fds, segment := strategytest.Value(os.ReadDir("/proc/self/fd")), -1
	for _, e := range fds {
		path, _ := os.Readlink("/proc/self/fd/" + e.Name())
		if strings.HasPrefix(path, dir) && strings.HasSuffix(path, ".segment") {
			segment, _ = strconv.Atoi(e.Name())
		}
	}
	own, full := strategytest.Value(syscall.Dup(segment)), strategytest.Value(os.OpenFile("/dev/full", os.O_RDWR, 0))
	strategytest.Must(t, syscall.Dup3(int(full.Fd()), segment, 0), full.Close())
	const why, seen = "no space left on device", `{"user":"ann","candidates":["1","2","3"]}`
	get(t, address, "/metrics", "\ndejavu_refuses_records 1\n")
	for range 3 {
		call("Record", `{"user":"ann","articles":["2"]}`, why)
		call("Show", `{"user":"ann","candidates":["2"],"limit":1}`, "nothing is recorded now, reads go on: the log cannot be")
		call("Seen", seen, "[true,false,false]")
	}
	strategytest.Equal(t, asked(t, door, "SHOW ann 1 2")[:8], "-MISCONF", "a show by Redis's protocol")
	get(t, address, "/readyz", "ready\nwarning: nothing is recorded now, reads go on: ")
	get(t, address, "/readyz", why)

	strategytest.Must(t, syscall.Dup3(own, segment, 0), syscall.Close(own))
	get(t, address, "/metrics", "\ndejavu_refuses_records 0\n")
	get(t, address, "/metrics", "\ndejavu_snapshot_errors_total 0\n")
	call("Record", `{"user":"ann","articles":["3"]}`, "{}")
	says(t, dir, "the log is written again")
	strategytest.Must(t, stop())
	said := says(t, dir, "msg")
	strategytest.Equal(t, strings.Count(said, "level=ERROR"), 1, "alarms in %s", said)
	address, stop = running(t, dir, file)
	get(t, address, "/readyz", "ready\n")
	call("Seen", seen, "[true,false,true]")
	strategytest.Must(t, stop())
}
