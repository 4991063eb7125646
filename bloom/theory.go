package bloom

// A Theory is the closed forms of a strategy whose answers are those of one Bloom
// filter. Embedded, it is the strategy's theory but for Bytes.
type Theory struct {
	geometry Geometry
	held     func(read int) int
}

// NewTheory returns the theory of a filter of that geometry which holds held(read)
// distinct articles, the newest, after a user has been shown read of them.
func NewTheory(g Geometry, held func(read int) int) Theory { return Theory{g, held} }

// All is what a filter holds that is never cleared: everything.
func All(read int) int { return read }

// FPR is the exact rate of the filter (Exact).
func (t Theory) FPR(read int) float64 { return Exact(t.held(read), t.geometry) }

// Asymptotic is FPR by the textbook approximation (the paper's eq. 1, Asymptotic),
// which is low for filters this small: by 6 % at a hundred bits.
func (t Theory) Asymptotic(read int) float64 { return Asymptotic(t.held(read), t.geometry) }

// Window is what the filter holds.
func (t Theory) Window(read int) int { return t.held(read) }

// FillTheory is the expected share of set bits (Fill).
func (t Theory) FillTheory(read int) float64 { return Fill(t.held(read), t.geometry) }
