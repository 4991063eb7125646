//go:build !amd64 || purego || race

package matrix

import "dejavu/strategies"

// There are no vectors here.

type plan struct{}

func (f *Filter) plan() *plan { return nil }

func (f *Filter) spreadByVectors([]strategies.ID, *workroom) int { return 0 }

func (f *Filter) askByVectors(_, _ []byte, _, _ int, _ *workroom) int { return 0 }

func (f *Filter) searchesByVectors() bool { return false }

func (f *Filter) searchByVectors([]byte, int, *workroom) {}

func findByVectors([]uint32, int, *workroom) {}

func (f *Filter) listByVectors([]byte, int, int, []uint32) bool { return false }

func (f *Filter) solveByVectors(int, []uint32, *columns) (byte, bool) { return 0, false }
