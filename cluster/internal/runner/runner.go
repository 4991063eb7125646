// Package runner chooses the runner of the module's tests: Beam's own Prism in this process or, if the environment sets
// FLINK=host:port, the Flink job server that listens there, with workers in this process.
package runner

import (
	"flag"
	"os"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"dejavu/cluster/flink"
)

// Run runs a package's pipelines and returns TestMain's exit status.
func Run(m *testing.M) (status int) {
	options := map[string]string{
		// Under load Prism splits bundles, and hands the rest of a user's requests to
		// another one while the first has not yet written what it remembers.
		"experiments": "prism_disable_sdf_split",
	}
	if endpoint := os.Getenv("FLINK"); endpoint != "" {
		options = map[string]string{
			"runner": flink.Name, "endpoint": endpoint, "environment_type": "LOOPBACK", "parallelism": "1",
		}
	}
	for name, value := range options {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	flag.Parse()
	beam.Init()
	return ptest.MainRetWithDefault(m, "prism")
}

// OnFlink reports whether the tests run on Flink.
func OnFlink() bool { return os.Getenv("FLINK") != "" }

// SkipOnFlink skips a test that Flink cannot run, for a reason.
func SkipOnFlink(t *testing.T, reason string) {
	t.Helper()
	if OnFlink() {
		t.Skip("not on Flink: " + reason)
	}
}
