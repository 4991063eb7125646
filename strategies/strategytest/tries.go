package strategytest

import (
	"os"
	"strconv"
	"testing"
)

// Tries is how often a test tries what it draws at random: quick times, or as often
// as the environment variable TRIES says.
func Tries(t testing.TB, quick int) int {
	t.Helper()
	text, set := os.LookupEnv("TRIES")
	if !set {
		return quick
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("TRIES is %q, want a number", text)
	}
	return n
}
