//go:build race

package strategytest

// raceEnabled tells whether the race detector slows down every memory access.
const raceEnabled = true
