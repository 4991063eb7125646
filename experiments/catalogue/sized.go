package catalogue

// What a structure that keeps a window is sized for, so that bytes compare: the paper's smallest window of
// four full links, at its ε (§4).
const (
	SizedWindow = 400  // articles
	SizedFPR    = 0.02 // false positives of fresh articles, at worst
)

// Endless reports whether a strategy never forgets: its capacity is fixed, and after more articles its false
// positive rate grows without bound.
func Endless(s Strategy) bool {
	const far = 1 << 30 // more than any window
	return s.Window(far) == far
}

// sizing completes an entry of a package that sizes configurations for a window and a rate, by its
// constructor. One that is not made otherwise is measured at SizedWindow and SizedFPR.
func sizing[C any, S Strategy](e Entry, size func(window int, fpr float64) (C, error), build func(C) (S, error)) Entry {
	e.Config = func(window int, fpr float64) (any, error) { return size(window, fpr) }
	e.Sized = func(window int, fpr float64) (Strategy, error) {
		c, err := size(window, fpr)
		if err != nil {
			return nil, err
		}
		return build(c)
	}
	if e.Make == nil {
		return configured(e, func() (C, error) { return size(SizedWindow, SizedFPR) }, build)
	}
	return e
}

// made completes an entry that is measured in one configuration, by its constructor.
func made[C any, S Strategy](e Entry, config C, build func(C) (S, error)) Entry {
	return configured(e, func() (C, error) { return config, nil }, build)
}

// configured completes an entry by the configuration that is measured.
func configured[C any, S Strategy](e Entry, measured func() (C, error), build func(C) (S, error)) Entry {
	e.measured = func() (any, error) {
		c, err := measured()
		return &c, err
	}
	e.build = func(config any) (Strategy, error) { return build(*config.(*C)) }
	e.Make = func() (Strategy, error) {
		c, err := measured()
		if err != nil {
			return nil, err
		}
		return build(c)
	}
	return e
}
