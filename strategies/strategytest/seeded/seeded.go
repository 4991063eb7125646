// Package seeded gives property tests a seed: a test that imports it draws the same every time, so that it
// fails where something has changed, and not by chance. With the flag -rapid.seed it draws something else.
package seeded

import (
	"flag"

	_ "pgregory.net/rapid" // whose flag it is
)

var _ = flag.Set("rapid.seed", "2016")
