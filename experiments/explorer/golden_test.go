package explorer

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"dejavu/experiments/golden"
	"dejavu/internal/sysinfo"
)

// All that the page is given for a few settings.
func TestGolden(t *testing.T) {
	e, err := New(Scope{Windows: []int{500}, Rates: []float64{0.1, 0.02}})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	line := func(name string, v any) {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %s\n", name, text)
	}
	line("users", e.Users)
	line("strategies", e.Strategies)
	line("note", e.Note)
	line("start", e.Start)
	for i, c := range e.Cells {
		line(fmt.Sprint("cell ", i), c)
	}
	golden.File(t, "explorer.golden", b.String())
}

// What is kept beside the code is what the code computes.
func TestGoldenKept(t *testing.T) {
	if sysinfo.RaceDetector {
		t.Skip("theory at 1330 settings takes a minute with the race detector")
	}
	all := lines()
	text, err := json.Marshal(computed{names(all), cells(Whole, all)})
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, "../computed.json", strings.ReplaceAll(string(text), "},", "},\n")+"\n")
	if !t.Failed() && kept(all[1:]) != nil {
		t.Error("cells of all strategies are used for fewer")
	}
}
