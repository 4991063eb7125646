// Package seeded gives property tests a fixed seed, so that none fails by chance. The flag -rapid.seed chooses another.
package seeded

import (
	"flag"

	_ "pgregory.net/rapid" // whose flag it is
)

var _ = flag.Set("rapid.seed", "2016")
