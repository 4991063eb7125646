package catalogue

import (
	"dejavu/chain"
	"dejavu/dual"
	"dejavu/queue"
	"dejavu/single"
)

// statedFPR is the rate of a single filter by the paper (§5, Table 1, which states it of one array for the
// dual filter and the chain too, and nothing of the whole).
const statedFPR = 0.0156

// papers are the strategies of the paper, and other readings and sizes of them.
var papers = []Entry{
	sizing(made(Entry{
		Name: "queue", Set: true, About: "the IDs of the last 500 articles (§3)", Share: 1,
		Stated: Stated{Payload: 4000, Total: 40e9, Window: 500},
		Longer: "queue:window=1000", Keeps: true,
	}, queue.Paper, queue.New), queue.Sized, queue.New),
	sizing(made(Entry{
		Name: "single", Set: true, About: "one Bloom filter, never cleared (§5)", Share: 1,
		Stated: Stated{Payload: 500, Total: 5e9, Window: 500, FPR: statedFPR},
		Longer: "single:capacity=1000,bits=8128,hashes=6", // 2 % by the paper's equations
	}, single.Paper, single.New), single.Sized, single.New),
	sizing(made(Entry{
		Name: "dual", Set: true, About: "master and slave filter, the old master freed (§6)", Share: 1,
		Stated: Stated{Payload: 1000, Window: 200},
		Longer: "dual:capacity=1000,threshold=600,bits=8128,hashes=6",
	}, dual.Paper, dual.New), dual.Sized, dual.New),
	made(Entry{
		Name: "chain", About: "five links of 100, the head queried too (§7)", Share: 1, Churn: 40,
		Stated: Stated{Payload: 500, Window: 400},
		Longer: "chain:links=10", Keeps: true,
	}, chain.Paper, chain.New),
	made(Entry{
		Name: "dual-blanked", Set: true, About: "the dual filter, the old master kept and blanked", Share: 40,
	}, dual.PaperBlanked, dual.New),
	made(Entry{
		Name: "chain-literal", About: "the chain by the literal reading: the head is not queried", Share: 40,
	}, chain.Literal, chain.New),
	made(Entry{
		Name: "chain-eager", About: "the chain as §7 words it: when a link is full, the next is cleared", Share: 40,
	}, chain.Eager, chain.New),
	sizing(Entry{
		Name: "chain-sized", About: "a chain whose union meets 2 % for a window of 400", Share: 40, SizeOf: "chain",
	}, chain.Sized, chain.New),
}
