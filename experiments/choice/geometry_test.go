package choice

import (
	"testing"

	"dejavu/beyond/confirmed"
	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/dual"
	"dejavu/queue"
	"dejavu/single"
)

// What people read of a configuration; of one that nobody has written a text for, its fields.
func TestGeometryText(t *testing.T) {
	type newcomer struct {
		Window int
		Rate   float64
	}
	g := bloom.Geometry{Bits: 4064, Hashes: 5}
	links, err := chain.New(chain.Paper)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		config any
		want   string
	}{
		{queue.Config{Window: 500}, "500 IDs"},
		{single.Config{Capacity: 500, Geometry: g}, "500 articles in 4064/5"},
		{dual.Config{Capacity: 500, Threshold: 300, Geometry: g}, "2 × 500 in 4064/5, from 300 on"},
		{chain.Config{Links: 5, Capacity: 100, Geometry: g}, "5 × 100 articles in 4064/5"},
		{confirmed.Config{Last: 100, Inner: links}, "100 IDs, 5 × 100 in 812/6"},
		{newcomer{Window: 7, Rate: 0.5}, "Window: 7, Rate: 0.5"},
	} {
		if got := geometryText(c.config); got != c.want {
			t.Errorf("%+v is %q, want %q", c.config, got, c.want)
		}
	}
}
