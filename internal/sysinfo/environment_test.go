package sysinfo

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"
	"testing/fstest"

	"dejavu/strategies/strategytest"
)

func TestProcessor(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"x86", "processor\t: 0\nmodel\t\t: 85\nmodel name\t: Some CPU @ 2 GHz\n", "Some CPU @ 2 GHz"},
		{
			"two processors", "cpu family: 25\nmodel: 17\nmodel name: AMD EPYC\n\ncpu family: 6\n",
			"AMD EPYC, family 25 model 17",
		},
		{"no name", "cpu family: 6\nmodel: 143\n", "family 6 model 143"},
		{"a small ARM board", "processor\t: 0\nModel\t\t: Board 4\n", "Board 4"},
		{"silence", "", ""},
		{"MIPS", "cpu model : M4\n", "M4"},
		{"RISC-V", "hart: 0\nuarch : u7\n", "u7"},
		{"POWER", "cpu\t\t: P9\n", "P9"},
		{"an old ARM board", "Hardware\t: B\n", "B"},
		{"the better of two names", "cpu: family\nModel: Board\nmodel name: Name\n", "Name"},
		{"no colon", "model name\n", ""},
		{"a name with one", "model name: a: b\n", "a: b"},
	} {
		strategytest.Equal(t, processor(fstest.MapFS{"proc/cpuinfo": {Data: []byte(c.text)}}), c.want,
			"%s: got", c.name)
	}
	strategytest.Equal(t, processor(fstest.MapFS{}), "", "without a file")
	strategytest.Equal(t, memory(fstest.MapFS{"proc/meminfo": {Data: []byte("MemTotal: x kB\n")}}), 0,
		"memory in letters is")
}

// Whatever the system is, this process runs on it.
func TestHere(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	e := Environment()
	if runtime.GOOS == "linux" && e.MemoryBytes <= 0 {
		t.Errorf("got %d bytes of memory", e.MemoryBytes)
	}
	if e.CPUs != runtime.NumCPU() || e.GOMAXPROCS != 3 || runtime.GOMAXPROCS(0) != 3 || e.Go != runtime.Version() ||
		settings["GOOS"] != e.OS || e.OS+"/"+e.Arch != runtime.GOOS+"/"+runtime.GOARCH {
		t.Errorf("got %+v", e)
	}
	want := regexp.MustCompile("^dejavu " + Release + ", commit [^ ]+, go[^/]+/" + e.Arch + "$")
	if !want.MatchString(Version()) {
		t.Errorf("version %q, want %s", Version(), want)
	}
	strategytest.AtLeast(t, Available(), 1<<20, "bytes of available memory")
}

func TestAvailable(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	const meminfo = "MemTotal:       2000 kB\nMemAvailable:   1000 kB\n"
	has := func(name string, root fstest.MapFS, want, all int64) {
		t.Helper()
		strategytest.Equal(t, available(root), want, "%s: bytes available", name)
		strategytest.Equal(t, memory(root), all, "%s: bytes of memory", name)
	}
	has("no Linux", fstest.MapFS{}, 8_589_934_592, 0)
	has("no groups", fstest.MapFS{"proc/meminfo": file(meminfo)}, 1000<<10, 2000<<10)
	has("version 2, no limit", fstest.MapFS{
		"proc/meminfo": file(meminfo), "proc/self/cgroup": file("0::/a/b\n"),
		"sys/fs/cgroup/a/b/memory.max": file("max\n"),
	}, 1000<<10, 2000<<10)
	has("version 2, limited above", fstest.MapFS{
		"proc/meminfo": file(meminfo), "proc/self/cgroup": file("0::/a/b\n"),
		"sys/fs/cgroup/a/memory.max": file("5000\n"), "sys/fs/cgroup/a/memory.current": file("2000\n"),
		"sys/fs/cgroup/a/memory.stat": file("anon 1\ninactive_file 300\n"),
	}, 3300, 5000)
	has("version 1", fstest.MapFS{
		"proc/meminfo": file(meminfo), "proc/self/cgroup": file("9:cpu:/x\n4:memory:/job\n0::/\n"),
		"sys/fs/cgroup/memory/job/memory.limit_in_bytes": file("4000\n"),
		"sys/fs/cgroup/memory/job/memory.usage_in_bytes": file("3900\n"),
		"sys/fs/cgroup/memory/memory.limit_in_bytes":     file("9223372036854771712\n"),
	}, 100, 4000)
	has("over its limit", fstest.MapFS{
		"proc/self/cgroup":             file("0::/\n"),
		"sys/fs/cgroup/memory.max":     file("100\n"),
		"sys/fs/cgroup/memory.current": file("200\n"),
	}, 0, 100)
	has("version 1, no limit, and nothing else known", fstest.MapFS{
		"proc/self/cgroup":                           file("4:memory:/\n"),
		"sys/fs/cgroup/memory/memory.limit_in_bytes": file("9223372036854771712\n"),
	}, unknownMemory, 0)
	has("lines that say nothing", fstest.MapFS{
		"proc/meminfo": file("MemTotal:\nMemAvailable: 7\n"), "proc/self/cgroup": file("\n1:x\n0::/\n"),
		"sys/fs/cgroup/memory.max": file("90000\n"), "sys/fs/cgroup/memory.stat": file("\ninactive_file\n"),
	}, 7<<10, 90000)
	has("no memory at all", fstest.MapFS{"proc/meminfo": file("MemTotal: 0 kB\n")}, unknownMemory, 0)
	has("a container that sees its group as the root", fstest.MapFS{
		"proc/meminfo": file(meminfo), "proc/self/cgroup": file("4:memory:/docker/abc\n"),
		"sys/fs/cgroup/memory/memory.limit_in_bytes": file("700\n"),
		"sys/fs/cgroup/memory/memory.stat":           file("total_inactive_file x\n"),
	}, 700, 700)
}

// A revision is dirty if the build was; without a revision nothing is.
func TestRecorded(t *testing.T) {
	for _, c := range []struct{ revision, modified, want string }{
		{"abc", "false", "abc"}, {"abc", "true", "abc-dirty"}, {"", "true", ""},
	} {
		settings := map[string]string{"vcs": "git", "vcs.revision": c.revision, "vcs.modified": c.modified}
		strategytest.Equal(t, commit(settings), c.want, "revision %q, modified %q", c.revision, c.modified)
	}
}

// git is asked only in the folder of a source that it tracks.
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

// Memory that is written to is resident, and no longer when it is given back: within
// some megabytes for what else the process does.
func TestResident(t *testing.T) {
	const bytes, noise = 64 << 20, 8 << 20
	Settle()
	before := Resident()
	memory := make([]byte, bytes)
	for i := 0; i < len(memory); i += 4096 {
		memory[i] = 1
	}
	strategytest.Between(t, Resident()-before, bytes-noise, bytes+noise, "bytes more are resident")
	runtime.KeepAlive(memory)
	Settle()
	strategytest.Between(t, Resident()-before, -noise, noise, "bytes are left")
}
