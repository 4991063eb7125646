package remember

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"dejavu/beyond/apbf"
	"dejavu/beyond/blocked"
	"dejavu/beyond/confirmed"
	"dejavu/beyond/counting"
	"dejavu/beyond/cuckoo"
	daylanes "dejavu/beyond/daily"
	"dejavu/beyond/layered"
	"dejavu/beyond/ring"
	"dejavu/beyond/rolling"
	"dejavu/beyond/scalable"
	"dejavu/beyond/sized"
	"dejavu/beyond/stable"
	"dejavu/chain"
	"dejavu/dual"
	"dejavu/queue"
	"dejavu/single"
	"dejavu/strategies"
)

// What a structure is sized for that the paper did not try, as in the experiments:
// the paper's smallest window of four full links, at its ε.
const (
	sizedWindow = 400
	sizedFPR    = 0.02
)

// makers construct strategies by name, on any worker: a strategy does not travel,
// its name does.
var makers = map[string]func() (strategies.Strategy, error){
	"queue":         of(queue.New, queue.Paper),
	"single":        of(single.New, single.Paper),
	"dual":          of(dual.New, dual.Paper),
	"chain":         of(chain.New, chain.Paper),
	"dual-blanked":  of(dual.New, dual.PaperBlanked),
	"chain-literal": of(chain.New, chain.Literal),
	"chain-sized":   sizedBy(chain.Sized, chain.New),

	"beyond/scalable":      sizedBy(scalable.Sized, scalable.New),
	"beyond/counting":      sizedBy(counting.Sized, counting.New),
	"beyond/confirmed":     confirmedSized,
	"beyond/sized":         class250,
	"beyond/daily":         of(daylanes.New, daylanes.Month),
	"beyond/layered":       of(layered.New, layered.Month),
	"beyond/layered-moved": of(layered.New, layered.MonthMoved),
	"beyond/apbf":          sizedBy(apbf.Sized, apbf.New),
	"beyond/ring":          sizedBy(ring.Sized, ring.New),
	"beyond/cuckoo":        sizedBy(cuckoo.Sized, cuckoo.New),
	"beyond/stable":        sizedBy(stable.Sized, stable.New),
	"beyond/rolling":       sizedBy(rolling.Sized, rolling.New),
	"beyond/blocked":       sizedBy(blocked.Sized, blocked.New),
	"beyond/chain-best":    sizedBy(chain.Best, chain.New),
}

// Register gives a strategy a name for Config.Strategy. Call it from an init
// function, so that workers know it too. It panics where the name is taken.
func Register(name string, make func() (strategies.Strategy, error)) {
	if _, taken := makers[name]; taken || name == "" {
		panic(fmt.Sprintf("remember: strategy %q is registered already, or has no name", name))
	}
	makers[name] = make
}

// Names lists the strategies, in the order of the alphabet.
func Names() []string { return slices.Sorted(maps.Keys(makers)) }

// construct makes the strategy of that name.
func construct(name string) (strategies.Strategy, error) {
	make, ok := makers[name]
	if !ok {
		return nil, fmt.Errorf("remember: strategy is %q, want one of %s", name, strings.Join(Names(), ", "))
	}
	s, err := make()
	if err != nil {
		return nil, fmt.Errorf("remember: strategy %s: %w", name, err)
	}
	return s, nil
}

// of joins a constructor with its configuration.
func of[C any, S strategies.Strategy](build func(C) (S, error), c C) func() (strategies.Strategy, error) {
	return func() (strategies.Strategy, error) { return build(c) }
}

// sizedBy joins a package's way to size a configuration with its constructor.
func sizedBy[C any, S strategies.Strategy](size func(window int, fpr float64) (C, error), build func(C) (S, error)) func() (strategies.Strategy, error) {
	return func() (strategies.Strategy, error) {
		c, err := size(sizedWindow, sizedFPR)
		if err != nil {
			return nil, err
		}
		return build(c)
	}
}

// class250 is the class of a ladder of sizes that suits readers of 250 articles.
func class250() (strategies.Strategy, error) {
	family, err := sized.New(sized.Ladder)
	if err != nil {
		return nil, err
	}
	return family.Class(family.Of(250)), nil
}

// confirmedSized is a list of the newest 100 ahead of the shortest chain.
func confirmedSized() (strategies.Strategy, error) {
	const listed = 100
	c, err := confirmed.Sized(sizedWindow, sizedFPR, listed, func(window int, fpr float64) (*chain.Chain, error) {
		c, err := chain.Best(window, fpr)
		if err != nil {
			return nil, err
		}
		return chain.New(c)
	})
	if err != nil {
		return nil, err
	}
	return confirmed.New(c)
}
