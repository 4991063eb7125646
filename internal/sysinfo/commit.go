package sysinfo

import (
	"context"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"
)

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
	revision, modified := "", ""
	for _, s := range settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = dirty
		}
	}
	if revision == "" {
		return ""
	}
	return revision + modified
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
