package results

import (
	"io/fs"
	"path"
	"runtime"
	"testing"
	"testing/fstest"
)

func TestFindRun(t *testing.T) {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	fsys := fstest.MapFS{
		"reference/README.md":            file("text"),
		"reference/1000/run.json":        file(`{"seed": 1, "users": 1000}`),
		"reference/1000/fpr.csv":         file("experiment,strategy,x,quantity,unit,value,low,high,theory,paper,count\nfpr,single,,fpr,ratio,0.5,,,,,\n"),
		"reference/1000-seed-2/run.json": file(`{"seed": 2, "users": 1000}`),
		"reference/broken/run.json":      file(`{`),
		"reference/peers/run.json":       file(`{"seed": 5, "users": 1000}`),
		"reference/vector/run.json":      file(`{"seed": 6, "users": 1000}`),
	}
	run, ok := findRun(fsys, "reference", 1000, 1)
	if !ok || len(run.Rows) != 1 || run.Rows[0].Value != Num(0.5) || run.Manifest.Users != 1000 {
		t.Errorf("got %+v, %v", run, ok)
	}
	if run, ok := findRun(fsys, "reference", 1000, 2); !ok || run.Manifest.Seed != 2 {
		t.Errorf("the other seed: got %+v, %v", run, ok)
	}
	// There is none of seed 3, and those of 5 and 6 are not of all experiments.
	for _, seed := range []uint64{3, 5, 6} {
		if run, ok := findRun(fsys, "reference", 1000, seed); ok {
			t.Errorf("seed %d: found %+v, want none", seed, run)
		}
	}
}

// A committed run that could not be read would be passed over in silence.
func TestCommittedRunsAreReadable(t *testing.T) {
	entries, err := fs.ReadDir(committed, "reference")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		sub, err := fs.Sub(committed, path.Join("reference", e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		run, err := readFS(sub)
		if err != nil {
			t.Errorf("reference/%s: %v", e.Name(), err)
			continue
		}
		_, ok := Reference(run.Manifest.Users, run.Manifest.Seed)
		if read, apart := map[string]func() (*Run, error){PeersDir: PeersReference, VectorDir: VectorReference}[e.Name()]; apart {
			if got, err := read(); err != nil || len(got.Rows) != len(run.Rows) || len(got.Timing) != len(run.Timing) {
				t.Errorf("reference/%s: got %v, %v", e.Name(), got, err)
			}
			continue
		}
		if !ok {
			t.Errorf("reference/%s: not found by its users and seed", e.Name())
		}
	}
}

func TestEnvironmentTexts(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"x86", "processor\t: 0\nmodel\t\t: 85\nmodel name\t: Some CPU @ 2 GHz\n", "Some CPU @ 2 GHz"},
		{"a small ARM board", "processor\t: 0\nModel\t\t: Board 4\n", "Board 4"},
		{"silence", "", ""},
	} {
		if got := cpuModel(c.text); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	for _, c := range []struct {
		text string
		want int64
	}{{"MemFree: 1 kB\nMemTotal:       8000000 kB\n", 8_192_000_000}, {"MemTotal: x kB\n", 0}, {"", 0}} {
		if got := meminfoTotal(c.text); got != c.want {
			t.Errorf("%q: got %d, want %d", c.text, got, c.want)
		}
	}
	e := CurrentEnvironment()
	if e.Go == "" || e.OS == "" || e.Arch == "" || e.CPUs < 1 || e.GOMAXPROCS < 1 {
		t.Errorf("got %+v", e)
	}
	if runtime.GOOS == "linux" && e.MemoryBytes <= 0 {
		t.Errorf("got %d bytes of memory", e.MemoryBytes)
	}
}
