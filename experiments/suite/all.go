package suite

import (
	"dejavu/experiments/arithmetic"
	"dejavu/experiments/daily"
	"dejavu/experiments/experiment"
	"dejavu/experiments/extend"
	"dejavu/experiments/fill"
	"dejavu/experiments/fpr"
	"dejavu/experiments/hashes"
	"dejavu/experiments/latency"
	"dejavu/experiments/memory"
	"dejavu/experiments/month"
	"dejavu/experiments/pipeline"
	"dejavu/experiments/popularity"
	"dejavu/experiments/proposals"
	"dejavu/experiments/serve"
	"dejavu/experiments/ship"
	"dejavu/experiments/sizing"
	"dejavu/experiments/snapshot"
	"dejavu/experiments/table1"
	"dejavu/experiments/tradeoff"
	"dejavu/experiments/window"
)

// All lists the experiments, in the order in which they run and are shown.
var All = []experiment.Experiment{
	table1.Experiment,
	fpr.Experiment,
	fill.Experiment,
	window.Experiment,
	memory.Experiment,
	daily.Experiment,
	latency.Experiment,
	serve.Experiment,
	extend.Experiment,
	sizing.Experiment,
	arithmetic.Experiment,
	tradeoff.Experiment,
	month.Experiment,
	popularity.Experiment,
	proposals.Experiment,
	pipeline.Experiment,
	hashes.Experiment,
	ship.Experiment,
	snapshot.Experiment,
}
