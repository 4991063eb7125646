// Package timing is the timing Bloom filter of Zhang and Guan, "Detecting Click Fraud
// in Pay-Per-Click Streams of Online Advertising Networks", ICDCS 2008: a Bloom
// filter with a time stamp in place of each bit.
//
// An article writes the time, here its number, in all of its cells. One counts as
// seen where all of its cells are younger than Window articles, so the window is
// exact, article by article, and the false positive rate is that of a Bloom filter
// that holds the last Window articles and no other. Time goes round: a stamp has as
// few bits as tell Window ages and some more apart, and with each article some cells
// are looked at and emptied if they have expired, each before its stamp could be
// taken for a new one.
//
// The price is the stamp, log2(Window) bits where a filter has one: 3677 bytes for
// 400 articles at 2 %, nine times the filter without time. The time-limited Bloom filter of
// Rodrigues, Shtul, Baquero and Almeida (arXiv 2306.06742, 2023) is another one: it
// has a time for each slice of an age-partitioned filter, not for each cell, and with
// articles for its time it is package apbf.
package timing

import (
	"cmp"
	"fmt"
	"math/bits"

	"dejavu/bitarray"
	"dejavu/bloom"
	"dejavu/strategies"
)

// Config is the filter's parameters.
type Config struct {
	_        struct{}
	Window   int            // articles remembered, 1 to 65534
	Geometry bloom.Geometry // cells, 32 at least, and hashes
}

const (
	maxWindow = 1<<16 - 2
	minCells  = 32 // so that a history has eight bytes

	// headerBytes follow the cells: the stamp of the newest article in 16 bits,
	// little-endian, and the cell to be looked at next in 32.
	headerBytes = 6
)

// A Filter is the strategy. It implements strategies.Strategy and
// strategies.Theory.
//
// A stamp is 1 to times; 0 is an empty cell.
type Filter struct {
	Config
	strategies.Fixed
	bits  int // of a stamp
	times int
	scan  int // cells looked at with each article
}

// New returns the strategy, or an error that names the field out of range.
func New(c Config) (*Filter, error) {
	if err := cmp.Or(strategies.Within("timing: Window", c.Window, 1, maxWindow), c.Geometry.Validate()); err != nil {
		return nil, err
	}
	if err := strategies.Within("timing: Geometry.Bits", c.Geometry.Bits, minCells, bloom.MaxBits); err != nil {
		return nil, err
	}
	f := &Filter{Config: c}
	// A quarter of a window, at least, is left to look at all cells.
	f.bits = bits.Len(uint(c.Window + c.Window/4 + 1))
	f.times = 1<<f.bits - 1
	f.scan = (c.Geometry.Bits + f.times - c.Window - 1) / (f.times - c.Window)
	f.Fixed = strategies.Fixed{Layout: strategies.NewLayout("timing", headerBytes, (c.Geometry.Bits*f.bits+7)/8)}
	return f, nil
}

// Sized returns the filter of the fewest cells that remembers window articles and
// reports an unseen one as seen with a probability of at most fpr, in (0, 1). It
// returns an error where window is not 1 to 65534 or no geometry meets fpr.
func Sized(window int, fpr float64) (Config, error) {
	if err := strategies.ValidTarget("timing", window, maxWindow, fpr); err != nil {
		return Config{}, err
	}
	g, err := bloom.BestGeometry(window, fpr)
	if err != nil {
		return Config{}, fmt.Errorf("timing: %w", err)
	}
	g.Bits = max(g.Bits, minCells)
	return Config{Window: window, Geometry: g}, nil
}

// state is what the header says.
type state struct {
	now  int // the stamp of the newest article
	cell int // to be looked at next
}

func header(history []byte) state {
	end := len(history) - headerBytes
	return state{int(bitarray.Read(history, 8*end, 16)), int(bitarray.Read(history, 8*end+16, 31))}
}

