package catalogue

// What a structure that keeps a window is sized for, so that bytes compare: the
// paper's smallest window of four full links, at its ε (§4).
const (
	SizedWindow = 400  // articles
	SizedFPR    = 0.02 // false positives of fresh articles, at worst
)

// Endless reports whether a strategy never forgets: its capacity is fixed, and after
// more articles its false positive rate grows without bound.
func Endless(s Strategy) bool {
	const far = 1 << 30 // more than any window
	return s.Window(far) == far
}

// sizing completes an entry of a package that sizes configurations for a window and a
// rate, by its constructor. One that is not made otherwise is measured at SizedWindow
// and SizedFPR.
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
		e.Make = func() (Strategy, error) { return e.Sized(SizedWindow, SizedFPR) }
	}
	return e
}
