package claims

import (
	"slices"

	"dejavu/results"
)

// All is every claim of the ledger, in the order of the sources. The slice is
// the caller's.
func All() []Claim {
	return slices.Concat(filterClaims(), dualClaims(), chainClaims(), serviceClaims(), articleClaims(), lectureClaims())
}

// Rows that several claims rest on.
var (
	singleAt500 = measured(results.Table1, "single", results.QFPRAt500)
	bestHashes  = theory(results.Arithmetic, "paper", results.QBestHashes)
	repeatsOf   = func(strategy string) Ref { return measured(results.Window, strategy, results.QInside) }
	payloadOf   = func(strategy string) Ref { return measured(results.Table1, strategy, results.QPayloadPerUser) }
)

// fprOf is the measured rate after so many articles.
func fprOf(strategy string, shown float64) Ref {
	return measured(results.FPR, strategy, results.QFPR).at(shown)
}

// overExact is eq. 1, which the lecture and the paper share, over the exact rate.
func overExact(strategy string, shown float64) []Evidence {
	curve := func(quantity string) Ref { return theory(results.FPR, strategy, quantity).at(shown) }
	return []Evidence{over(curve(results.QFPRAsymptotic), curve(results.QFPRExact))}
}

// arrays is a history's length after so many articles without its header,
// which the paper's account leaves out.
func arrays(strategy string, shown float64) Evidence {
	return less(measured(results.Memory, strategy, results.QBytesPerUser).at(shown),
		measured(results.Table1, strategy, results.QHeaderPerUser))
}

// each makes evidence of several rows, all of which must bear a claim out.
func each(refs ...Ref) (evidence []Evidence) {
	for _, r := range refs {
		evidence = append(evidence, alone(r))
	}
	return evidence
}

// instead is what a claim says once it is amended, and the rule by which that holds.
func instead(says string, rule Rule, shows ...Ref) *Amendment {
	return &Amendment{Says: says, Shows: shows, Rule: rule}
}

// smallest is the remedy that a larger filter is: the smallest of its kind that
// keeps the rate by the exact formula, "%s bits and %s hashes".
func smallest(says, what string, rate float64) *Amendment {
	of := func(quantity string) Ref { return theory(results.Arithmetic, what, quantity).at(rate) }
	return instead(says, Rule{each(of(results.QFPRReached)), atMost(rate), "the exact formula"}, of(results.QBits), of(results.QHashes))
}

// Reasons that recur.
const (
	counted    = "counted, so equal or not"
	fourDigits = "printed to four decimals: a unit of the last, for the paper cuts as well as rounds"
	withAbout  = "'about', '≈' or one digit: within a quarter; within a hundredth as stated"
	closedForm = "a closed form, against what is printed: a unit of its last digit"
	noRepeat   = "one repeat would refute it"
	bound      = "a bound holds or not"
)
