package catalogue

// What a structure that keeps a window is sized for, so that bytes compare: the
// paper's smallest window of four full links, at its ε (§4).
const (
	SizedWindow = 400  // articles
	SizedFPR    = 0.02 // false positives of fresh articles, at worst
)

// SizedBy joins a package's way to size a configuration with its constructor, as
// Entry.Sized has it. Errors are those of the two.
func SizedBy[C any, S Strategy](size func(window int, fpr float64) (C, error), build func(C) (S, error)) func(window int, fpr float64) (Strategy, error) {
	return func(window int, fpr float64) (Strategy, error) {
		c, err := size(window, fpr)
		if err != nil {
			return nil, err
		}
		return build(c)
	}
}

// ConfigBy is a package's way to size a configuration, whatever its type is, as
// Entry.Config has it.
func ConfigBy[C any](size func(window int, fpr float64) (C, error)) func(window int, fpr float64) (any, error) {
	return func(window int, fpr float64) (any, error) { return size(window, fpr) }
}

// sizing completes an entry that can be made for a window and a rate, and is
// measured at SizedWindow and SizedFPR.
func sizing[C any, S Strategy](e Entry, size func(window int, fpr float64) (C, error), build func(C) (S, error)) Entry {
	sized := SizedBy(size, build)
	e.Make = func() (Strategy, error) { return sized(SizedWindow, SizedFPR) }
	e.Sized, e.Config = sized, ConfigBy(size)
	return e
}
