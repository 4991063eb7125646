package remember

import "dejavu/strategies"

// Must constructs a strategy of the catalogue.
func Must(name string) strategies.Strategy {
	s, err := Config{Strategy: name}.build()
	if err != nil {
		panic(err)
	}
	return s
}

// A Turn is what the step did at a request, or at a timer.
type Turn = turn

// Witness has f told of each turn, by any goroutine; nil ends it.
func Witness(f func(Turn)) { witness = f }
