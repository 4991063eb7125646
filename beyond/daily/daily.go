// Package daily remembers a month of articles and forgets it day by day: a Bloom filter for each day with any.
//
// In Wang's lecture on the exposure filter, every user's filter is rebuilt every night from a log of a month's IDs.
// Here no log is needed, and the days are interleaved (bloom.Lanes): a query of thirty days costs the k loads of one
// filter. Answers leave out an expired day; its bits are cleared when the user is first shown something on a later day.
//
// Every article of the last Days days, today included, is recognised. The days' rates add up: 16.7 bits an article at 1
// %, where one filter takes 9.6 and the log 64. The caller sets the day with On.
package daily

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/bits"

	"dejavu/bloom"
	"dejavu/strategies"
)

// Config is the parameters of the days' filters.
type Config struct {
	_        struct{}
	Days     int            // how many days are remembered, today included, 2 to MaxDays
	Geometry bloom.Geometry // of one day's filter, at least bloom.MinLaneBits bits
}

// MaxDays is the most days that a header can describe.
const MaxDays = 32

// Month remembers thirty days of 150 articles ("several thousand a month") with the smallest filters for 1 % when full.
var Month = Config{Days: 30, Geometry: bloom.Geometry{Bits: 2503, Hashes: 11}}

// headerBytes follow the lanes: the last day in 16 bits, little-endian, its lane and the number of lanes in a byte
// each, and 32 bits: bit i is set if the day i days before has a lane. Free lanes follow the last day's.
const headerBytes = 8

// A Filter is the strategy of daily filters. It implements strategies.Dated and strategies.Theory. A history grows by
// a lane if no lane is free for a new day: weekly users pay for five. It begins again when all days have expired.
type Filter struct {
	Config
	strategies.Layout // of one to Days lanes
	lanes             bloom.Lanes
	bloom.Theory      // of articles of one day: without days nothing expires
}

// New returns the strategy, or an error that names the field out of range.
func New(c Config) (*Filter, error) {
	lanes, err := bloom.NewLanes(c.Geometry, c.Days)
	if err := cmp.Or(strategies.Within("daily: Days", c.Days, 2, MaxDays), strategies.In("daily", err)); err != nil {
		return nil, err
	}
	layout := strategies.NewLayout("daily", c, headerBytes, lanes.LaneBytes()...)
	return &Filter{c, layout, lanes, bloom.NewTheory(c.Geometry, bloom.All)}, nil
}

type state struct { // what the header says
	day   int    // the last
	head  int    // its lane
	lanes int    // in the array
	days  uint32 // that have one, bit i for the day i days before the last
}

// load returns a possible state of the history, whatever its header says.
func (f *Filter) load(history []byte) state {
	s := header(history)
	s.lanes = f.Index(history) + 1
	s.head = min(s.head, s.lanes-1)
	return s
}

func header(history []byte) state {
	if len(history) == 0 {
		return state{}
	}
	word := binary.LittleEndian.Uint64(history[len(history)-headerBytes:])
	return state{
		day:   int(word & 0xffff),
		head:  int(word >> 16 & 0xff),
		lanes: int(word >> 24 & 0xff),
		days:  uint32(word >> 32),
	}
}

func (s state) store(history []byte) {
	word := uint64(s.day) | uint64(s.head)<<16 | uint64(s.lanes)<<24 | uint64(s.days)<<32
	binary.LittleEndian.PutUint64(history[len(history)-headerBytes:], word)
}

// left returns the days that have not expired on day. Before the last day nothing expires.
func (f *Filter) left(s state, day int) uint32 {
	within := uint64(1)<<f.Days - 1
	return s.days & uint32(within>>max(0, day-s.day))
}

// newest returns the lanes of the newest days; a forged history may have fewer lanes than days.
func (s state) newest(days uint32) uint64 {
	n := min(bits.OnesCount32(days), s.lanes)
	if before := s.head + 1; n > before { // the ring's end
		n -= before
		return (1<<before - 1) | (1<<n-1)<<(s.lanes-n)
	}
	return (1<<n - 1) << (s.head + 1 - n)
}

// Seen tests each candidate against all days of the history, as on its last day.
func (f *Filter) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	f.SeenOn(history, 0, candidates, seen)
}

// On returns the strategy as it is on a day (strategies.Dated).
func (f *Filter) On(day int) strategies.Strategy { return strategies.OnDay(f, day) }

// SeenOn is Seen on a day. It ignores the days that have expired, and writes nothing.
func (f *Filter) SeenOn(history []byte, day int, candidates []strategies.ID, seen []bool) {
	s := f.load(history)
	bloom.Query(f.lanes.First(s.lanes), history, s.newest(f.left(s, day)), candidates, seen)
}

// Record adds the articles to the history's last day.
func (f *Filter) Record(history []byte, shown []strategies.ID) []byte {
	return f.RecordOn(history, 0, shown)
}

