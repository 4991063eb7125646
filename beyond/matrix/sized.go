package matrix

import (
	"math"

	"dejavu/strategies"
)

// Window400 is the filter for a window of 400 articles at 2 %, as the paper's chain has (§7).
var Window400 = Config{Links: 8, Articles: 50, Columns: 9, KeyBits: 17}

const maxWindow = maxLinks * maxArticles

// Sized returns the filter of the fewest bytes, then links, that remembers window articles at every moment at a rate of
// at most fpr, in (0, 1). It returns an error if window is not 1 to 56896, or no filter meets fpr.
func Sized(window int, fpr float64) (Config, error) {
	if err := strategies.ValidTarget("matrix", window, maxWindow, fpr); err != nil {
		return Config{}, err
	}
	var best Config
	shortest, lowest := math.MaxInt, 1. // of all, bytes and rate
	for links := 2; links <= maxLinks; links++ {
		articles := max(minArticles, (window+links-1)/links)
		if articles > maxArticles {
			continue
		}
		finest := Config{Links: links, Articles: articles, Columns: maxColumns, KeyBits: maxKeyBits}
		lowest = min(lowest, finest.rate(links, articles-1))
		for keyBits := minKeyBits; keyBits <= maxKeyBits; keyBits++ {
			c := Config{Links: links, Articles: articles, KeyBits: keyBits}
			if !c.narrowest(fpr) {
				continue
			}
			if bytes := c.headAt(links) + c.headBytes(articles-1, c.low()); bytes < shortest {
				best, shortest = c, bytes
			}
		}
	}
	if shortest == math.MaxInt {
		return Config{}, strategies.Unmet("matrix", window, fpr, lowest)
	}
	return best, nil
}

// narrowest sets the fewest columns that meet a rate, and reports whether any do.
func (c *Config) narrowest(fpr float64) bool {
	for c.Columns = 1; c.Columns <= maxColumns; c.Columns++ {
		if c.Short = 0; c.rate(c.Links, c.Articles-1) > fpr {
			continue
		}
		for c.Columns > 1 && c.Short < c.Links {
			if c.Short++; c.rate(c.Links, c.Articles-1) > fpr {
				c.Short--
				break
			}
		}
		return true
	}
	return false
}

// rate returns the chance that an unseen key is held or agrees with a link: 1 - (1 - 2^-KeyBits)^n Π (1 - 2^-columns).
func (c *Config) rate(links, head int) float64 {
	short := min(links, c.Short)
	log := float64(links*c.Articles+head)*math.Log1p(-math.Exp2(-float64(c.KeyBits))) +
		float64(links-short)*math.Log1p(-math.Exp2(-float64(c.Columns)))
	if short > 0 {
		log += float64(short) * math.Log1p(-math.Exp2(1-float64(c.Columns)))
	}
	return -math.Expm1(log)
}

// held returns the closed links, and the articles of the head, of a history after read articles.
func (c *Config) held(read int) (links, head int) {
	read = max(read, 0)
	return min(read/c.Articles, c.Links), read % c.Articles
}

// Bytes returns the bytes of the links, the head and the header.
func (f *Filter) Bytes(read int) int { return f.SizeAt(read, f.roomFor(f.held(read))) }

// FPR is exact for distinct articles, but for links that no seed solves.
func (f *Filter) FPR(read int) float64 { return f.rate(f.held(read)) }

// Window returns the number of articles of the links and of the head.
func (f *Filter) Window(read int) int {
	links, head := f.held(read)
	return links*f.Articles + head
}
