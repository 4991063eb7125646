//go:build !linux

package strategytest

import "testing"

// Guarded skips the test: only on Linux is memory guarded.
func Guarded(t testing.TB, _ int) []byte {
	t.Helper()
	t.Skip("no memory to guard")
	return nil
}
