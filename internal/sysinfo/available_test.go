package sysinfo

import (
	"testing"
	"testing/fstest"

	"dejavu/strategies/strategytest"
)

func TestAvailable(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	const meminfo = "MemTotal:       2000 kB\nMemAvailable:   1000 kB\n"
	for _, c := range []struct {
		name string
		root fstest.MapFS
		want int64 // available
		all  int64 // memory
	}{
		{"no Linux", fstest.MapFS{}, 8_589_934_592, 0},
		{"no groups", fstest.MapFS{"proc/meminfo": file(meminfo)}, 1000 << 10, 2000 << 10},
		{"version 2, no limit", fstest.MapFS{
			"proc/meminfo": file(meminfo), "proc/self/cgroup": file("0::/a/b\n"),
			"sys/fs/cgroup/a/b/memory.max": file("max\n"),
		}, 1000 << 10, 2000 << 10},
		{"version 2, limited above", fstest.MapFS{
			"proc/meminfo": file(meminfo), "proc/self/cgroup": file("0::/a/b\n"),
			"sys/fs/cgroup/a/memory.max": file("5000\n"), "sys/fs/cgroup/a/memory.current": file("2000\n"),
			"sys/fs/cgroup/a/memory.stat": file("anon 1\ninactive_file 300\n"),
		}, 3300, 5000},
		{"version 1", fstest.MapFS{
			"proc/meminfo": file(meminfo), "proc/self/cgroup": file("9:cpu:/x\n4:memory:/job\n0::/\n"),
			"sys/fs/cgroup/memory/job/memory.limit_in_bytes": file("4000\n"),
			"sys/fs/cgroup/memory/job/memory.usage_in_bytes": file("3900\n"),
			"sys/fs/cgroup/memory/memory.limit_in_bytes":     file("9223372036854771712\n"),
		}, 100, 4000},
		{"over its limit", fstest.MapFS{
			"proc/self/cgroup":             file("0::/\n"),
			"sys/fs/cgroup/memory.max":     file("100\n"),
			"sys/fs/cgroup/memory.current": file("200\n"),
		}, 0, 100},
		{"version 1, no limit, and nothing else known", fstest.MapFS{
			"proc/self/cgroup":                           file("4:memory:/\n"),
			"sys/fs/cgroup/memory/memory.limit_in_bytes": file("9223372036854771712\n"),
		}, unknownMemory, 0},
		{"lines that say nothing", fstest.MapFS{
			"proc/meminfo": file("MemTotal:\nMemAvailable: 7\n"), "proc/self/cgroup": file("\n1:x\n0::/\n"),
			"sys/fs/cgroup/memory.max": file("90000\n"), "sys/fs/cgroup/memory.stat": file("\ninactive_file\n"),
		}, 7 << 10, 90000},
		{"no memory at all", fstest.MapFS{"proc/meminfo": file("MemTotal: 0 kB\n")}, unknownMemory, 0},
		{"a container that sees its group as the root", fstest.MapFS{
			"proc/meminfo": file(meminfo), "proc/self/cgroup": file("4:memory:/docker/abc\n"),
			"sys/fs/cgroup/memory/memory.limit_in_bytes": file("700\n"),
			"sys/fs/cgroup/memory/memory.stat":           file("total_inactive_file x\n"),
		}, 700, 700},
	} {
		strategytest.Equal(t, available(c.root), c.want, "%s: bytes available", c.name)
		strategytest.Equal(t, memory(c.root), c.all, "%s: bytes of memory", c.name)
	}
}
