package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"dejavu/results"
)

// mostShards is how many shards a run may be divided into.
const mostShards = 10_000

// indexVariables are where an array job says which one of its tasks this is:
// Kubernetes' and Slurm's.
var indexVariables = []string{"JOB_COMPLETION_INDEX", "SLURM_ARRAY_TASK_ID"}

// A shardFlag is the value of --shard.
type shardFlag results.Shard

// UnmarshalText reads it, and the environment where that is to tell.
func (s *shardFlag) UnmarshalText(text []byte) error {
	parsed, err := parseShard(string(text), os.Getenv)
	*s = shardFlag(parsed)
	return err
}

// parseShard reads what --shard says: "2/7", or "auto/7" for the index of an
// array job. variable looks into the environment.
func parseShard(text string, variable func(name string) string) (shard results.Shard, err error) {
	index, of, found := strings.Cut(text, "/")
	if shard.Of, err = strconv.Atoi(of); err != nil || !found {
		return shard, fmt.Errorf(`%q, want i/n, "2/7" say, or "auto/7" for the index of an array job`, text)
	}
	if shard.Of < 1 || shard.Of > mostShards {
		return shard, fmt.Errorf("%q: n is %d, want 1 to %d", text, shard.Of, mostShards)
	}
	from := "i"
	if index == "auto" {
		if from, index, err = arrayIndex(variable); err != nil {
			return shard, fmt.Errorf(`%q: %w; "0/%d" to "%d/%d" name it`, text, err, shard.Of, shard.Of-1, shard.Of)
		}
	}
	if shard.Index, err = strconv.Atoi(index); err != nil || shard.Index < 0 || shard.Index >= shard.Of {
		// The arrays of Slurm start from wherever they are told to.
		return shard, fmt.Errorf("%q: %s is %q, want 0 to %d: shards are numbered from 0 (sbatch --array=0-%d)",
			text, from, index, shard.Of-1, shard.Of-1)
	}
	return shard, nil
}

// arrayIndex is the index that an array job gave to this process, and the
// variable that it is from.
func arrayIndex(variable func(name string) string) (from, index string, err error) {
	for _, name := range indexVariables {
		value := variable(name)
		if value == "" {
			continue
		}
		if from != "" && value != index {
			return "", "", fmt.Errorf("%s is %q and %s is %q, which is the index?", from, index, name, value)
		}
		from, index = name, value
	}
	if from == "" {
		return "", "", fmt.Errorf("neither %s is set", strings.Join(indexVariables, " nor "))
	}
	return from, index, nil
}

// shardPrefix is how the name of a shard's directory begins.
const shardPrefix = "shard-"

// shardDir is where a shard's files lie in the directory of its run: each in one
// of its own, so that shards can share that directory.
func shardDir(out string, shard results.Shard) string {
	if shard == (results.Shard{}) {
		return out
	}
	return filepath.Join(out, fmt.Sprintf("%s%d-of-%d", shardPrefix, shard.Index, shard.Of))
}

// reportShard says what became of a shard, and what comes next.
func (s *suite) reportShard(m results.Manifest, out string, stdout io.Writer) error {
	if err := failures(m); err != nil {
		return err
	}
	readers := s.share(s.users)
	_, err := fmt.Fprintf(stdout, "Shard %v, readers %d to %d of %d, is measured, in %s.\n"+
		"When all %d are, 'merge --out %s' makes one run of them.\n",
		s.shard, readers.From, readers.To-1, s.users, s.out, s.shard.Of, out)
	return err
}
