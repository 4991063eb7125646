// Package measure runs a strategy over a population, or a real log, and counts what
// happens: accuracy, memory, latency.
//
// Every count is a whole number that adds up, whoever counted it, so that a
// result is the same for any number of workers and parts. What depends on the
// machine (resident bytes, times) is kept apart. Rates are clustered by user:
// the queries that one reader's history answers are not independent.
package measure

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"dejavu/store"
	"dejavu/strategies"
)

// A Subject is a strategy under test, with what theory says of it.
type Subject struct {
	Name     string
	Strategy strategies.Strategy
	Theory   strategies.Theory
}

// What theory may know beyond its three methods.
type (
	// An Approximator knows FPR by the textbook approximation too.
	Approximator interface{ Classical(read int) float64 }

	// A Headed strategy keeps a header in every history.
	Headed interface{ HeaderBytes() int }

	// A Filler has an array of bits: Fill counts the ones of a history that
	// answer and the bits they stand among, and FillTheory is the share of
	// ones, in [0, 1], expected after read articles.
	Filler interface {
		Fill(history []byte) (ones, of int)
		FillTheory(read int) float64
	}

	// A Rememberer may remember an article and not a newer one: Remembers
	// reports whether the article shown age articles ago is certainly
	// recognised after read articles. Of other strategies that is
	// age <= Window(read).
	Rememberer interface {
		Remembers(read, age int) bool
	}

	// A Fader forgets little by little: Remembered is the chance, in [0, 1], that
	// the article shown age articles ago, 1 being the newest, is recognised, for
	// whatever reason, when many have been shown.
	Fader interface{ Remembered(age int) float64 }
)

// Options say how to run, none of them what comes out.
type Options struct {
	Workers int // goroutines, at least 1; 0 means one for each processor

	// Parts is in how many consecutive parts the users' histories are alive,
	// at least 1; 0 means as many as Memory asks for.
	Parts int

	// Memory is how many bytes of histories may be alive at once; 0 means
	// no limit.
	Memory int64

	// Stock, if not nil, is where stores have their memory from, so that a
	// measurement need not get anew what the one before gave back.
	Stock *store.Stock

	// Progress, if not nil, is called now and then with a number of users
	// just finished, from any goroutine.
	Progress func(users int)
}

func (o Options) workers() int {
	if o.Workers > 0 {
		return o.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// parts is the number of parts in which need bytes of histories are alive.
// What must be split is split into parts of half the memory at most: any part
// will do then, and memory is dear to get.
func (o Options) parts(need int64) int {
	if o.Parts > 0 {
		return o.Parts
	}
	if o.Memory <= 0 || need <= o.Memory {
		return 1
	}
	part := max(o.Memory/2, 1)
	return int((need + part - 1) / part)
}

func (o Options) progress(users int) {
	if o.Progress != nil {
		o.Progress(users)
	}
}

// stretch is how many users a worker takes at a time.
const stretch = 256

// each calls do for every user of the range, on as many goroutines as the
// options say, each with a worker of its own. It stops early, and returns the
// context's error, when the context is done, and likewise where do panics, as
// a strategy under development may.
func each[W any](ctx context.Context, o Options, workers []W, users Range, do func(w W, user int)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	next.Store(int64(users.From))
	var group sync.WaitGroup
	for _, w := range workers {
		group.Go(func() {
			user := 0
			defer func() {
				if p := recover(); p != nil {
					cancel(fmt.Errorf("user %d: panic: %v", user, p))
				}
			}()
			for ctx.Err() == nil {
				end := int(next.Add(stretch))
				begin := end - stretch
				if begin >= users.To {
					return
				}
				end = min(end, users.To)
				for user = begin; user < end; user++ {
					do(w, user)
				}
				o.progress(end - begin)
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}
