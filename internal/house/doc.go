// Package house tests rules of the whole checkout: which package may import which, that links in documents lead
// somewhere, and that the examples in documents are the code that runs. It has no code.
package house
