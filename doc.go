// Package dejavu is the front door of a replication suite for recently-seen
// deduplication: how a recommender remembers, for each of ten million readers,
// which articles it has shown, so that it does not show them again. A false
// positive of such a memory is a déjà vu: a fresh article that it swears it has
// seen.
//
// The package itself is empty. The contract is in dejavu/strategies, what keeps
// it in dejavu/queue, dejavu/single, dejavu/dual and dejavu/chain, their
// arithmetic in dejavu/bloom, ten million histories at once in dejavu/store,
// simulated readers in dejavu/workload, measuring in dejavu/measure, and what
// was found in dejavu/results and dejavu/plots. The program that runs
// everything is dejavu/experiments:
//
//	go run ./experiments
package dejavu
