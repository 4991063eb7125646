package claims

// A Verdict is what rows make of a claim.
type Verdict int

// The verdicts.
const (
	Untestable    Verdict = iota // no row can answer it
	Vague                        // too vague to be refuted: what was found stands beside it
	Unmeasured                   // the run lacks rows
	Underpowered                 // the rows do not decide
	Refuted                      // false
	Corrected                    // true but for a slip of the pen
	Approximately                // true within what its "about" grants
	Holds                        // true
)

// Verdicts lists them, the best first.
var Verdicts = []Verdict{Holds, Approximately, Corrected, Refuted, Underpowered, Vague, Unmeasured, Untestable}

// String says the verdict as it stands in tables.
func (v Verdict) String() string {
	return [...]string{
		"not testable", "not testable as stated", "not measured", "underpowered", "refuted",
		"holds after correction", "holds approximately", "holds",
	}[v]
}

// Upheld reports whether the claim is true, if need be with a grain of salt.
func (v Verdict) Upheld() bool { return v == Holds || v == Approximately || v == Corrected }

// Decided reports whether the rows decided.
func (v Verdict) Decided() bool { return v.Upheld() || v == Refuted }

// Judged reports whether there were rows to look at, whether or not they decided.
func (v Verdict) Judged() bool { return v.Decided() || v == Underpowered || v == Vague }
