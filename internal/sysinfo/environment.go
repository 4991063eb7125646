// Package sysinfo says what the system tells of itself: the machine that times belong to, the memory that a process
// may take and the memory that it has taken. On Linux these are the system's own figures; elsewhere each function
// names its guess.
package sysinfo

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"dejavu/bloom"
	"dejavu/results"
)

// Environment describes the machine that this process runs on. What the system does not tell stays empty.
func Environment() results.Environment {
	root := os.DirFS("/")
	return results.Environment{
		Go:          runtime.Version(),
		OS:          runtime.GOOS,
		Arch:        runtime.GOARCH,
		CPU:         processor(root),
		Vectors:     bloom.Vectors(),
		CPUs:        runtime.NumCPU(),
		GOMAXPROCS:  runtime.GOMAXPROCS(0),
		MemoryBytes: memory(root),
	}
}

// processor is the name in /proc/cpuinfo, whose spelling of the field differs between architectures.
func processor(root fs.FS) string {
	text, _ := fs.ReadFile(root, "proc/cpuinfo")
	for _, field := range []string{"model name", "cpu model", "Model", "Hardware", "uarch", "cpu"} {
		for line := range strings.Lines(string(text)) {
			name, value, found := strings.Cut(line, ":")
			if found && strings.TrimSpace(name) == field {
				return strings.TrimSpace(value)
			}
		}
	}
	return ""
}

// dirty is behind a revision whose working tree had changes.
const dirty = "-dirty"

// Commit returns the revision that this program was built from, with "-dirty" behind
// it where the working tree had changes. Where the build did not record it, as go run
// and go test do not, git is asked, once, in the folder of this source; it is empty
// where there is no such folder, no git, or git does not know the source.
var Commit = sync.OnceValue(func() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		if recorded := commit(info.Settings); recorded != "" {
			return recorded
		}
	}
	_, source, _, _ := runtime.Caller(0)
	return asked(source)
})

func commit(settings []debug.BuildSetting) string {
	recorded := map[string]string{}
	for _, s := range settings {
		recorded[s.Key] = s.Value
	}
	revision := recorded["vcs.revision"]
	if revision != "" && recorded["vcs.modified"] == "true" {
		revision += dirty
	}
	return revision
}

// asked is the revision that git tells of the repository that has a file. A file
// that it does not track may lie in anybody's repository, whose revision says nothing.
func asked(source string) string {
	if !filepath.IsAbs(source) { // built with -trimpath
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	git := func(args ...string) (string, error) {
		out, err := exec.CommandContext(ctx, "git",
			append([]string{"--no-optional-locks", "-C", filepath.Dir(source)}, args...)...).Output()
		return string(out), err
	}
	if _, err := git("ls-files", "--error-unmatch", filepath.Base(source)); err != nil {
		return ""
	}
	status, err := git("status", "--porcelain=v2", "--branch")
	if err != nil {
		return ""
	}
	revision, changed := "", ""
	for line := range strings.Lines(status) {
		if id, ok := strings.CutPrefix(line, "# branch.oid "); ok {
			revision = strings.TrimSpace(id)
		} else if line[0] != '#' {
			changed = dirty
		}
	}
	if revision == "" || revision[0] == '(' { // "(initial)", before the first commit
		return ""
	}
	return revision + changed
}
