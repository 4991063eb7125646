package matrix

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"dejavu/internal/kernel"
	"dejavu/internal/kernel/kerneltest"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// drawConfig draws any configuration. Consecutive draws cover all numbers of columns, and every fourth has rows of
// several words. In some, so few bytes follow the columns that a column's word is read beyond them.
func drawConfig(draw int, r *rand.Rand) Config {
	c := Config{Columns: 1 + draw%maxColumns, KeyBits: minKeyBits + r.IntN(maxKeyBits-minKeyBits+1)}
	if c.Articles = minArticles + r.IntN(rowBits-minArticles+1); draw/maxColumns%4 == 3 {
		c.Articles = kerneltest.Log(r, rowBits+1, maxArticles)
	}
	if draw%4 == 0 { // kernels take eight columns at a time: links of 8, 16 or 24 beside links of one column more
		c.Columns, c.Articles = 9+8*(draw/4%3), minArticles+r.IntN(rowBits-minArticles+1)
	}
	c.Links = 2 + r.IntN(min(maxLinks-1, 1+800/c.Articles))
	if draw%8 == 5 {
		c.Links, c.Articles = 2, minArticles+r.IntN(4)
	}
	if most := min(c.Links, (c.Columns-1)*c.Links); draw%4 == 0 || r.IntN(4) > 0 {
		c.Short = r.IntN(most + 1)
	}
	return c
}

// A subject is a filter and one history, at the end of guarded memory or not.
type subject struct {
	*Filter
	ids     []strategies.ID
	read    int
	history []byte
}

// ask returns the answers to recorded and other articles, and the keys of the head.
func (s *subject) ask(history []byte, r *rand.Rand) (answers []byte, missed int) {
	candidates := make([]strategies.ID, 1+r.IntN(150))
	inside := make([]bool, len(candidates))
	for i := range candidates {
		age := r.IntN(s.read + s.read/2 + 1)
		candidates[i] = s.ids[(s.read+len(s.ids)-1-age)%len(s.ids)]
		inside[i] = age < min(s.read, s.Window(s.read))
	}
	seen := strategytest.Ask(s.Filter, history, candidates)
	for i := range seen {
		if inside[i] && !seen[i] {
			missed++
		}
	}
	var keys [maxArticles + keysBehind]uint32
	return fmt.Append(nil, seen, s.decode(history, s.load(history), keys[:])), missed
}

// All kernels record the same bytes and give the same answers, and no article of the window is missed: whatever the
// configuration, with two filters sharing the memory in turn, at the end of memory, and with histories that have a
// flipped bit in one column, so that articles disagree in that column alone.
func TestDrawn(t *testing.T) {
	memory := strategytest.Guarded(t, 1<<16)
	kerneltest.Draw(t, 160, "c47d6c3a624310be", func(draw int, r *rand.Rand) (about string, returned []byte) {
		var subjects [2]subject
		for i := range subjects {
			f, err := New(drawConfig(draw+i*37, r))
			strategytest.Must(t, err)
			ids := strategytest.IDs(r.Uint64(), 3+2*(f.Links+1)*f.Articles)
			for range r.IntN(len(ids)) * r.IntN(2) / 4 {
				ids[r.IntN(len(ids))] = ids[r.IntN(len(ids))] // repeats
			}
			subjects[i] = subject{Filter: f, ids: ids}
			about += fmt.Sprintf("%+v ", f.Config)
		}
		for range 4 {
			for i := range subjects {
				s := &subjects[i]
				more := r.IntN(1 + (len(s.ids)-s.read)/2)
				s.history = s.Record(s.history, s.ids[s.read:s.read+more])
				if s.read += more; s.read == 0 {
					continue
				}
				strategytest.Must(t, s.Validate(s.history))
				history := memory[len(memory)-len(s.history):]
				copy(history, s.history)
				answers, missed := s.ask(history, r)
				if missed > 0 {
					t.Errorf("draw %d, kernels: %v, %+v: %d candidates of the window are missed after %d articles", draw,
						kernel.Now(), s.Config, missed, s.read)
				}
				returned = append(append(returned, s.history...), answers...)
				if n := s.at(s.closed(s.load(history))); n > 0 {
					for range 1 + n/100 {
						history[r.IntN(n)/8] ^= 1 << r.IntN(8)
					}
					answers, _ = s.ask(history, r)
					returned = append(returned, answers...)
				}
			}
		}
		return about, returned
	})
}

// BenchmarkVectors asks each kernel for 40 unseen articles.
func BenchmarkVectors(b *testing.B) {
	f := strategytest.Value(New(Window400))
	ids := strategytest.IDs(1, 2000)
	history, seen := f.Record(nil, ids[:449]), make([]bool, 40)
	for _, kind := range kernel.Kinds() {
		b.Run(kind.String(), func(b *testing.B) {
			defer kernel.Use(kind)()
			for b.Loop() {
				f.Seen(history, ids[1000:1040], seen)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(40*b.N), "ns/candidate")
		})
	}
}
