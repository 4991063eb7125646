// Package measure runs a strategy over simulated populations and counts answers and memory. Counts are integers, so
// results are the same for any number of workers, parts and shards. What depends on the machine is separate. Rates are
// clustered by user, as one user's queries are alike.
package measure

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/stat/distuv"

	"dejavu/internal/sysinfo"
	"dejavu/store"
	"dejavu/strategies"
)

// A Subject is a strategy under test with its theory.
type Subject struct {
	Name     string
	Strategy strategies.Strategy
	Theory   strategies.Theory
}

// Optional methods of a strategy or its theory.
type (
	// An Approximator also returns the textbook's asymptotic approximation of the FPR.
	Approximator interface{ Asymptotic(read int) float64 }
	// A HeaderSizer has a header of HeaderBytes in every history.
	HeaderSizer interface{ HeaderBytes() int }
	// A FillReporter returns how many bits of the queried arrays are set, of how many, and the expected share.
	FillReporter interface {
		Fill(history []byte) (ones, of int)
		FillTheory(read int) float64
	}
	// A Rememberer may remember an article and not a newer one: Remembers reports whether the article shown age
	// articles ago is always recognised after read articles. For other strategies it is if age <= Window(read).
	Rememberer interface {
		Remembers(read, age int) bool
	}
	// A Decayer forgets gradually: Remembered returns the chance that an article of an age is recognised.
	Decayer interface{ Remembered(age int) float64 }
)

// Options control a run. They do not affect results that follow from the seed.
type Options struct {
	Workers int // goroutines, at least 1; 0 means one for each processor
	// Parts is how many parts the users are divided into; only one part's histories are in memory at a time. 0 chooses
	// by Memory, the most bytes of histories at a time, or 0 for no limit.
	Parts    int
	Memory   int64
	Arena    *store.Arena    // if not nil, provides the memory of stores
	Progress func(users int) // if not nil, called now and then, by any goroutine, with users just finished
}

// Goroutines returns the number of workers.
func (o Options) Goroutines() int { return cmp.Or(max(o.Workers, 0), runtime.GOMAXPROCS(0)) }

// parts returns the number of parts for need bytes of histories: one, or parts of a quarter of Memory.
func (o Options) parts(need int64) int {
	if o.Parts > 0 {
		return o.Parts
	}
	if o.Memory <= 0 || need <= o.Memory {
		return 1
	}
	part := max(o.Memory/4, 1)
	return int((need + part - 1) / part)
}

func (o Options) histories(s Subject, of strategies.Strategy, users Range, parts int, idle store.Timestamp,
) (*store.Store[int], error) {
	c := store.Config{Unsalted: true, Strategy: of, Users: users.Part(0, parts).Len(), Idle: idle, Arena: o.Arena}
	histories, err := store.New[int](c)
	if err != nil {
		err = fmt.Errorf("%s: %w", s.Name, err)
	}
	return histories, err
}

// Done reports users just finished to Progress.
func (o Options) Done(users int) {
	if o.Progress != nil {
		o.Progress(users)
	}
}

// resident returns the bytes of physical memory in use, without those idle in the arena.
func (o Options) resident() int64 {
	sysinfo.Settle()
	return sysinfo.Resident() - o.Arena.Idle()
}

// Together calls do(0) to do(n-1) concurrently, and returns when all are done.
func Together(n int, do func(i int)) {
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() { do(i) })
	}
	group.Wait()
}

