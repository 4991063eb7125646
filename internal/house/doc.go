// Package house holds the rules of the whole checkout, as tests: which package may import which, how long a file and a
// line may be, which words people read, and that the examples in the documents are those that run. It has no code.
package house
