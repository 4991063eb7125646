package main

import (
	"fmt"
	"reflect"
	"strings"

	"dejavu/beyond/apbf"
	"dejavu/beyond/blocked"
	"dejavu/beyond/confirmed"
	"dejavu/beyond/counting"
	"dejavu/beyond/cuckoo"
	"dejavu/beyond/ring"
	"dejavu/beyond/rolling"
	"dejavu/beyond/scalable"
	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/dual"
	"dejavu/experiments/catalogue"
	"dejavu/queue"
	"dejavu/results"
	"dejavu/single"
)

// A kind is a strategy whose parameters are still open. What a choice of them
// promises is asked of the strategy they make (strategies.Theory), never
// computed here.
type kind struct {
	name string

	// wears is for a strategy that never forgets: it is made for the articles
	// that it is to hold its rate for, not for a window.
	wears bool

	// config is the configuration of the fewest bytes that remembers so many
	// articles at every moment and errs at most as often, made what that
	// constructs, and source Go code that does.
	config func(articles int, fpr float64) (any, error)
	made   func(articles int, fpr float64) (catalogue.Strategy, error)
}

// kinds are the strategies of the paper and, unless only they are asked for,
// those beyond it that can be made for a window and a rate.
func kinds(paper bool) []kind {
	all := []kind{
		kindOf("queue", queueFor, queue.New),
		kindOf("single", singleFor, single.New),
		kindOf("dual", dualFor, dual.New),
		kindOf("chain", chain.Best, chain.New),
	}
	for _, e := range catalogue.All() {
		if e.Sized != nil && e.IsBeyond() && e.Name != catalogue.ChainBest && !paper {
			all = append(all, kind{name: e.Name, config: e.Config, made: e.Sized})
		}
	}
	for i := range all {
		// Whatever number of articles it is made for.
		if s, err := all[i].made(1, 0.1); err == nil {
			all[i].wears = endless(s)
		}
	}
	return all
}

func kindOf[C any, S catalogue.Strategy](name string, config func(articles int, fpr float64) (C, error), build func(C) (S, error)) kind {
	return kind{name: name, config: catalogue.ConfigBy(config), made: catalogue.SizedBy(config, build)}
}

func queueFor(window int, fpr float64) (queue.Config, error) {
	c := queue.Config{Window: window}
	s, err := queue.New(c)
	if err != nil {
		return c, err
	}
	if rate := s.FPR(window); rate > fpr {
		return c, fmt.Errorf("queue: its rate is %.3g whatever the memory", rate)
	}
	return c, nil
}

func singleFor(articles int, fpr float64) (single.Config, error) {
	g, err := bloom.BestGeometry(articles, fpr)
	return single.Config{Capacity: articles, Geometry: g}, err
}

// The dual filter's capacity is twice its threshold: the slave then holds half
// of it, the window, when it takes over. A later threshold leaves the slave less,
// and asks for larger filters to leave as much; an earlier one New does not
// accept. The master answers until the article that would fill it.
func dualFor(window int, fpr float64) (dual.Config, error) {
	g, err := bloom.BestGeometry(2*window-1, fpr)
	g.Bits = max(g.Bits, bloom.MinLaneBits)
	return dual.Config{Capacity: 2 * window, Threshold: window, Geometry: g}, err
}

// steady is an article by which every wheel that is made for a window has turned,
// whatever it is made of.
func steady(window int) int { return 4*window + 1<<9 }

// turn is the articles shown when a turn begins and when it ends, long after the
// first: the window is smallest at the one, the rate highest at the other.
func turn(s catalogue.Strategy, window int) (first, last int) {
	// The window falls where a turn begins. A queue's never does.
	begins := func(from int) int {
		for read := from; read <= from+2*window+1; read++ {
			if s.Window(read) < s.Window(read-1) {
				return read
			}
		}
		return 0
	}
	first = steady(window)
	if begin := begins(first); begin > 0 {
		return begin, begins(begin+1) - 1
	}
	return first, first
}

