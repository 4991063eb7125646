package sysinfo

import (
	"runtime"
	"testing"
	"testing/fstest"

	"dejavu/strategies/strategytest"
)

func TestProcessor(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"x86", "processor\t: 0\nmodel\t\t: 85\nmodel name\t: Some CPU @ 2 GHz\n", "Some CPU @ 2 GHz"},
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
	if e.Go == "" || e.OS == "" || e.Arch == "" || e.CPUs < 1 || e.GOMAXPROCS < 1 {
		t.Errorf("got %+v", e)
	}
	if runtime.GOOS == "linux" && e.MemoryBytes <= 0 {
		t.Errorf("got %d bytes of memory", e.MemoryBytes)
	}
	if e.CPUs != runtime.NumCPU() || e.GOMAXPROCS != 3 || runtime.GOMAXPROCS(0) != 3 || e.Go != runtime.Version() ||
		e.OS+"/"+e.Arch != runtime.GOOS+"/"+runtime.GOARCH {
		t.Errorf("got %+v", e)
	}
	if a := Available(); a < 1<<20 {
		t.Errorf("available memory is %d bytes", a)
	}
}