// Each calls do for every user of the range and sums counts. Each goroutine gets counts and do from begin.
func Each[T any](
	ctx context.Context, o Options, users Range, begin func() (counts *T, do func(user int)),
) (total T, err error) {
	counts, each := make([]*T, o.Goroutines()), make([]func(user int), o.Goroutines())
	for i := range each {
		counts[i], each[i] = begin()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	const stretch = 256
	var next atomic.Int64
	next.Store(int64(users.From))
	var group sync.WaitGroup
	for _, do := range each {
		group.Go(func() {
			user := 0
			defer func() {
				if p := recover(); p != nil {
					cancel(fmt.Errorf("user %d: panic: %v", user, p))
				}
			}()
			for ctx.Err() == nil {
				end := int(next.Add(stretch))
				from := end - stretch
				if from >= users.To {
					return
				}
				end = min(end, users.To)
				for user = from; user < end; user++ {
					do(user)
				}
				o.Done(end - from)
			}
		})
	}
	group.Wait()
	total = *counts[0]
	for _, c := range counts[1:] {
		Sum(&total, *c)
	}
	return total, context.Cause(ctx)
}

// Count returns how many of the answers equal value.
func Count(seen []bool, value bool) (n int) {
	for _, s := range seen {
		if s == value {
			n++
		}
	}
	return n
}

// An Asker queries histories, with a buffer of its own.
type Asker struct{ seen []bool }

// Count returns how many of the candidates a history remembers.
func (a *Asker) Count(s strategies.Strategy, history []byte, candidates []strategies.ID) int {
	a.seen = slices.Grow(a.seen[:0], len(candidates))[:len(candidates)]
	s.Seen(history, candidates, a.seen)
	return Count(a.seen, true)
}

// A Range contains the numbers From to To-1, of users or filters.
type Range struct{ From, To int }

// Len returns how many numbers are in the range.
func (r Range) Len() int { return r.To - r.From }

// Part returns the i-th of n consecutive parts, from 0, of lengths that differ by at most 1. The first is a longest.
func (r Range) Part(i, n int) Range {
	edge := func(i int) int { return r.From + int((int64(r.Len())*int64(i)+int64(n)-1)/int64(n)) }
	return Range{edge(i), edge(i + 1)}
}

// Sum adds every number in v to its counterpart in to, through structs, arrays and slices. A Most becomes the maximum
// instead, a Least the minimum.
func Sum[T any](to *T, v T) { sum(reflect.ValueOf(to).Elem(), reflect.ValueOf(v)) }

// Most and Least are extremes among users (Sum).
type (
	Most  int64
	Least int64
)

func sum(to, more reflect.Value) {
	switch kind := to.Kind(); {
	case kind == reflect.Struct:
		for i := range to.NumField() {
			sum(to.Field(i), more.Field(i))
		}
	case kind == reflect.Slice || kind == reflect.Array:
		if n := more.Len() - to.Len(); n > 0 {
			to.Set(reflect.AppendSlice(to, reflect.MakeSlice(to.Type(), n, n)))
		}
		for i := range more.Len() {
			sum(to.Index(i), more.Index(i))
		}
	case to.CanFloat():
		to.SetFloat(to.Float() + more.Float())
	case !to.CanInt():
		panic(fmt.Sprintf("measure: %v does not add up", to.Type()))
	case to.Type() == reflect.TypeFor[Most]():
		to.SetInt(max(to.Int(), more.Int()))
	case to.Type() == reflect.TypeFor[Least]():
		to.SetInt(min(to.Int(), more.Int()))
	default:
		to.SetInt(to.Int() + more.Int())
	}
}

// A Rate counts hits among queries, clustered by user.
type Rate struct {
	Users          int64 `json:"users"`
	Queries        int64 `json:"queries"`
	Hits           int64 `json:"hits"`
	HitsHits       int64 `json:"hh"` // sums over users of hits², queries² and hits·queries
	QueriesQueries int64 `json:"qq"`
	HitsQueries    int64 `json:"hq"`
}

// Add counts one user's queries.
func (r *Rate) Add(queries, hits int) {
	q, h := int64(queries), int64(hits)
	r.Users++
	r.Queries += q
	r.Hits += h
	r.HitsHits += h * h
	r.QueriesQueries += q * q
	r.HitsQueries += h * q
}

// Value returns hits per query, 0 without queries.
func (r Rate) Value() float64 {
	if r.Queries == 0 {
		return 0
	}
	return float64(r.Hits) / float64(r.Queries)
}

// StdErr returns the standard error of Value as a ratio of sums over users (Cochran, Sampling Techniques, 1977, §6.3).
func (r Rate) StdErr() float64 {
	if r.Users < 2 || r.Queries == 0 {
		return math.NaN()
	}
	p := r.Value()
	squares := float64(r.HitsHits) - 2*p*float64(r.HitsQueries) + p*p*float64(r.QueriesQueries)
	n := float64(r.Users)
	return math.Sqrt(max(squares, 0)*n/(n-1)) / float64(r.Queries)
}

const (
	normalHits    = 30 // the fewest hits, and misses, for the normal approximation
	leastClusters = 30 // with fewer the variance is uncertain
	groupBits     = 12 // of an article's hash
)

// Interval returns the 95 % confidence interval of the rate: Value ± 1.96 standard errors or, if hits or misses are
// few, the exact one of Clopper and Pearson (1934). With few users of several queries each it is NaN to NaN.
func (r Rate) Interval() (low, high float64) {
	return r.interval(r.Users, func() float64 { return 1.959964 * r.StdErr() })
}

// interval returns the interval as Interval does, with this margin and number of clusters.
func (r Rate) interval(clusters int64, margin func() float64) (low, high float64) {
	switch {
	case clusters < leastClusters && r.Queries > clusters:
		return math.NaN(), math.NaN()
	case clusters >= leastClusters && min(r.Hits, r.Queries-r.Hits) >= normalHits:
		return max(0, r.Value()-margin()), min(1, r.Value()+margin())
	}
	return exact(r)
}

func exact(r Rate) (low, high float64) {
	misses := r.Queries - r.Hits
	low, high = 0, 1
	if r.Hits > 0 {
		low = distuv.Beta{Alpha: float64(r.Hits), Beta: float64(misses + 1)}.Quantile(0.025)
	}
	if misses > 0 {
		high = distuv.Beta{Alpha: float64(r.Hits + 1), Beta: float64(misses)}.Quantile(0.975)
	}
	return low, high
}

// Articles counts the queries of a Rate by article, in 4096 groups by a hash of the ID. If users share articles, a rate
// clustered by user alone looks too certain. Unrelated articles in a group do not change the variance.
type Articles struct {
	Queries []int64 `json:"queries"`
	Hits    []int64 `json:"hits"`
}

// NewArticles returns counts of 0.
func NewArticles() Articles {
	return Articles{make([]int64, 1<<groupBits), make([]int64, 1<<groupBits)}
}

// Add counts a query for an article, and whether it was a hit.
func (a Articles) Add(id strategies.ID, hit bool) {
	a.Queries[group(id)]++
	if hit {
		a.Hit(id)
	}
}

// Hit counts a hit of a query that is already counted.
func (a Articles) Hit(id strategies.ID) { a.Hits[group(id)]++ }

func group(id strategies.ID) uint64 { return uint64(id) * 0x9e3779b97f4a7c15 >> (64 - groupBits) }

func (a Articles) rate() (r Rate) {
	for i, queries := range a.Queries {
		if queries > 0 {
			r.Add(int(queries), int(a.Hits[i]))
		}
	}
	return r
}

// StdErr returns the standard error of the rate of the same queries, clustered by user and by article (Cameron, Gelbach
// and Miller, Robust inference with multiway clustering, 2011). It is at least the error by user.
func (a Articles) StdErr(users Rate) float64 {
	articles, p := a.rate(), users.Value()
	alone := p * (1 - p) / float64(users.Queries)
	square := func(v float64) float64 { return v * v }
	return math.Sqrt(square(users.StdErr()) + max(0, square(articles.StdErr())-alone))
}

// Interval returns the 95 % confidence interval of the rate of the same queries: Value ± StdErr times the quantile of
// Student's t for the fewer of users and articles, less one. If hits or users are few, it is as in Rate.Interval.
func (a Articles) Interval(users Rate) (low, high float64) {
	clusters := min(users.Users, a.rate().Users)
	return users.interval(clusters, func() float64 {
		return distuv.StudentsT{Sigma: 1, Nu: float64(clusters - 1)}.Quantile(0.975) * a.StdErr(users)
	})
}
