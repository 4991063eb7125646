package event

import "testing"

// The kinds are named, those that are none too.
func TestKinds(t *testing.T) {
	for kind, want := range map[Kind]string{
		Shown: "shown", Ignored: "ignored", Clicked: "clicked", Clicked + 1: "kind 3",
	} {
		if kind.String() != want {
			t.Errorf("%v, want %s", kind, want)
		}
	}
}

// Counts add up, each by itself.
func TestCounts(t *testing.T) {
	c := Counts{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	c.Add(Counts{10, 20, 30, 40, 50, 60, 70, 80, 90, 100})
	if want := (Counts{11, 22, 33, 44, 55, 66, 77, 88, 99, 110}); c != want {
		t.Errorf("%+v, want %+v", c, want)
	}
	if f := (Fault{"log", 3, "no time"}); f.Error() != "log:3: no time" {
		t.Error(f)
	}
}
