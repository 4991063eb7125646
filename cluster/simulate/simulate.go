// Package simulate runs the project's experiments on Apache Beam: many machines
// measure a share of the simulated readers each, and what comes out is, byte for
// byte, what one machine writes.
//
// Everything about a reader follows from the seed and the reader's number, and
// every count is a whole number, so that shares can be measured anywhere, in any
// order, twice if a machine fails, and added up. The pipeline is as plain as
// that:
//
//	numbers of shards -> Reshuffle -> measure a shard -> GroupByKey -> merge, write
//
// A shard is measured by the experiments program itself, `run --shard i/n`, and
// shards are made one run by its `merge`: the same code that one machine runs, not
// a second version of it, so that an experiment added there is here too. Merge
// refuses shards of another build. Division of labour, retries and the way of
// the bytes are Beam's and its runner's.
//
// The cost: a shard's measurements travel as one element, some 70 kB, whatever
// its number of readers is; all of them pass through the one worker that merges.
package simulate

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"dejavu/workload"
)

func init() {
	register.DoFn3x1[contextType, int, func(int, []byte), error](&measureFn{})
	register.DoFn3x1[contextType, int, func(*[]byte) bool, error](&mergeFn{})
	register.Emitter2[int, []byte]()
	register.Iter1[[]byte]()
	beam.RegisterType(reflect.TypeFor[Config]())
}

// What the experiments program takes.
const (
	mostUsers  = workload.MaxUsers
	mostShards = 10_000
)

// A Config says what to run, and where its parts are on the workers.
type Config struct {
	// Program is the path of the experiments program, built for the workers'
	// system, as they see it: a file of theirs, or one in a storage that Beam has a
	// file system for (gs://...), from where each worker fetches it.
	Program string

	// Out is the directory for results, in the same sense.
	Out string

	Experiments []string // by name; none for all
	Users       int      // simulated readers, at least 1
	Seed        uint64   // of everything random
	Shards      int      // shares that are measured apart, 1 to 10000
	Workers     int      // goroutines that measure a shard; 0 means one for each processor
	Memory      string   // for the histories of a shard, "4GiB" say; "" is 70 % of what is available
}

// Check says what is wrong with a configuration, but for its Program, which may
// still have to be built. What the program can tell better, names of experiments
// and the form of a size, is left to it.
func (c Config) Check() error {
	switch {
	case c.Out == "":
		return fmt.Errorf("simulate: no directory for results")
	case c.Users < 1 || c.Users > mostUsers:
		return fmt.Errorf("simulate: users is %d, want 1 to %d", c.Users, mostUsers)
	case c.Shards < 1 || c.Shards > mostShards:
		return fmt.Errorf("simulate: shards is %d, want 1 to %d", c.Shards, mostShards)
	case c.Workers < 0 || c.Workers > 1024:
		return fmt.Errorf("simulate: workers is %d, want 0 to 1024", c.Workers)
	}
	for _, name := range c.Experiments {
		if name == "" || strings.HasPrefix(name, "-") {
			return fmt.Errorf("simulate: experiment %q is not a name", name)
		}
	}
	return nil
}

// run is the arguments that measure a shard into a directory.
func (c Config) run(shard int, dir string) []string {
	args := []string{
		"run", fmt.Sprintf("--shard=%d/%d", shard, c.Shards), fmt.Sprintf("--users=%d", c.Users),
		fmt.Sprintf("--seed=%d", c.Seed), "--out=" + dir,
	}
	if c.Workers > 0 {
		args = append(args, fmt.Sprintf("--workers=%d", c.Workers))
	}
	if c.Memory != "" {
		args = append(args, "--memory="+c.Memory)
	}
	return append(args, c.Experiments...)
}

// Simulate adds a run to a pipeline. The returned error is the configuration's;
// what fails on the way fails the pipeline.
func Simulate(s beam.Scope, c Config) error {
	if err := c.Check(); err != nil {
		return err
	}
	if c.Program == "" {
		return fmt.Errorf("simulate: no program")
	}
	s = s.Scope("Simulate")
	shards := make([]int, c.Shards)
	for i := range shards {
		shards[i] = i
	}
	// Without the shuffle all shards would be measured where their numbers are made.
	spread := beam.Reshuffle(s, beam.CreateList(s, shards))
	pieces := beam.ParDo(s, &measureFn{Config: c}, spread)
	beam.ParDo0(s, &mergeFn{Config: c}, beam.GroupByKey(s, pieces))
	return nil
}
