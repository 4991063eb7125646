package suite

import (
	"os"
	"testing"

	"dejavu/experiments/ship"
	"dejavu/measure/stopwatch"
)

// Times are of no concern here, and requests of thousands of candidates would take most of the tests' time.
func TestMain(m *testing.M) {
	stopwatch.Sizes = []int{40}
	ship.Requests = 1
	code := m.Run()
	_ = os.RemoveAll(wholeRun.out)
	os.Exit(code)
}
