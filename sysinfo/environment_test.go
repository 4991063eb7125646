package sysinfo

import (
	"runtime"
	"testing"
	"testing/fstest"
)

func TestProcessor(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"x86", "processor\t: 0\nmodel\t\t: 85\nmodel name\t: Some CPU @ 2 GHz\n", "Some CPU @ 2 GHz"},
		{"a small ARM board", "processor\t: 0\nModel\t\t: Board 4\n", "Board 4"},
		{"silence", "", ""},
	} {
		if got := processor(fstest.MapFS{"proc/cpuinfo": {Data: []byte(c.text)}}); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	if got := processor(fstest.MapFS{}); got != "" {
		t.Errorf("without a file: %q", got)
	}
	if got := memory(fstest.MapFS{"proc/meminfo": {Data: []byte("MemTotal: x kB\n")}}); got != 0 {
		t.Errorf("memory in letters is %d", got)
	}
}

// Whatever the system is, this process runs on it.
func TestHere(t *testing.T) {
	e := Environment()
	if e.Go == "" || e.OS == "" || e.Arch == "" || e.CPUs < 1 || e.GOMAXPROCS < 1 {
		t.Errorf("got %+v", e)
	}
	if runtime.GOOS == "linux" && e.MemoryBytes <= 0 {
		t.Errorf("got %d bytes of memory", e.MemoryBytes)
	}
	Settle()
	if r := Resident(); r < 1<<20 {
		t.Errorf("resident memory is %d bytes", r)
	}
	if a := Available(); a < 1<<20 {
		t.Errorf("available memory is %d bytes", a)
	}
}
