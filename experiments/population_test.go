package main

import (
	"encoding/json"
	"testing"

	"dejavu/measure"
	"dejavu/workload"
)

// A file of a population that reads is one that can be simulated, and its own
// writing reads back.
func FuzzReadPopulation(f *testing.F) {
	fit, err := json.Marshal(fitted{Fit: measure.Fit{Population: workload.DefaultDaily(), Readers: 7}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(fit)
	f.Add([]byte(`{"population": {"sessions": 0.4, "sigma": null}}`))
	f.Add([]byte(`{"population": []}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := readPopulation(data)
		if err != nil {
			return
		}
		if _, err := workload.NewDailyOf(c, 1, 1); err != nil {
			t.Fatalf("it reads as %+v, which is none: %v", c, err)
		}
		again, err := json.Marshal(fitted{Fit: measure.Fit{Population: c}})
		if err != nil {
			t.Fatal(err)
		}
		if d, err := readPopulation(again); err != nil || d != c {
			t.Fatalf("%+v reads back as %+v, %v", c, d, err)
		}
	})
}

func TestReadPopulation(t *testing.T) {
	data, err := json.Marshal(fitted{Fit: measure.Fit{Population: workload.DefaultDaily()}})
	if err != nil {
		t.Fatal(err)
	}
	if c, err := readPopulation(data); err != nil || c != workload.DefaultDaily() {
		t.Errorf("the default reads back as %+v, %v", c, err)
	}
}
