//go:build !amd64 || purego || race

package workload

import "dejavu/strategies"

// byVectors does nothing: there are no vectors here.
func (Reader) byVectors([]strategies.ID, uint64) int { return 0 }
