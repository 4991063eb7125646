package strategytest

import (
	"encoding/binary"
	"errors"
	"slices"

	"dejavu/strategies"
)

// A Paced strategy is a dated one whose user is shown perDay articles a day, so that the kit, which knows no days, can
// test it. It has a Theory except for the rate and the window, which the embedding type adds. Its history is of one
// length: a dated one, zeros, its length and the number of articles read, four bytes each.
type Paced struct {
	dated  strategies.Dated
	perDay int
	day    func(article int) int
	on     []strategies.Strategy // by day
	strategies.Fixed
}

const (
	pacedHeader = 8       // the dated history's length and the articles read
	mostRead    = 1 << 24 // no more are counted
)

// NewPaced returns the strategy for perDay articles a day, at least 1. Day returns the day of an article by its number
// from 0, never falling and shared by perDay articles; nil is one day after the other. Days end with the 2000th.
func NewPaced(s strategies.Dated, perDay int, day func(article int) int) *Paced {
	if day == nil {
		day = func(article int) int { return article / perDay }
	}
	p := &Paced{dated: s, perDay: perDay, day: day}
	p.Fixed = strategies.NewFixed("paced", nil, slices.Max(s.Sizes())+pacedHeader)
	for day := range 2000 {
		p.on = append(p.on, s.On(day))
	}
	return p
}

// Day returns the day of an article by its number from 0.
func (p *Paced) Day(article int) int { return min(p.day(article), len(p.on)-1) }

// Dated returns the dated strategy's history, and the articles read.
func (p *Paced) Dated(history []byte) (dated []byte, read int) {
	room := len(history) - pacedHeader
	// Damaged numbers, too, must be a possible length, and fit an int of 32 bits, whatever their days.
	length := min(binary.LittleEndian.Uint32(history[room:]), uint32(room))
	if !slices.Contains(p.dated.Sizes(), int(length)) {
		length = 0
	}
	return history[:length:room], int(min(binary.LittleEndian.Uint32(history[room+4:]), mostRead))
}

// Seen asks on the day of the newest article.
func (p *Paced) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	if len(history) == 0 {
		clear(seen)
		return
	}
	dated, read := p.Dated(history)
	p.on[p.Day(max(read-1, 0))].Seen(dated, candidates, seen)
}

// Record records each article on its day.
func (p *Paced) Record(history []byte, shown []strategies.ID) []byte {
	if len(shown) == 0 {
		return history
	}
	history = strategies.Grow(history, p.Bytes(1))
	dated, read := p.Dated(history)
	for len(shown) > 0 {
		n := min(len(shown), p.perDay-read%p.perDay)
		dated = p.on[p.Day(read)].Record(dated, shown[:n])
		shown, read = shown[n:], read+n
	}
	room := len(history) - pacedHeader
	clear(history[len(dated):room])
	binary.LittleEndian.PutUint32(history[room:], uint32(len(dated)))
	binary.LittleEndian.PutUint32(history[room+4:], uint32(read))
	return history
}

// Validate accepts nothing, or what the dated strategy accepts.
func (p *Paced) Validate(history []byte) error {
	if err := p.CheckLength(history); err != nil || len(history) == 0 {
		return err
	}
	dated, _ := p.Dated(history)
	if len(dated) == 0 {
		return errors.New("a paced history of nothing")
	}
	return p.dated.Validate(dated)
}
