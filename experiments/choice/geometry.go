package choice

import (
	"fmt"
	"reflect"
	"strings"

	"dejavu/beyond/apbf"
	"dejavu/beyond/blocked"
	"dejavu/beyond/confirmed"
	"dejavu/beyond/counting"
	"dejavu/beyond/cuckoo"
	"dejavu/beyond/quotient"
	"dejavu/beyond/ring"
	"dejavu/beyond/rolling"
	"dejavu/beyond/scalable"
	"dejavu/beyond/swamp"
	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/dual"
	"dejavu/queue"
	"dejavu/single"
)

// shapeOf fills in the parameters that the paper's strategies have.
func (o *Offer) shapeOf(config any) {
	filter := func(capacity int, g bloom.Geometry) { o.Capacity, o.Bits, o.Hashes = capacity, g.Bits, g.Hashes }
	switch c := config.(type) {
	case queue.Config:
		o.Capacity = c.Window
	case single.Config:
		filter(c.Capacity, c.Geometry)
	case dual.Config:
		filter(c.Capacity, c.Geometry)
		o.Threshold = c.Threshold
	case chain.Config:
		filter(c.Capacity, c.Geometry)
		o.Links = c.Links
	}
}

// geometryText is a configuration for people, in 30 characters where numbers are as usual.
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
		links := strings.Replace(geometryText(inner(c)), "articles ", "", 1)
		return fmt.Sprintf("%d IDs, %s", c.Last, links)
	case counting.Config:
		return fmt.Sprintf("%d articles in %v", c.Capacity, c.Geometry)
	case cuckoo.Config:
		return fmt.Sprintf("%d × %d in %d × %d of %d bits", c.Generations, c.Capacity, c.Buckets, c.Slots, c.Fingerprint)
	case quotient.Config:
		return fmt.Sprintf("%d × %d below %d", c.Generations, c.Generation, c.Range)
	case ring.Config:
		return fmt.Sprintf("%d below %d", c.Window, c.Range)
	case rolling.Config:
		return fmt.Sprintf("3 × %d articles in %v", c.Generation, c.Geometry)
	case scalable.Config:
		return fmt.Sprintf("%d articles, then %d × as many", c.First, c.Growth)
	case swamp.Config:
		return fmt.Sprintf("%d of %d bits", c.Window, c.Bits)
	default: // a newcomer: its fields
		text := literal(config)
		return strings.TrimSuffix(text[strings.IndexByte(text, '{')+1:], "}")
	}
}

// inner is the configuration behind a list of the newest, nil where it is none that the catalogue makes.
func inner(c confirmed.Config) any {
	if s, ok := c.Inner.(*chain.Chain); ok {
		return s.Config
	}
	return nil
}

// goLine is Go code that constructs what a configuration makes: a line, or two with a semicolon between them.
func goLine(config any) string {
	if c, ok := config.(confirmed.Config); ok {
		return fmt.Sprintf("inner, err := %s; "+
			"memory, err := confirmed.New(confirmed.Config{Inner: inner, Last: %d, Rule: confirmed.Ahead})",
			construct(inner(c)), c.Last)
	}
	return "memory, err := " + construct(config)
}

// construct is a call of the constructor of a configuration's package.
func construct(config any) string {
	text := literal(config)
	return fmt.Sprintf("%s.New(%s)", text[:strings.IndexByte(text, '.')], text)
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

// probesOf is how many probes a configuration asks for a candidate, 0 where it does not say.
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
