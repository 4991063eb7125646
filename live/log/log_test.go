package log_test

import (
	"context"
	"errors"
	"testing"

	"dejavu/live/log"
)

// A ticket says what became of its records, also to those who come late or have no time;
// one that is not settled waits as long as the context says.
func TestTicket(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	var durable *log.Ticket
	if err := durable.Wait(over); err != nil {
		t.Errorf("no ticket: %v", err)
	}
	for _, want := range []error{nil, errors.New("planted")} {
		ticket := log.NewTicket()
		if err := ticket.Wait(over); !errors.Is(err, context.Canceled) {
			t.Errorf("a wait that is given up: %v", err)
		}
		waited := make(chan error)
		go func() { waited <- ticket.Wait(t.Context()) }()
		ticket.Settle(want)
		if err := <-waited; !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
		if err := ticket.Wait(over); !errors.Is(err, want) {
			t.Errorf("late: %v, want %v", err, want)
		}
	}
}
