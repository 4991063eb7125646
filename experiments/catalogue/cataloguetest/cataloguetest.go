// Package cataloguetest gives tests the strategies of the catalogue.
package cataloguetest

import (
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/measure"
)

// Find is the strategy of that name; the test fails where there is none.
func Find(t testing.TB, name string) measure.Subject {
	t.Helper()
	e, err := catalogue.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return e.Subject()
}

// Paper is the paper's strategies, in both readings where there are two.
func Paper(t testing.TB) (subjects []measure.Subject) {
	t.Helper()
	for _, name := range []string{"queue", "single", "dual", "dual-blanked", "chain", "chain-literal"} {
		subjects = append(subjects, Find(t, name))
	}
	return subjects
}
