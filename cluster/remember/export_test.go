package remember

import "dejavu/strategies"

// Must constructs a strategy of the catalogue.
func Must(name string) strategies.Strategy {
	s, err := construct(name)
	if err != nil {
		panic(err)
	}
	return s
}

// Witness has f told of each request when its turn comes.
func Witness(f func(strategy, reader, id string)) { witness = f }
