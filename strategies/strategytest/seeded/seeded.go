// Package seeded gives property tests a fixed seed: a test that imports it fails because something has changed, and
// not by chance. The flag -rapid.seed chooses another seed.
package seeded

import (
	"flag"

	_ "pgregory.net/rapid" // whose flag it is
)

var _ = flag.Set("rapid.seed", "2016")
