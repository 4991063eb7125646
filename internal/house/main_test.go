package house

import (
	"fmt"
	"os"
	"testing"
)

// The tests look at the whole checkout, from its root.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	os.Exit(m.Run())
}
