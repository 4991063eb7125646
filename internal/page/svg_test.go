package page

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestSqueeze(t *testing.T) {
	for _, c := range []struct{ path, want string }{
		{"M0,0L10.004,0L10,10Z", "m0 0l10 0l0 10z"},
		{"M1.5,-2.25Q2,0.5,3,-0.004", "m1.5-2.25q.5 2.75 1.5 2.25"},
		{"M1,1L2,2ZL3,3", "m1 1l1 1zl2 2"}, // after Z the pen is back at the start
		{"M5,5A2.4,2.4 0 1 1 9.8,5", "m5 5a2.4 2.4 0 1 1 4.8 0"},
		{"M1e-05,0C1,2,3,4,5.05,6.1", "m0 0c1 2 3 4 5.05 6.1"},
		{"M0,0L0.01,-0.01", "m0 0l.01-.01"}, // the least there is
		{"M1,2h3", "M1,2h3"},                // relative already: nothing is touched
		{"M1,x", "M1,x"},
		{"", ""},
	} {
		if got := squeeze(c.path); got != c.want {
			t.Errorf("squeeze(%q) = %q, want %q", c.path, got, c.want)
		}
	}
}

// A figure of thousands of points ends where it did: roundings do not add up.
func TestSqueezeDoesNotDrift(t *testing.T) {
	numbers, outlines := regexp.MustCompile(`-?\d*\.?\d+`), regexp.MustCompile(` d="[^"]*"`)
	files, err := filepath.Glob("../../plots/reference/*.svg")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d figures, %v", len(files), err)
	}
	before, after, paths := 0, 0, 0
	for i := 0; i < len(files); i += 4 { // some of them
		file := files[i]
		svg, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range outlines.FindAllString(string(svg), -1) {
			d = d[4 : len(d)-1]
			short := squeeze(d)
			before, after, paths = before+len(d), after+len(short), paths+1
			if paths%8 != 0 || strings.ContainsAny(d, "QAZ") { // some of the lines are summed below
				continue
			}
			var sum [2]float64
			for i, n := range numbers.FindAllString(short, -1) {
				sum[i%2] += mustParse(t, n)
			}
			all := numbers.FindAllString(d, -1)
			for i, n := range all[len(all)-2:] {
				if want := mustParse(t, n); math.Abs(sum[i]-want) > 0.0051 {
					t.Fatalf("%s: a line ends at %v, want %v", file, sum, all[len(all)-2:])
				}
			}
		}
	}
	if paths < 500 || after*3 > before*2 {
		t.Errorf("%d paths of %d letters became %d, want two thirds at most", paths, before, after)
	}
}

func mustParse(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
