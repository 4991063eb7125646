package plots

import (
	"bytes"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"dejavu/results"
)

// Set DEJAVU_FIGURES to a directory to look at the figures of this test.
func TestDrawEverything(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "directory")
	if keep := os.Getenv("DEJAVU_FIGURES"); keep != "" {
		dir = keep
	}
	figures, err := Draw(synthetic(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(figures) != len(Names()) {
		t.Fatalf("got %d figures, want %d", len(figures), len(Names()))
	}
	for i, f := range figures {
		if f.Name != Names()[i] || f.Skipped != "" || len(f.Files) != 2 {
			t.Errorf("got %+v, want %s as two files", f, Names()[i])
			continue
		}
		svg, err := os.ReadFile(f.Files[0])
		if err != nil {
			t.Fatal(err)
		}
		// Text would look different wherever the font is missing.
		if bytes.Contains(svg, []byte("<text")) || !bytes.Contains(svg, []byte("</svg>")) {
			t.Errorf("%s: text is not drawn as outlines, or the file is cut off", f.Files[0])
		}
		image, err := os.Open(f.Files[1])
		if err != nil {
			t.Fatal(err)
		}
		config, err := png.DecodeConfig(image)
		image.Close()
		if err != nil || config.Width != 1440 {
			t.Errorf("%s: got %d pixels, %v, want 1440", f.Files[1], config.Width, err)
		}
	}
}

func rendered(t testing.TB, b builder, d data) string {
	t.Helper()
	s, reason, err := b.layout(d)
	if err != nil {
		t.Fatal(err)
	}
	if reason != "" {
		return ""
	}
	var out bytes.Buffer
	if err := s.render(&out, ".svg"); err != nil {
		t.Fatalf("%s: %v", b.name, err)
	}
	return out.String()
}

func TestSameRowsSameBytes(t *testing.T) {
	for _, b := range builders {
		first, second := rendered(t, b, newData(synthetic())), rendered(t, b, newData(synthetic()))
		if first != second {
			t.Errorf("%s: two drawings of the same rows differ", b.name)
		}
	}
	s, _, err := builders[0].layout(newData(synthetic()))
	if err != nil {
		t.Fatal(err)
	}
	var first, second bytes.Buffer
	if s.render(&first, ".png") != nil || s.render(&second, ".png") != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two images of the same rows differ")
	}
}

func TestNothingToDraw(t *testing.T) {
	dir := t.TempDir()
	figures, err := Draw(nil, dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range figures {
		if f.Skipped == "" || len(f.Files) != 0 {
			t.Errorf("%s: got %+v from no rows", f.Name, f)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("%d files from no rows", len(entries))
	}
}

func TestDirectoryThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Draw(synthetic(), file); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("got error %v, want one that names %s", err, file)
	}
}

// An interrupted run leaves some quantities and not others.
func TestOneQuantityAlone(t *testing.T) {
	subsets := map[[2]string][]results.Row{}
	for _, r := range synthetic() {
		key := [2]string{r.Experiment, r.Quantity}
		// Few points: this is about what is missing, not about how much there is.
		if len(subsets[key]) < 40 {
			subsets[key] = append(subsets[key], r)
		}
	}
	for key, rows := range subsets {
		for _, b := range builders {
			if strings.HasPrefix(b.name, key[0]) {
				rendered(t, b, newData(rows)) // some only complete a figure; none may break it
			}
		}
	}
}

// Whatever numbers a researcher's own experiment writes, a figure comes out.
func TestAnyNumbers(t *testing.T) {
	odd := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 1e-17, 1e-300, 5e-324, 1e30, -1e30, 1e308, math.Inf(1), math.Inf(-1), math.NaN(), 500, 1e7}
	numbers := rapid.Custom(func(t *rapid.T) results.Number {
		if rapid.IntRange(0, 5).Draw(t, "empty") == 0 {
			return results.Number{}
		}
		return results.Num(rapid.SampledFrom(odd).Draw(t, "number"))
	})
	kinds := map[[2]string]bool{}
	var keys [][2]string
	for _, r := range synthetic() {
		if key := [2]string{r.Experiment, r.Quantity}; !kinds[key] {
			kinds[key] = true
			keys = append(keys, key)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		b := rapid.SampledFrom(builders).Draw(rt, "figure")
		var rows []results.Row
		for _, key := range keys {
			if !strings.HasPrefix(b.name, key[0]) {
				continue
			}
			for range rapid.IntRange(0, 4).Draw(rt, "rows") {
				rows = append(rows, results.Row{
					Experiment: key[0], Quantity: key[1],
					Strategy: rapid.SampledFrom([]string{
						"", "queue", "chain", "mine", "^{", "策略",
						"dejavu", "dejavu/chain", "dejavu/", "swift", "swift chain", "a library of a very long name indeed chain",
					}).Draw(rt, "strategy"),
					X: numbers.Draw(rt, "x"), Value: numbers.Draw(rt, "value"),
					Low: numbers.Draw(rt, "low"), High: numbers.Draw(rt, "high"),
					Theory: numbers.Draw(rt, "theory"), Paper: numbers.Draw(rt, "paper"),
				})
			}
		}
		s, reason, err := b.layout(newData(rows))
		if err != nil {
			rt.Fatal(err)
		}
		if reason != "" {
			return
		}
		var out bytes.Buffer
		if err := s.render(&out, ".svg"); err != nil {
			rt.Fatal(err)
		}
		if strings.Contains(out.String(), "NaN") || strings.Contains(out.String(), "Inf") {
			rt.Fatalf("%s: coordinates that are no numbers", b.name)
		}
	})
}

func TestStrangersGetALookOfTheirOwn(t *testing.T) {
	p := newPalette([]string{"zeta", "queue", "alpha", "", "alpha"})
	if got := p.order[len(looks):]; len(got) != 2 || got[0] != "alpha" || got[1] != "zeta" {
		t.Fatalf("got %q behind the known strategies, want alpha and zeta", got)
	}
	for i, a := range p.order {
		for _, b := range p.order[i+1:] {
			if p.looks[a].color == p.looks[b].color && p.looks[a].mark == p.looks[b].mark {
				t.Errorf("%s and %s look the same", a, b)
			}
		}
	}
	// The order of the rows must not decide about colours.
	q := newPalette([]string{"alpha", "zeta"})
	if p.looks["zeta"].color != q.looks["zeta"].color {
		t.Error("a strategy changed its colour with the order of the rows")
	}
}
