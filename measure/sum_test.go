package measure_test

import (
	"reflect"
	"testing"

	"dejavu/measure"
)

// Numbers add up at any depth, and two types make exceptions.
func TestSum(t *testing.T) {
	type inner struct{ N int64 }
	type counts struct {
		inner
		Lists [2][]inner
		Time  float64
		Most  measure.Most
		Least measure.Least
	}
	of := counts{Lists: [2][]inner{{{1}}, {{2}, {3}}}, Time: 0.5, Most: 4, Least: 4}
	got := counts{Lists: [2][]inner{{{10}, {20}}, nil}, Time: 1, Most: 5, Least: 5}
	measure.Sum(&got, of)
	want := counts{Lists: [2][]inner{{{11}, {20}}, {{2}, {3}}}, Time: 1.5, Most: 5, Least: 4}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Words do not add up.
func TestSumOfWords(t *testing.T) {
	defer func() {
		if p := recover(); p != "measure: string does not add up" {
			t.Errorf("%v", p)
		}
	}()
	word := "a"
	measure.Sum(&word, "b")
}
