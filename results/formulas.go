package results

// Values of the dimension by.Formula: closed forms that rows carry alone, without a
// measurement.
const (
	ExactFormula      = "exact"      // the structure's own theory, densely
	AsymptoticFormula = "asymptotic" // the textbook approximation
)
