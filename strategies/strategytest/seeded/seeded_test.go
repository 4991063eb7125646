package seeded

import (
	"flag"
	"testing"
)

// seed is what the property tests begin with, before the flags are parsed.
var seed string

func init() { seed = flag.Lookup("rapid.seed").Value.String() }

func TestSeed(t *testing.T) {
	if failed != nil || seed != "2016" {
		t.Errorf("the seed is %q, error %v", seed, failed)
	}
}
