package shard

import (
	"strings"
	"testing"

	"dejavu/results"
)

func TestParse(t *testing.T) {
	const job, slurm = "JOB_COMPLETION_INDEX", "SLURM_ARRAY_TASK_ID"
	type environment map[string]string
	for _, c := range []struct {
		text string
		env  environment
		want results.Shard
		says []string // of the error
	}{
		{text: "0/1", want: results.Shard{Index: 0, Of: 1}},
		{text: "2/7", want: results.Shard{Index: 2, Of: 7}},
		{text: "9999/10000", want: results.Shard{Index: 9999, Of: 10000}},
		{text: "2/7", env: environment{job: "3"}, want: results.Shard{Index: 2, Of: 7}}, // what is named is meant
		{text: "auto/7", env: environment{job: "0"}, want: results.Shard{Index: 0, Of: 7}},
		{text: "auto/7", env: environment{slurm: "6"}, want: results.Shard{Index: 6, Of: 7}},
		{text: "auto/7", env: environment{job: "4", slurm: "4"}, want: results.Shard{Index: 4, Of: 7}},
		{text: "auto/7", env: environment{job: "", slurm: "4"}, want: results.Shard{Index: 4, Of: 7}},

		{text: "", says: []string{`""`, "want i/n", `"2/7"`, `"auto/7"`}},
		{text: "7", says: []string{`"7"`, "want i/n"}},
		{text: "2/x", says: []string{`"2/x"`, "want i/n"}},
		{text: "1/2/3", says: []string{`"1/2/3"`, "want i/n"}},
		{text: "0/0", says: []string{`"0/0"`, "n is 0, want 1 to 10000"}},
		{text: "0/-3", says: []string{"n is -3"}},
		{text: "0/10001", says: []string{"n is 10001, want 1 to 10000"}},
		{text: "7/7", says: []string{`i is "7"`, "want 0 to 6", "numbered from 0"}},
		{text: "-1/7", says: []string{`i is "-1"`, "want 0 to 6"}},
		{text: "/7", says: []string{`i is ""`, "want 0 to 6"}},
		{text: "x/7", env: environment{job: "3"}, says: []string{`i is "x"`}},
		{text: "auto/7", says: []string{"neither " + job + " nor " + slurm + " is set", `"0/7" to "6/7"`}},
		{text: "auto/7", env: environment{job: "2", slurm: "3"}, says: []string{job + ` is "2"`, slurm + ` is "3"`, "which"}},
		{text: "auto/7", env: environment{slurm: "7"}, says: []string{
			slurm + ` is "7"`, "want 0 to 6",
			"sbatch --array=0-6",
		}},
		{text: "auto/7", env: environment{slurm: "1-7"}, says: []string{slurm + ` is "1-7"`, "want 0 to 6"}},
		{text: "auto/7", env: environment{job: "-1"}, says: []string{job + ` is "-1"`}},
	} {
		got, err := Parse(c.text, func(name string) string { return c.env[name] })
		if c.says == nil {
			if err != nil || got != c.want {
				t.Errorf("--shard %q with %v: %v, %v, want %v", c.text, c.env, got, err, c.want)
			}
			continue
		}
		for _, phrase := range c.says {
			if err == nil || !strings.Contains(err.Error(), phrase) {
				t.Errorf("--shard %q with %v: error %v, want %q in it", c.text, c.env, err, phrase)
			}
		}
	}
}