// RecordOn adds the articles to a day. A day's first articles drop the days that have expired, in one pass.
func (f *Filter) RecordOn(history []byte, day int, shown []strategies.ID) []byte {
	if len(shown) == 0 {
		return history
	}
	if len(history) == 0 {
		history = f.begin(history, day)
	} else if s := f.load(history); day > s.day {
		history = f.turn(history, s, day)
	}
	s := f.load(history)
	bloom.Insert(f.lanes.First(s.lanes), history, 1<<s.head, shown)
	return history
}

func (f *Filter) begin(history []byte, day int) []byte {
	history = strategies.Grow(history[:0], f.Sizes()[0])
	state{day: day, lanes: 1, days: 1}.store(history)
	return history
}

// turn drops what has expired and provides a blank lane for the day.
func (f *Filter) turn(history []byte, s state, day int) []byte {
	if history = f.Expire(history, day); len(history) == 0 {
		return f.begin(history, day)
	}
	left := f.load(history).days
	s.head = (s.head + 1) % s.lanes
	if bits.OnesCount32(left) == s.lanes {
		// No lane is free. The new one follows the head, and the oldest day becomes the first lane.
		history = f.lanes.Grow(history, headerBytes, s.lanes+1, s.head)
		s.head, s.lanes = s.lanes, s.lanes+1
	}
	s.days = left<<(day-s.day) | 1
	s.day = day
	s.store(history)
	return history
}

// Expire drops the days that have expired on day, or the whole history, as Record does on a new day. For benchmarks.
func (f *Filter) Expire(history []byte, day int) []byte {
	s := f.load(history)
	left := f.left(s, day)
	switch left {
	case s.days:
		return history
	case 0:
		return history[:0]
	}
	f.lanes.First(s.lanes).Clear(history, ^s.newest(left))
	s.days = left
	s.store(history)
	return history
}

// Validate accepts nothing, or lanes and a header that agree with each other.
func (f *Filter) Validate(history []byte) error {
	if err := f.CheckLength(history); err != nil || len(history) == 0 {
		return err
	}
	s := header(history)
	days, oldest := bits.OnesCount32(s.days), bits.Len32(s.days)-1
	switch {
	case s.lanes < 1 || s.lanes > f.Days || f.Sizes()[s.lanes-1] != len(history):
		return fmt.Errorf("daily: header says %d lanes in a history of %d bytes", s.lanes, len(history))
	case s.head >= s.lanes:
		return fmt.Errorf("daily: the last day has lane %d of %d", s.head, s.lanes)
	case s.days&1 == 0:
		return fmt.Errorf("daily: the last day, %d, has no lane", s.day)
	case oldest >= f.Days || oldest > s.day:
		return fmt.Errorf("daily: a lane is %d days older than day %d, want %d at most", oldest, s.day, min(f.Days-1, s.day))
	case days > s.lanes:
		return fmt.Errorf("daily: header says %d days in %d lanes", days, s.lanes)
	}
	lanes, live := f.lanes.First(s.lanes), s.newest(s.days)
	if err := lanes.Check("daily", history); err != nil {
		return err
	}
	used := lanes.Used(history)
	if wrong := used &^ live; wrong != 0 {
		return fmt.Errorf("daily: a bit is set in lane %d, which belongs to no day", bits.TrailingZeros64(wrong))
	}
	if wrong := live &^ used; wrong != 0 {
		return fmt.Errorf("daily: no bit is set in lane %d, a day's", bits.TrailingZeros64(wrong))
	}
	return nil
}

// Bytes returns the length of one lane, with the articles of one day, and the header.
func (f *Filter) Bytes(read int) int { return f.SizeAt(read, 0) }

// BytesDays returns the length of a history of the given number of lanes, 0 to Days.
func (f *Filter) BytesDays(lanes int) int { return f.SizeAt(lanes, lanes-1) }

// FPRDays returns the chance that an unseen article is reported as seen if the days that have not expired hold counts
// distinct articles, in any order. A repeat counts on each of its days. It is exact (bloom.ExactShared).
func (f *Filter) FPRDays(counts []int) float64 { return bloom.ExactShared(f.Geometry, counts...) }

// Fill counts the set bits in the lanes of the history's days, and their bits.
func (f *Filter) Fill(history []byte) (ones, of int) {
	s := f.load(history)
	return f.lanes.First(s.lanes).Fill(history, s.newest(s.days))
}

// One returns the single filter to compare a month with: the same total bits, and the best hashes for articles.
func (f *Filter) One(articles int) bloom.Geometry {
	return bloom.BestHashes(min(f.Days*f.Geometry.Bits, bloom.MaxBits), articles)
}

// Rebuild does what the lecture does every night: it builds one filter anew from the IDs of the days not expired.
func Rebuild(one strategies.Strategy, filter []byte, log [][]strategies.ID) []byte {
	filter = filter[:0]
	for _, day := range log {
		filter = one.Record(filter, day)
	}
	return filter
}
