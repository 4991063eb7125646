package chain

import (
	"slices"

	"dejavu/bloom"
	"dejavu/internal/cycle"
)

// held is, after read articles, how many the head holds and how many full links stand behind it. The head moves on
// with the article that needs room, so a full head stays head until then, unless the oldest link is cleared ahead.
func (c *Chain) held(read int) (head, full int) {
	if c.ClearAhead && read >= c.Links*c.Capacity {
		return read % c.Capacity, c.Links - 1
	}
	return cycle.Generations(read, c.Capacity, c.Links)
}

// Bytes is the links in use and the header.
func (c *Chain) Bytes(read int) int {
	_, full := c.held(read)
	return c.SizeAt(read, full)
}

// answers is how many articles each link holds that answers after read articles.
func (c *Chain) answers(read int) []int {
	head, full := c.held(read)
	links := slices.Repeat([]int{c.Capacity}, full)
	if !c.HeadSilent {
		links = append(links, head)
	}
	return links
}

// FPR is that of the union of the links that answer (bloom.ExactShared): just below 1 - (1-e(Capacity))^full
// * (1-e(head)), where e is the rate of one link (bloom.Exact), since all links share an article's positions.
// The factor of the head is missing where it is silent.
func (c *Chain) FPR(read int) float64 { return bloom.ExactShared(c.Geometry, c.answers(read)...) }

// LinkSizes is the number of links, and the articles of each.
func (c *Chain) LinkSizes() (links, capacity int) { return c.Links, c.Capacity }

// Answering is which links answer after read articles, from and up to, counted from the first there ever was.
func (c *Chain) Answering(read int) (from, to int) {
	head, full := c.held(read)
	from = (read-head)/c.Capacity - full
	if to = from + full; head > 0 && !c.HeadSilent {
		to++
	}
	return from, to
}

// LinkFPR is the rate of one link that holds so many articles (bloom.Exact).
func (c *Chain) LinkFPR(articles int) float64 { return bloom.Exact(articles, c.Geometry) }

// Asymptotic is the union of the links' rates by the textbook approximation (eq. 1, bloom.Asymptotic).
func (c *Chain) Asymptotic(read int) float64 {
	links := c.answers(read)
	rates := make([]float64, len(links))
	for i, held := range links {
		rates[i] = bloom.Asymptotic(held, c.Geometry)
	}
	return bloom.Union(rates...)
}

// Window is what the links hold, or 0 where a silent head hides the newest.
func (c *Chain) Window(read int) int {
	head, full := c.held(read)
	if c.HeadSilent && head > 0 {
		return 0
	}
	return head + full*c.Capacity
}

// Remembers reports whether the article shown age articles ago, 1 being the newest, is certainly remembered
// after read articles: it must lie in a link that answers.
func (c *Chain) Remembers(read, age int) bool {
	head, full := c.held(read)
	newest := 1
	if c.HeadSilent {
		newest = head + 1
	}
	return newest <= age && age <= head+full*c.Capacity
}

// Fill counts the set bits in all links in use, and their bits.
func (c *Chain) Fill(history []byte) (ones, of int) {
	return c.lanes.First(c.Index(history)+1).Fill(history, ^uint64(0))
}

// FillTheory is the expected share of set bits in the links in use after read articles (bloom.Fill).
func (c *Chain) FillTheory(read int) float64 {
	head, full := c.held(read)
	ones := bloom.Fill(head, c.Geometry) + float64(full)*bloom.Fill(c.Capacity, c.Geometry)
	return ones / float64(full+1)
}
