// Package runner is which runner of Beam the module's tests run on: Beam's own
// Prism in this process, or, with FLINK=host:port in the environment, the Flink
// job server that listens there, with workers in this process.
package runner

import (
	"flag"
	"os"
	"testing"

	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink" // FLINK asks for it
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
)

// Variable is where the address of a Flink job server is.
const Variable = "FLINK"

// Main is the TestMain of a package with pipelines.
func Main(m *testing.M) {
	if endpoint := os.Getenv(Variable); endpoint != "" {
		for name, value := range map[string]string{
			"runner": "flink", "endpoint": endpoint, "environment_type": "LOOPBACK", "parallelism": "1",
		} {
			if err := flag.Set(name, value); err != nil {
				panic(err)
			}
		}
	}
	ptest.MainWithDefault(m, "prism")
}

// OnFlink reports whether the tests run on Flink.
func OnFlink() bool { return os.Getenv(Variable) != "" }

// SkipOnFlink skips a test that Flink cannot run, for a reason.
func SkipOnFlink(t *testing.T, reason string) {
	t.Helper()
	if OnFlink() {
		t.Skip("not on Flink: " + reason)
	}
}