// shapeOf fills in the parameters that the paper's strategies have, and the text
// of any.
func (s *offer) shapeOf(config any) {
	s.Geometry = geometryText(config)
	s.Go = strings.Join(source(config), "; ")
	filter := func(capacity int, g bloom.Geometry) { s.Capacity, s.Bits, s.Hashes = capacity, g.Bits, g.Hashes }
	switch c := config.(type) {
	case queue.Config:
		s.Capacity = c.Window
	case single.Config:
		filter(c.Capacity, c.Geometry)
	case dual.Config:
		filter(c.Capacity, c.Geometry)
		s.Threshold = c.Threshold
	case chain.Config:
		filter(c.Capacity, c.Geometry)
		s.Links = c.Links
	}
}

// geometryText is a configuration for people, in 30 characters where numbers are
// as usual.
func geometryText(config any) string {
	switch c := config.(type) {
	case queue.Config:
		return fmt.Sprintf("%d IDs", c.Window)
	case single.Config:
		return fmt.Sprintf("%d articles in %v", c.Capacity, c.Geometry)
	case dual.Config:
		return fmt.Sprintf("2 × %d in %v, from %d on", c.Capacity, c.Geometry, c.Threshold)
	case chain.Config:
		return fmt.Sprintf("%d × %d articles in %v", c.Links, c.Capacity, c.Geometry)
	case apbf.Config:
		return fmt.Sprintf("%d + %d slices of %d bits", c.Hashes, c.Shifts, c.Bits)
	case blocked.Config:
		return fmt.Sprintf("%d blocks, %d hashes", c.Blocks, c.Hashes)
	case confirmed.Config:
		return fmt.Sprintf("%d IDs, %s", c.Last, strings.Replace(geometryText(inner(c)), "articles ", "", 1))
	case counting.Config:
		return fmt.Sprintf("%d articles in %v", c.Capacity, c.Geometry)
	case cuckoo.Config:
		return fmt.Sprintf("%d × %d in %d × %d of %d bits", c.Generations, c.Capacity, c.Buckets, c.Slots, c.Fingerprint)
	case ring.Config:
		return fmt.Sprintf("%d of %d bits", c.Window, c.Bits)
	case rolling.Config:
		return fmt.Sprintf("3 × %d articles in %v", c.Generation, c.Geometry)
	case scalable.Config:
		return fmt.Sprintf("%d articles, then %d × as many", c.First, c.Growth)
	default: // a newcomer: its fields
		text := literal(config)
		return strings.TrimSuffix(text[strings.IndexByte(text, '{')+1:], "}")
	}
}

// inner is the configuration behind a list of the newest, nil where it is none
// that the catalogue makes.
func inner(c confirmed.Config) any {
	if s, ok := c.Inner.(*chain.Chain); ok {
		return s.Config
	}
	return nil
}

// source is Go code that constructs what a configuration makes: a line, or two.
func source(config any) []string {
	construct := func(name string, config any) string {
		text := literal(config)
		return fmt.Sprintf("%s, err := %s.New(%s)", name, text[:strings.IndexByte(text, '.')], text)
	}
	if c, ok := config.(confirmed.Config); ok {
		return []string{
			construct("inner", inner(c)),
			fmt.Sprintf("memory, err := confirmed.New(confirmed.Config{Inner: inner, Last: %d, Rule: confirmed.Ahead})", c.Last),
		}
	}
	return []string{construct("memory", config)}
}

// literal is a configuration in Go, without the fields that are zero.
func literal(config any) string {
	v := reflect.ValueOf(config)
	if v.Kind() != reflect.Struct {
		return fmt.Sprint(config)
	}
	var fields []string
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() && !v.Field(i).IsZero() {
			fields = append(fields, f.Name+": "+literal(v.Field(i).Interface()))
		}
	}
	return fmt.Sprintf("%v{%s}", v.Type(), strings.Join(fields, ", "))
}

// probesOf is how many probes a configuration asks for a candidate, 0 where it does
// not say.
func probesOf(config any) int {
	if c, ok := config.(confirmed.Config); ok {
		config = inner(c)
	}
	v := reflect.ValueOf(config)
	if v.Kind() != reflect.Struct {
		return 0
	}
	for _, at := range []reflect.Value{v, v.FieldByName("Geometry")} {
		if at.Kind() == reflect.Struct {
			if f := at.FieldByName("Hashes"); f.IsValid() {
				return int(f.Int())
			}
		}
	}
	return 0
}

// packageOf is a name without where it comes from.
func packageOf(name string) string { return strings.TrimPrefix(name, results.Beyond) }
