// Package claims is the ledger: what the sources say, in our own words, and the
// verdict that a run's rows give on it.
//
// The problem is a verdict that somebody typed: it outlives the number it rested
// on. Here a Claim names the rows that answer it and a Region of values for which
// it would be true; Judge looks the rows up, and where they lie decides. Change a
// row and the verdict follows. No theory is computed: closed forms are rows too.
//
// The guarantee: of all claims that rest on measured rates, the chance that even
// one is wrongly refuted is at most 5 %, and so is the chance that one is wrongly
// upheld (Holm's correction over the ledger). What is counted without error, or
// follows from a closed form, is compared as it stands. Times are another
// machine's tomorrow, so a claim on them must be off by Robust to be refuted.
//
// Judging takes milliseconds.
package claims
