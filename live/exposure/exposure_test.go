package exposure_test

import (
	"testing"

	"dejavu/live/exposure"
	"dejavu/strategies/strategytest"
)

// A user's partition is on the disk and known to callers. The values are from xxHash's reference implementation.
func TestPartition(t *testing.T) {
	for name, sum := range map[string]uint64{"": 0xef46db3751d8e999, "a": 0xd24ec4f1a98c6e5b, "abc": 0x44bc2cf5ad770999} {
		for _, of := range []int{1, 5, 256, 4096} {
			strategytest.Equal(t, exposure.Partition(name, of), int(sum%uint64(of)), "partition of %q, of %d", name, of)
		}
	}
}
