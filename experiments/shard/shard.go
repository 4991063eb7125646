// Package shard is the shares of a run's users that are measured apart: which one this process has, where its
// files lie, and how those of all are found, checked and handed to the engine, which sums them.
//
// The guarantee: shards are merged only where they are those of one run of one
// program, each of them once; all that is wrong is told before anything is written.
package shard

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"dejavu/results"
)

// Most is how many shards a run may be divided into.
const Most = 10_000

// indexVariables are where an array job says which one of its tasks this is: Kubernetes' and Slurm's.
var indexVariables = []string{"JOB_COMPLETION_INDEX", "SLURM_ARRAY_TASK_ID"}

// Parse reads "2/7", or "auto/7" for the index of an array job. Variable looks into the environment.
func Parse(text string, variable func(name string) string) (shard results.Shard, err error) {
	index, of, found := strings.Cut(text, "/")
	if shard.Of, err = strconv.Atoi(of); err != nil || !found {
		return shard, fmt.Errorf(`%q, want i/n, "2/7" say, or "auto/7" for the index of an array job`, text)
	}
	if shard.Of < 1 || shard.Of > Most {
		return shard, fmt.Errorf("%q: n is %d, want 1 to %d", text, shard.Of, Most)
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

// arrayIndex is the index that an array job gave to this process, and the variable that it is from.
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

// prefix is how the name of a shard's directory begins.
const prefix = "shard-"

// Dir is where a shard's files lie in the directory of its run: each in one of its
// own, so that shards can share that directory.
func Dir(out string, shard results.Shard) string {
	if shard == (results.Shard{}) {
		return out
	}
	return filepath.Join(out, fmt.Sprintf("%s%d-of-%d", prefix, shard.Index, shard.Of))
}
