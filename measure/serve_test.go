package measure

import (
	"context"
	"testing"
	"time"

	"dejavu/store"
)

func TestServe(t *testing.T) {
	s := subjects(t)[4]
	histories, err := store.New(store.Config{Strategy: s.Strategy, Users: 5000})
	if err != nil {
		t.Fatal(err)
	}
	served, err := Serve(context.Background(), Alive{Store: histories, Users: 5000}, 3, 50*time.Millisecond, 1)
	if err != nil {
		t.Fatal(err)
	}
	if served.Goroutines != 3 || served.Least < 1 || served.Most < served.Least || served.Requests < 3*served.Least || served.Requests > 3*served.Most {
		t.Errorf("three goroutines served %+v", served)
	}
	if users := histories.Stats().Users; int64(users) > served.Requests || users == 0 {
		t.Errorf("%d requests left %d readers with a history", served.Requests, users)
	}
}
