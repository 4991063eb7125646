package sysinfo

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"dejavu/strategies/strategytest"
)

// A revision is said to be dirty where the build was, and nothing is without one.
func TestRecorded(t *testing.T) {
	for _, c := range []struct{ revision, modified, want string }{
		{"abc", "false", "abc"}, {"abc", "true", "abc-dirty"}, {"", "true", ""},
	} {
		settings := map[string]string{"vcs": "git", "vcs.revision": c.revision, "vcs.modified": c.modified}
		strategytest.Equal(t, commit(settings), c.want, "revision %q, modified %q", c.revision, c.modified)
	}
}

// git is asked in the folder of a source that it tracks, and nowhere else.
func TestAsked(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	dir := t.TempDir()
	source := filepath.Join(dir, "a.go")
	git := func(args ...string) {
		t.Helper()
		args = append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"}, args...)
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	wants := func(when, pattern string) {
		t.Helper()
		if got := asked(source); !regexp.MustCompile("^" + pattern + "$").MatchString(got) {
			t.Errorf("%s: %q, want %s", when, got, pattern)
		}
	}
	save := func(name string) {
		t.Helper()
		strategytest.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o644))
	}
	save("a.go")
	wants("without a repository", "")
	git("init", "-q")
	wants("of an untracked source", "")
	git("add", "a.go")
	wants("before the first commit", "")
	git("commit", "-q", "-m", "first")
	wants("as committed", "[0-9a-f]{40}")
	save("b.go")
	wants("beside a new file", "[0-9a-f]{40}-dirty")
	source = "dejavu/sysinfo/commit.go"
	wants("with -trimpath", "")
}
