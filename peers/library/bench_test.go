package library

import (
	"math/rand/v2"
	"testing"

	"dejavu/strategies"
)

// A request asks for 40 candidates and an update records 10 articles. The
// candidates are so many that no processor learns the answers by heart.
const (
	request = 40
	update  = 10
	asked   = 1 << 17 / request * request
)

// subjects calls f with every library's strategies and ours.
func subjects(b *testing.B, f func(b *testing.B, k Kind, create func(users int) Users)) {
	for _, k := range Kinds {
		for _, l := range append([]Library{Ours("dejavu")}, All()...) {
			if create := k.Of(l); create != nil {
				b.Run(l.Name+"/"+k.Name, func(b *testing.B) { f(b, k, create) })
			}
		}
	}
}

// BenchmarkSeen reports the time of a candidate, of one user in the cache.
func BenchmarkSeen(b *testing.B) {
	shown := numbers(1, capacity)
	fresh := numbers(2, asked)
	r := rand.New(rand.NewPCG(3, 0))
	for _, c := range []struct {
		name string
		seen float64
	}{{"fresh", 0}, {"seen", 1}, {"mixed", 0.5}} {
		b.Run(c.name, func(b *testing.B) {
			subjects(b, func(b *testing.B, k Kind, create func(int) Users) {
				users := create(1)
				users.Record(0, shown[:k.Shown])
				ids := make([]strategies.ID, asked)
				for i := range ids {
					ids[i] = fresh[i]
					if r.Float64() < c.seen {
						ids[i] = shown[r.IntN(k.Shown)]
					}
				}
				seen := make([]bool, request)
				at := 0
				for b.Loop() {
					users.Seen(0, ids[at:at+request], seen)
					if at += request; at == asked {
						at = 0
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/request, "ns/candidate")
			})
		})
	}
}

// BenchmarkRecord reports the time of an article.
func BenchmarkRecord(b *testing.B) {
	ids := numbers(4, 1<<17/update*update)
	subjects(b, func(b *testing.B, k Kind, create func(int) Users) {
		users := create(1)
		if _, static := users.(fuses); static {
			b.Skip("built of all articles at once")
		}
		at, shown := 0, 0
		for b.Loop() {
			users.Record(0, ids[at:at+update])
			if at += update; at == len(ids) {
				at = 0
			}
			if shown += update; k.Wears && shown%capacity == 0 {
				users.Forget(0)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/update, "ns/article")
	})
}
