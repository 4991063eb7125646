package describe

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dejavu/strategies/strategytest"
	"dejavu/workload"
)

// A file of a population that reads is one that can be simulated, and its own writing reads back.
func FuzzReadPopulation(f *testing.F) {
	fit, err := json.Marshal(Fit{Population: workload.DefaultDaily(), Users: 7})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(fit)
	f.Add([]byte(`{"population": {"sessions": 0.4, "sigma": null}}`))
	f.Add([]byte(`{"population": []}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, _, err := parsePopulation(data)
		if err != nil {
			return
		}
		if _, err := workload.NewDailyOf(c, 1, 1); err != nil {
			t.Fatalf("it reads as %+v, which is none: %v", c, err)
		}
		again := strategytest.Value(json.Marshal(Fit{Population: c}))
		if d, _, err := parsePopulation(again); err != nil || d != c {
			t.Fatalf("%+v reads back as %+v, %v", c, d, err)
		}
	})
}

// What is written reads back, and an error names the file.
func TestReadPopulation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "population.json")
	strategytest.Must(t, (Fit{Population: workload.DefaultDaily()}).Write(path))
	if c, poor, err := ReadPopulation(path); err != nil || poor != "" || c != workload.DefaultDaily() {
		t.Errorf("the default reads back as %+v, %v", c, err)
	}
	poorly := Fit{Population: workload.DefaultDaily()}
	poorly.Goodness = []Goodness{{What: ofSessions, KS: 0.3, Poor: true}, {What: ofAges, KS: 0.01}}
	strategytest.Must(t, poorly.Write(path))
	_, poor, err := ReadPopulation(path)
	if err != nil || poor != poorly.Poor() || !strings.Contains(poor, "sessions of a user (0.3)") {
		t.Errorf("a poor fit reads back as %q, %v", poor, err)
	}
	for text, reason := range map[string]string{
		`{"population": {"sessions": 0.4}}`: `population has no "sigma"`,
		`{"population": {"sess`:             "byte 21 of 21: unexpected end of JSON input",
		`{}`:                                `no "population" in it`,
	} {
		strategytest.Must(t, os.WriteFile(path, []byte(text), 0o600))
		_, _, err := ReadPopulation(path)
		if err == nil || !strings.HasPrefix(err.Error(), path+": ") || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: %v, want %q", text, err, reason)
		}
	}
	if _, _, err := ReadPopulation(path + ".none"); !os.IsNotExist(err) {
		t.Errorf("no file: %v", err)
	}
}
