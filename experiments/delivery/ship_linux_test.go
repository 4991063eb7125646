package delivery

import (
	"syscall"
	"testing"

	"dejavu/strategies/strategytest"
)

// With too few file descriptors for the listener and both ends of the connection, connect returns an error.
func TestConnectFails(t *testing.T) {
	strategytest.Value(connect(Exposures{})).Close() // the runtime takes its descriptors
	var limit syscall.Rlimit
	strategytest.Must(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	failed := 0
	for files := range uint64(64) {
		strategytest.Must(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: files, Max: limit.Max}))
		client, err := connect(Exposures{})
		strategytest.Must(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit))
		if err != nil {
			failed++
		} else if client == nil {
			t.Fatalf("a limit of %d files gives neither a connection nor an error", files)
		} else {
			client.Close()
		}
	}
	strategytest.Between(t, failed, 4, 63, "limits that are too low")
}
