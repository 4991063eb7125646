package catalogue_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"dejavu/experiments/catalogue"
)

// counted counts how often its theory is asked.
type counted struct {
	catalogue.Strategy
	asked *atomic.Int64
}

func (c counted) FPR(read int) float64 {
	c.asked.Add(1)
	return c.Strategy.FPR(read)
}

// A subject answers as its strategy's theory does, and computes each rate once, from many goroutines too.
func TestSubject(t *testing.T) {
	of, err := catalogue.Find("chain")
	if err != nil {
		t.Fatal(err)
	}
	made, err := of.Make()
	if err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int64
	e := catalogue.Entry{Name: "counted", Make: func() (catalogue.Strategy, error) { return counted{made, &asked}, nil }}
	subject := e.Subject()
	const rates = 20
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for read := range rates {
				if got, want := subject.Theory.FPR(100*read), made.FPR(100*read); got != want {
					t.Errorf("after %d articles: %v, want %v", 100*read, got, want)
				}
			}
		})
	}
	wait.Wait()
	if got := asked.Load(); got != rates {
		t.Errorf("%d rates were computed, want %d", got, rates)
	}
	if got, want := subject.Theory.Bytes(300), made.Bytes(300); got != want {
		t.Errorf("%d bytes, want %d", got, want)
	}
	if got, want := subject.Theory.Window(300), made.Window(300); got != want {
		t.Errorf("a window of %d, want %d", got, want)
	}
}

func ExampleFind() {
	e, err := catalogue.Find("ring") // or by its whole name
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := e.Make()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %s.\n%d bytes for 1000 articles, a window of %d\n", e.Name, e.About, s.Bytes(1000), s.Window(1000))
	// Output:
	// beyond/ring: fingerprints of any range in a ring: an exact window.
	// 720 bytes for 1000 articles, a window of 400
}
