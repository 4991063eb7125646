// Package sysinfo reads from the system the machine that times belong to, and the memory that a process may take and
// has taken. On Linux these are the system's figures; elsewhere each function names its guess.
package sysinfo

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
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
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, CPU: processor(root), Vectors: bloom.Vectors(),
		CPUs: runtime.NumCPU(), GOMAXPROCS: runtime.GOMAXPROCS(0), MemoryBytes: memory(root),
	}
}

// processor returns the name in /proc/cpuinfo, which has several fields for it, with an x86's family and model.
func processor(root fs.FS) string {
	text, _ := fs.ReadFile(root, "proc/cpuinfo")
	fields := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, value, found := strings.Cut(line, ":")
		if name = strings.TrimSpace(name); found && fields[name] == "" {
			fields[name] = strings.TrimSpace(value)
		}
	}
	name := cmp.Or(fields["model name"], fields["cpu model"], fields["Model"], fields["Hardware"],
		fields["uarch"], fields["cpu"])
	if family := fields["cpu family"]; family != "" && fields["model"] != "" {
		name = strings.TrimPrefix(fmt.Sprintf("%s, family %s model %s", name, family, fields["model"]), ", ")
	}
	return name
}

// settings are recorded by the build.
var settings = func() map[string]string {
	all := map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		all["module"] = info.Main.Version
		for _, s := range info.Settings {
			all[s.Key] = s.Value
		}
	}
	return all
}()

// RaceDetector reports whether the program has the race detector, which makes it slow and large.
var RaceDetector = settings["-race"] == "true"

// Release is the version that CHANGELOG.md and CITATION.cff name.
const Release = "0.1.0"

// Version returns the release, the commit or else the module's version, and its Go.
func Version() string {
	return fmt.Sprintf("dejavu %s, commit %s, %s %s/%s", Release,
		cmp.Or(Commit(), settings["module"], "unknown"), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// Commit returns the revision that this program was built from, with "-dirty" if the working tree had changes. If the
// build did not record it, as with go run and go test, it asks git once, in this source's folder; "" means unknown.
var Commit = sync.OnceValue(func() string {
	if recorded := commit(settings); recorded != "" {
		return recorded
	}
	_, source, _, _ := runtime.Caller(0)
	return asked(source)
})

func commit(settings map[string]string) string {
	revision := settings["vcs.revision"]
	if revision != "" && settings["vcs.modified"] == "true" {
		revision += "-dirty"
	}
	return revision
}

// asked returns git's revision of the repository that tracks a file. If none does, a revision says nothing.
func asked(source string) string {
	if !filepath.IsAbs(source) { // built with -trimpath
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	git := func(args ...string) (string, error) {
		args = append([]string{"--no-optional-locks", "-C", filepath.Dir(source)}, args...)
		out, err := exec.CommandContext(ctx, "git", args...).Output()
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
			changed = "-dirty"
		}
	}
	if revision == "" || revision[0] == '(' { // "(initial)", before the first commit
		return ""
	}
	return revision + changed
}

const (
	unknownMemory = 8 << 30 // taken as available if the system does not tell
	// unlimited is more than any memory, and less than what a group of version 1 says that has no limit.
	unlimited = 1 << 62
)

// Available returns the bytes that the process may still take: on Linux as system and control groups say, or 8 GiB.
func Available() int64 { return available(os.DirFS("/")) }

func available(root fs.FS) int64 {
	least := int64(unknownMemory)
	if kib, ok := number(root, "proc/meminfo", "MemAvailable:"); ok {
		least = kib << 10
	}
	for _, group := range groups(root) {
		least = min(least, max(group.limit-group.used+group.cached, 0))
	}
	return least
}

// memory returns the machine's memory or its control groups' limit, or 0 if unknown.
func memory(root fs.FS) int64 {
	least := int64(unlimited)
	if kib, ok := number(root, "proc/meminfo", "MemTotal:"); ok && kib > 0 {
		least = kib << 10
	}
	for _, group := range groups(root) {
		least = min(least, group.limit)
	}
	if least >= unlimited {
		return 0
	}
	return least
}

// A group is a control group's memory limit and use, in bytes. Cached bytes are given up when needed.
type group struct{ limit, used, cached int64 }

// groups returns the process's control groups and all above with a limit, in either version. A container may see its
// own group as the root, so that its path leads nowhere; the root is always looked at.
func groups(root fs.FS) (all []group) {
	text, _ := fs.ReadFile(root, "proc/self/cgroup")
	for line := range strings.Lines(string(text)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3) // hierarchy:controllers:path
		if len(fields) < 3 {
			continue
		}
		base, limit, used, cached := "sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"
		if fields[1] != "" { // version 1
			if fields[1] != "memory" {
				continue
			}
			base, limit = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
			used, cached = "memory.usage_in_bytes", "total_inactive_file"
		}
		for at := path.Clean("/" + fields[2]); ; at = path.Dir(at) {
			dir := path.Join(base, at)
			if n, ok := number(root, path.Join(dir, limit), ""); ok { // "max" is none
				g := group{limit: n}
				g.used, _ = number(root, path.Join(dir, used), "")
				g.cached, _ = number(root, path.Join(dir, "memory.stat"), cached)
				all = append(all, g)
			}
			if at == "/" {
				break
			}
		}
	}
	return all
}

// number returns the number behind a name in a file; without a name, the file's first number.
func number(root fs.FS, file, name string) (int64, bool) {
	text, _ := fs.ReadFile(root, file)
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if name != "" && len(fields) > 0 && fields[0] == name {
			fields = fields[1:]
		} else if name != "" {
			continue
		}
		if len(fields) > 0 {
			n, err := strconv.ParseInt(fields[0], 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}

// Resident returns the process's physical memory in bytes; not on Linux, what the runtime holds.
func Resident() int64 {
	if kib, ok := number(os.DirFS("/"), "proc/self/status", "VmRSS:"); ok {
		return kib << 10
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys - m.HeapReleased)
}

// Settle frees memory, so that Resident then counts memory in use. It takes a garbage collection.
func Settle() { debug.FreeOSMemory() }
