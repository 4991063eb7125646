// Package runner is which runner of Beam the module's tests run on: Beam's own
// Prism in this process, or, with FLINK=host:port in the environment, the Flink
// job server that listens there, with workers in this process.
package runner

import (
	"context"
	"flag"
	"os"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink" // FLINK asks for it
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"dejavu/cluster/simulate"
)

// Variable is where the address of a Flink job server is.
const Variable = "FLINK"

// Main is the TestMain of a package with pipelines.
func Main(m *testing.M) { Around(m, func() (end func()) { return func() {} }) }

// Around is Main with something to do before the tests, which returns what is to be
// done after them.
func Around(m *testing.M, begin func() (end func())) {
	options := map[string]string{
		// Under load Prism splits bundles, and hands the rest of a reader's requests to
		// another one while the first has not yet written what it remembers.
		"experiments": "prism_disable_sdf_split",
	}
	if endpoint := os.Getenv(Variable); endpoint != "" {
		options = map[string]string{
			"runner": "flink", "endpoint": endpoint, "environment_type": "LOOPBACK", "parallelism": "1",
		}
	}
	for name, value := range options {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	flag.Parse()
	beam.Init()
	end := begin()
	status := ptest.MainRetWithDefault(m, "prism")
	end()
	os.Exit(status)
}

// WithProgram is Main with the experiments program, built before the tests from the
// source beside this module; its path goes to program.
func WithProgram(m *testing.M, program *string) {
	Around(m, func() (end func()) {
		path, remove, err := simulate.Build(context.Background())
		if err != nil {
			panic(err)
		}
		*program = path
		return remove
	})
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

// Parallel has the pipelines of a test run so many ways at once on Flink, where
// tests that lean on an order have one.
func Parallel(t *testing.T, ways int) {
	t.Helper()
	before := *jobopts.Parallelism
	*jobopts.Parallelism = ways
	t.Cleanup(func() { *jobopts.Parallelism = before })
}
