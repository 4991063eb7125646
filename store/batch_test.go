package store_test

import (
	"testing"

	"dejavu/store"
)

func TestSeenAllRefusesStrangers(t *testing.T) {
	s := mustNew(t, store.Config{Unsalted: true, Strategy: flat, Users: 10})
	defer func() {
		if recover() == nil {
			t.Error("a reader beyond the last is accepted")
		}
		s.Record(3, 0, shownOne) // nothing is left locked
	}()
	s.SeenAll(0, []store.Request[int]{{User: 3}, {User: 10}})
}
