package suite

import (
	"fmt"
	"os"
	"testing"

	"dejavu/experiments/ship"
	"dejavu/measure/stopwatch"
)

// The exposure service is this binary again. Times are of no concern here, and requests
// of thousands of candidates would take most of the tests' time.
func TestMain(m *testing.M) {
	if asked, err := ship.ServeIfAsked(); asked {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	stopwatch.Sizes = []int{40}
	ship.Requests = 1
	code := m.Run()
	_ = os.RemoveAll(wholeRun.out)
	os.Exit(code)
}
