//go:build !race

package strategytest

// raceEnabled says that the race detector slows every memory access down.
const raceEnabled = false
