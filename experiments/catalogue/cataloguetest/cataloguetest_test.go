package cataloguetest

import (
	"fmt"
	"testing"
)

// The strategies of the paper, by their names, and one by its own.
func TestSubjects(t *testing.T) {
	var names []string
	for _, s := range Paper(t) {
		if s.Strategy == nil || s.Theory == nil {
			t.Errorf("%s is not made", s.Name)
		}
		names = append(names, s.Name)
	}
	if got := fmt.Sprint(names); got != "[queue single dual dual-blanked chain chain-literal]" {
		t.Errorf("the paper's are %s", got)
	}
	if s := Find(t, "ring"); s.Name != "beyond/ring" || s.Strategy == nil {
		t.Errorf("the ring is %+v", s)
	}
}
