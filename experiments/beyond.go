package main

import (
	"dejavu/beyond/rolling"
	"dejavu/results"
)

const (
	// sharesBeyond is that one user in so many lives with each of these.
	sharesBeyond = 100

	// What a structure that keeps a window is sized for, so that bytes compare:
	// the paper's smallest window of four full links, at its ε.
	sizedWindow = 400
	sizedFPR    = paperEpsilon
)

// beyond lists what the paper did not try: first what the sources name, then the
// structures of the literature.
var beyond = []entry{
	windowed("rolling", "two-bit generations in one array", rolling.Sized, rolling.New),
}

// windowed is an entry of beyond that can be sized for a window and a rate.
func windowed[C any, S strategy](name, about string, size func(window int, fpr float64) (C, error), build func(C) (S, error)) entry {
	sized := sizedBy(size, build)
	return entry{
		name: results.Beyond + name, about: about, share: sharesBeyond, sized: sized,
		make: func() (strategy, error) { return sized(sizedWindow, sizedFPR) },
	}
}

// sizedBy joins a package's way to size a configuration with its constructor.
func sizedBy[C any, S strategy](size func(window int, fpr float64) (C, error), build func(C) (S, error)) func(int, float64) (strategy, error) {
	return func(window int, fpr float64) (strategy, error) {
		c, err := size(window, fpr)
		if err != nil {
			return nil, err
		}
		return build(c)
	}
}
