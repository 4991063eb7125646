package remember

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"dejavu/experiments/catalogue"
	"dejavu/strategies"
)

// makers construct strategies by name, on any worker: a strategy does not travel,
// its name does.
var makers = func() map[string]func() (strategies.Strategy, error) {
	all := map[string]func() (strategies.Strategy, error){}
	for _, e := range catalogue.All() {
		all[e.Name] = func() (strategies.Strategy, error) { return e.Make() }
	}
	return all
}()

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
