package instance

import (
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"dejavu/strategies/strategytest"
)

// A disk that is full ends the service, with the reason: what it cannot write down it does not acknowledge.
func TestFull(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	address, stop := running(t, dir, "")
	get(t, address, "/readyz", "ready")
	full := strategytest.Value(os.OpenFile("/dev/full", os.O_RDWR, 0))
	defer full.Close()
	for _, e := range strategytest.Value(os.ReadDir("/proc/self/fd")) {
		path, _ := os.Readlink("/proc/self/fd/" + e.Name())
		if n, _ := strconv.Atoi(e.Name()); strings.HasPrefix(path, dir) && strings.HasSuffix(path, ".segment") {
			strategytest.Must(t, syscall.Dup3(int(full.Fd()), n, 0))
		}
	}
	within := time.Now().Add(10 * time.Second)
	for {
		r, err := http.Post("http://"+address+"/dejavu.exposure.v1.Exposures/Record", "application/json",
			strings.NewReader(`{"user":"ann","articles":["1"]}`))
		if err != nil {
			break // nobody is there any more
		}
		if r.Body.Close(); r.StatusCode == http.StatusOK || time.Now().After(within) {
			t.Fatalf("on a full disk: status %d", r.StatusCode)
		}
		time.Sleep(20 * time.Millisecond)
	}
	strategytest.ErrorSays(t, "the end", stop(), "no space left on device")
}
