//go:build !amd64 || purego || race

package workload

import "dejavu/strategies"

func (Reader) byVectors([]strategies.ID, uint64) int { return 0 }
