// Package dejavu is the root of a replication suite for recently-seen deduplication: how a recommender remembers, for
// each of ten million users, which articles it has shown, so that it does not show them again. A false positive of such
// a memory is a déjà vu: an unseen article wrongly reported as seen.
//
// The package itself is empty. Package strategies has the contract that every structure
// keeps, and CONTRIBUTING.md lists the others. Start the suite with
//
//	go run ./experiments
package dejavu