// load is a state that the history can be in, whatever its header says.
func (f *Filter) load(history []byte) state {
	if len(history) == 0 {
		return state{}
	}
	s := header(history)
	return state{min(s.now, f.times), min(s.cell, f.Geometry.Bits-1)}
}

func (s state) store(history []byte) {
	end := len(history) - headerBytes
	bitarray.Write(history, 8*end, 16, uint64(s.now))
	bitarray.Write(history, 8*end+16, 32, uint64(s.cell))
}

// alive reports whether a cell has the stamp of one of the last Window articles.
func (f *Filter) alive(history []byte, cell, now int) bool {
	stamp := int(bitarray.Read(history, cell*f.bits, f.bits))
	age := now - stamp
	if age < 0 {
		age += f.times
	}
	return stamp > 0 && age < f.Config.Window
}

// Seen asks each candidate's cells until one is empty or expired.
func (f *Filter) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	if len(history) == 0 {
		clear(seen)
		return
	}
	var room [bloom.MaxHashes]int
	now := f.load(history).now
	for i, id := range candidates {
		seen[i] = true
		for _, cell := range f.Geometry.Positions(room[:0], uint64(id)) {
			if !f.alive(history, cell, now) {
				seen[i] = false
				break
			}
		}
	}
}

// Record stamps each article's cells, and empties some that have expired.
func (f *Filter) Record(history []byte, shown []strategies.ID) []byte {
	if len(shown) == 0 {
		return history
	}
	s := f.load(history)
	history = strategies.Grow(history, f.Bytes(1))
	var room [bloom.MaxHashes]int
	for _, id := range shown {
		s.now = s.now%f.times + 1
		for range f.scan {
			if !f.alive(history, s.cell, s.now) {
				bitarray.Write(history, s.cell*f.bits, f.bits, 0)
			}
			s.cell = (s.cell + 1) % f.Geometry.Bits
		}
		for _, cell := range f.Geometry.Positions(room[:0], uint64(id)) {
			bitarray.Write(history, cell*f.bits, f.bits, uint64(s.now))
		}
	}
	s.store(history)
	return history
}

// Validate accepts nothing, or cells of which no stamp has more than an article
// writes, the newest one at least, and which are looked at in time.
func (f *Filter) Validate(history []byte) error {
	if err := f.CheckLength(history); err != nil || len(history) == 0 {
		return err
	}
	s, cells := header(history), f.Geometry.Bits
	if s.now < 1 || s.now > f.times || s.cell >= cells || history[len(history)-1]>>7 != 0 {
		return fmt.Errorf("timing: stamp %d and cell %d, want 1 to %d, and below %d", s.now, s.cell, f.times, cells)
	}
	if stray := bitarray.Ones(history, cells*f.bits, 8*(len(history)-headerBytes)); stray > 0 {
		return fmt.Errorf("timing: %d bits are set beyond the last cell", stray)
	}
	written := make([]int, f.times+1)
	for cell := range cells {
		stamp := int(bitarray.Read(history, cell*f.bits, f.bits))
		written[stamp]++
		age := (s.now - stamp + f.times) % f.times
		looked := (cell-s.cell+cells)%cells/f.scan + 1 // at, after so many articles
		if stamp > 0 && age+looked >= f.times {
			return fmt.Errorf("timing: cell %d is %d articles old, and not looked at for %d more, before %d", cell, age, looked, f.times)
		}
	}
	for stamp, n := range written[1:] {
		if n > f.Geometry.Hashes {
			return fmt.Errorf("timing: %d cells of stamp %d, want %d at most", n, stamp+1, f.Geometry.Hashes)
		}
	}
	if written[s.now] == 0 {
		return fmt.Errorf("timing: no cell has the newest stamp, %d", s.now)
	}
	return nil
}

// FPR is that of a Bloom filter that holds the last Window articles; exact.
func (f *Filter) FPR(read int) float64 { return bloom.Exact(min(read, f.Config.Window), f.Geometry) }

// Window is the last Window articles, exactly.
func (f *Filter) Window(read int) int { return min(read, f.Config.Window) }
