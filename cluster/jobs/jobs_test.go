// Package jobs_test runs the commands of the array jobs as the schedulers would, one
// task after the other: what is submitted is what is tested, but for the numbers.
package jobs_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"dejavu/cluster/internal/runner"
	"dejavu/strategies/strategytest"
)

const (
	users  = "2000"
	shards = 3
)

// names is an experiment that is quick, and a sum over users, which merge adds.
var names = []string{"extend"}

// program is the experiments program, and alone what it writes without shards.
var program, alone string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		path, remove := runner.Program()
		defer remove()
		program, alone = path, filepath.Join(filepath.Dir(path), "alone")
		// Its status says, too, how times compare with the reference, which is not asked here.
		args := slices.Concat([]string{"run", "--users=" + users, "--out=" + alone}, names)
		printed, _ := exec.Command(program, args...).CombinedOutput()
		if _, err := os.Stat(filepath.Join(alone, "run.json")); err != nil {
			panic(fmt.Sprintf("%v: %s", err, printed))
		}
		return m.Run()
	}())
}

// The script of the Slurm array, a task after the other, in any order, and a merge.
func TestSlurmArray(t *testing.T) {
	dir := t.TempDir()
	strategytest.Must(t, os.Symlink(program, filepath.Join(dir, "dejavu")))
	script := strategytest.Value(filepath.Abs("array.slurm"))
	// The array is as long as the script says to the program.
	text := strategytest.Value(os.ReadFile(script))
	strategytest.Contains(t, string(text), "#SBATCH --array=0-99\n", "array.slurm")
	strategytest.Contains(t, string(text), `"auto/${SHARDS:-100}"`, "array.slurm")
	for _, task := range []int{2, 0, 1} {
		cmd := exec.Command("bash", slices.Concat([]string{script}, names)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(),
			fmt.Sprint("SLURM_ARRAY_TASK_ID=", task), fmt.Sprint("SHARDS=", shards), "USERS="+users)
		must(t, cmd)
	}
	merge := exec.Command("./dejavu", "merge", "--out", "out")
	merge.Dir = dir
	printed, err := merge.CombinedOutput()
	same(t, filepath.Join(dir, "out"), printed, err)
}

// A manifest is what these tests read of a Job.
type manifest struct {
	Kind string
	Spec struct {
		Completions    int
		CompletionMode string `yaml:"completionMode"`
		Template       struct {
			Spec struct {
				Containers []struct {
					Args         []string
					VolumeMounts []struct {
						MountPath string `yaml:"mountPath"`
					} `yaml:"volumeMounts"`
				}
			}
		}
	}
}

func job(t *testing.T, file string) (m manifest) {
	t.Helper()
	in := strategytest.Value(os.Open(file))
	defer in.Close()
	for d := yaml.NewDecoder(in); ; {
		var next manifest
		if err := d.Decode(&next); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if next.Kind == "Job" {
			m = next
		}
	}
	if len(m.Spec.Template.Spec.Containers) != 1 {
		t.Fatalf("%s: %d containers, want 1", file, len(m.Spec.Template.Spec.Containers))
	}
	return m
}

// arguments are those of a Job's container, with other numbers and its volume in a directory of this machine.
func (m manifest) arguments(dir string) (args []string) {
	c := m.Spec.Template.Spec.Containers[0]
	for _, arg := range c.Args {
		switch name, value, _ := strings.Cut(arg, "="); name {
		case "--shard":
			arg = fmt.Sprintf("--shard=auto/%d", shards)
		case "--users":
			arg = "--users=" + users
		case "--out":
			arg = "--out=" + dir + strings.TrimPrefix(value, c.VolumeMounts[0].MountPath)
		}
		args = append(args, arg)
	}
	return args
}

// The containers of the two Jobs, an index after the other, and the merge.
func TestIndexedJob(t *testing.T) {
	dir := t.TempDir()
	measure := job(t, "indexed-job.yaml")
	spec, want := measure.Spec, fmt.Sprintf("--shard=auto/%d", measure.Spec.Completions)
	if spec.CompletionMode != "Indexed" || !slices.Contains(spec.Template.Spec.Containers[0].Args, want) {
		t.Errorf("indexed-job.yaml has %d completions, %s, and no argument %s", spec.Completions, spec.CompletionMode, want)
	}
	for _, index := range []int{1, 2, 0} {
		cmd := exec.Command(program, slices.Concat(measure.arguments(dir), names)...)
		cmd.Env = append(os.Environ(), fmt.Sprint("JOB_COMPLETION_INDEX=", index))
		must(t, cmd)
	}
	printed, err := exec.Command(program, job(t, "merge-job.yaml").arguments(dir)...).CombinedOutput()
	same(t, dir, printed, err)
}

func must(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if printed, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
}

// same compares the rows that follow from the seed with those of one run.
func same(t *testing.T, dir string, printed []byte, err error) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(alone, "*.csv"))
	compared := 0
	for _, file := range files {
		name := filepath.Base(file)
		if strings.HasSuffix(name, ".timing.csv") {
			continue
		}
		want, wantErr := os.ReadFile(file)
		got, gotErr := os.ReadFile(filepath.Join(dir, name))
		if wantErr != nil || gotErr != nil {
			t.Fatalf("%v, %v; merge: %v: %s", wantErr, gotErr, err, printed)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs from that of one run", name)
		}
		compared++
	}
	if compared <= len(names) { // claims have rows too
		t.Errorf("only %d files were compared", compared)
	}
}
