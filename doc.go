// Package dejavu is the root of a replication suite for recently-seen deduplication: how
// a recommender remembers, for each of ten million users, which articles it has shown, so
// that it does not show them again. A false positive of such a memory is a déjà vu: an
// unseen article wrongly reported as seen.
//
// The package itself is empty. These hold the code:
//
//   - dejavu/strategies, the contract that every structure keeps
//   - dejavu/queue, single, dual and chain, the paper's four; dejavu/beyond, the others
//   - dejavu/bloom, filters and their closed forms
//   - dejavu/store, the histories of millions of users at once
//   - dejavu/workload, simulated users and real logs
//   - dejavu/measure, dejavu/results and dejavu/plots: measuring, its rows, their figures
//   - dejavu/claims, what the sources say, and the verdicts
//   - dejavu/experiments, the program that runs everything
//   - dejavu/live, cluster, peers and parquet, modules of their own: the service, Apache
//     Beam, other libraries, Parquet files
//
// Start it with
//
//	go run ./experiments
package dejavu
