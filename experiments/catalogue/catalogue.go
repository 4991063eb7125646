// Package catalogue lists the strategies: the paper's, other readings and sizes of them, and those beyond the paper.
// The program measures them all. Callers find a strategy by its name.
//
// An entry holds a name, a constructor, and the measurements to take part in. To add a strategy, add a line to papers
// or to beyond in entries.go. Names appear in result files and never change.
//
// Each call makes a strategy anew. That takes microseconds for most, and some milliseconds if the smallest size that
// keeps a promise has to be searched.
package catalogue

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"dejavu/experiments/usage"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/strategies"
)

// A Strategy has a theory, as every package of a strategy provides it.
type Strategy interface {
	strategies.Strategy
	strategies.Theory
}

// An Entry is a strategy as the experiments know it.
type Entry struct {
	Name  string                   // in result files, in lower case; what the paper did not try begins with results.Beyond
	About string                   // in a line
	Make  func() (Strategy, error) // with the parameters that are measured

	Share int // at least 1: one user in Share is simulated. 1 for the paper's four, more for variants

	Study bool   // it tests advice that the measurements refute: it is measured, and never recommended
	Lives string // the experiment that simulates it, if not the full population

	// Sized makes it for a window of articles that it always keeps, and a false positive rate, between 0 and 1, that it
	// never exceeds. Config returns the package's configuration that does so. An error says what the structure cannot
	// promise. Both are nil if it makes no such promise.
	Sized  func(window int, fpr float64) (Strategy, error)
	Config func(window int, fpr float64) (any, error)

	// measured returns a pointer to the measured configuration, of its package's type; build makes the strategy from
	// another. Both are nil if nothing can be changed.
	measured func() any
	build    func(config any) (Strategy, error)

	// SizeOf names the strategy of which this is another size: a list of structures may leave one out. The last of them
	// in the list is the smallest.
	SizeOf string
	Stated Stated // by the paper

	// Longer is the strategy after N goes from 500 to 1000, as Parse reads it; "" if it is not measured. Keeps reports
	// whether it accepts the old histories.
	Longer string
	Keeps  bool
}

// A Stated holds the paper's statements on a strategy (§3, §5 to §7, and the rest of Table 1); 0 is not stated.
type Stated struct {
	Payload float64 // bytes of a user
	Total   float64 // bytes of ten million users
	Window  float64 // articles remembered, at least
	FPR     float64 // false positive rate
}

// IsBeyond reports whether the paper did not try it.
func (e Entry) IsBeyond() bool { return strings.HasPrefix(e.Name, results.Beyond) }

// Sampled reports whether it runs on a share of the users only.
func (e Entry) Sampled() bool { return e.Share > 1 }

// Structure returns the name of the strategy that it is a size of, or else its own.
func (e Entry) Structure() string { return cmp.Or(e.SizeOf, e.Name) }

// Users returns how many of a population's users are simulated with it, at least 1.
func (e Entry) Users(population int) int { return max(1, population/e.Share) }

// Lengthened returns the strategy that Longer names.
func (e Entry) Lengthened() Strategy { return Must(Must(Parse(e.Longer)).Make()) }

// All lists the entries: the paper's in the order of its Table 1, then what it did not try. The slice is the caller's.
func All() []Entry { return slices.Concat(papers, beyond) }

// Must returns made, and panics on an error: for a package's own configuration or a name in the list.
func Must[S any](made S, err error) S {
	if err != nil {
		panic(err)
	}
	return made
}

// Names lists the names of All, in its order.
func Names() (names []string) {
	for _, e := range All() {
		names = append(names, e.Name)
	}
	return names
}

// Find returns the entry of that name, which may go without results.Beyond. The error lists the names.
func Find(name string) (Entry, error) {
	for _, e := range All() {
		if e.Name == name || e.Name == results.Beyond+name {
			return e, nil
		}
	}
	return Entry{}, fmt.Errorf("unknown strategy %q, want one of %s", name, strings.Join(Names(), ", "))
}

// Endless reports whether a strategy never forgets: its capacity is fixed, and beyond it its FPR grows without bound.
func Endless(s Strategy) bool {
	const far = 1 << 30 // more than any window
	return s.Window(far) == far
}

// Subject constructs the entry's strategy for measuring. Its theory computes each rate once, on any goroutine: several
// experiments ask for the same rates, and some take a millisecond.
func (e Entry) Subject() measure.Subject {
	made := Must(e.Make())
	theory := &remembering{Theory: made, fpr: map[int]float64{}}
	return measure.Subject{Name: e.Name, Strategy: made, Theory: theory}
}

// Subjects returns the entries of these names, which must be in the list.
func Subjects(names ...string) (all []measure.Subject) {
	for _, name := range names {
		all = append(all, Must(Find(name)).Subject())
	}
	return all
}

type remembering struct {
	strategies.Theory
	mu  sync.Mutex
	fpr map[int]float64
}

// FPR returns the theory's rate.
func (r *remembering) FPR(read int) float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	rate, ok := r.fpr[read]
	if !ok {
		rate = r.Theory.FPR(read)
		r.fpr[read] = rate
	}
	return rate
}

// sizes are the parameters of any entry that can be sized, named as the flags of choose.
var sizes = []string{"window", "fpr"}

// Parse returns the entry for a specification: a name that Find knows, or such a name with parameters:
//
//	chain:window=500,fpr=0.01
//	chain:links=10
//	queue:window=1000
//
// The parameters are either window and fpr, as Sized takes them (default SizedWindow and SizedFPR), or fields of the
// configuration, in lower case with hyphens. Missing fields are as measured: chain has the paper's five links. A
// strategy that cannot be sized is replaced by the first of its sizes (Entry.SizeOf).
//
// The entry's name is the specification in one spelling, with sorted parameters. It makes the strategy once. An error
// names the parameter, its value, and what would have worked.
func Parse(spec string) (Entry, error) {
	name, list, parameters := strings.Cut(spec, ":")
	if !parameters && strings.Contains(name, "=") {
		return Entry{}, fmt.Errorf("parameters %q without a strategy, want both, as in chain:window=500", spec)
	}
	e, err := Find(name)
	if err != nil || !parameters {
		return e, err
	}
	given, err := parametersOf(list)
	if err == nil {
		e, err = e.with(given)
	}
	if err != nil {
		return Entry{}, fmt.Errorf("strategy %q: %w", spec, err)
	}
	return e, nil
}

// parametersOf reads KEY=VALUE,KEY=VALUE.
func parametersOf(list string) (map[string]string, error) {
	given := map[string]string{}
	for part := range strings.SplitSeq(list, ",") {
		key, value, ok := strings.Cut(part, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if !ok || key == "" || value == "" {
			return nil, fmt.Errorf("%q is not a parameter, want KEY=VALUE", part)
		}
		if given[key] != "" {
			return nil, fmt.Errorf("%s is given twice", key)
		}
		given[key] = value
	}
	return given, nil
}

func unknown(given map[string]string, keys []string) []string {
	others := slices.Sorted(maps.Keys(given))
	return slices.DeleteFunc(others, func(key string) bool { return slices.Contains(keys, key) })
}

func (e Entry) with(given map[string]string) (Entry, error) {
	var config any
	var all []field
	var keys, spelt []string
	if e.measured != nil {
		config = e.measured()
		all = fields(reflect.ValueOf(config).Elem())
		for _, f := range all {
			keys = append(keys, f.key)
		}
	}
	sizer := e
	if i := slices.IndexFunc(All(), func(other Entry) bool { return other.SizeOf == e.Name }); e.Sized == nil && i >= 0 {
		sizer = All()[i]
	}
	whole := len(given) == len(keys) && len(unknown(given, keys)) == 0 // as a queue's window is
	takes, known := "some of "+strings.Join(keys, ", "), keys
	switch {
	case sizer.Sized != nil && len(unknown(given, sizes)) == 0 && !whole:
		return e.sized(given, sizer.Sized)
	case e.measured == nil:
		return e, errors.New("it has no parameters to set")
	case sizer.Sized != nil:
		takes = "window and fpr, or " + takes
		known = slices.Concat(keys, sizes)
	}
	// Unknown parameters are reported before contradictions.
	if others := unknown(given, known); len(others) > 0 {
		return e, fmt.Errorf("unknown parameter %s, want %s", others[0], takes)
	}
	if others := unknown(given, keys); len(others) > 0 {
		return e, fmt.Errorf("%s: only window and fpr can be set together", others[0])
	}
	for _, f := range all {
		if given[f.key] == "" {
			continue
		}
		if err := f.set(given[f.key]); err != nil {
			return e, err
		}
		spelt = append(spelt, f.key+"="+fmt.Sprint(f.value.Interface()))
	}
	made, err := e.build(config)
	return e.as(strings.Join(spelt, ","), made), err
}

func (e Entry) sized(given map[string]string, size func(int, float64) (Strategy, error)) (Entry, error) {
	window, rate := SizedWindow, SizedFPR
	var err error
	if text := given["window"]; text != "" {
		if window, err = usage.Count(text); err != nil || window < 1 {
			return e, fmt.Errorf("window is %q, want a whole number of articles, 1 or more", text)
		}
	}
	if text := given["fpr"]; text != "" {
		if rate, err = usage.Rate(text); err != nil || !(rate > 0 && rate < 1) {
			return e, fmt.Errorf("fpr is %q, want a rate above 0 and below 1", text)
		}
	}
	made, err := size(window, rate)
	return e.as(fmt.Sprintf("window=%d,fpr=%s", window, strconv.FormatFloat(rate, 'g', -1, 64)), made), err
}

// as returns the entry with parameters in its name, which makes made.
func (e Entry) as(parameters string, made Strategy) Entry {
	return Entry{
		Name: e.Name + ":" + parameters, About: e.About, Share: e.Share, Lives: e.Lives,
		SizeOf: cmp.Or(e.SizeOf, e.Name), Make: func() (Strategy, error) { return made, nil },
	}
}

// A field of a configuration has a key, and a value that can be set.
type field struct {
	key   string
	value reflect.Value
}

// words finds the words of a field's name: ClearAhead becomes clear-ahead, FPR becomes fpr.
var words = regexp.MustCompile(`(\p{Ll})(\p{Lu})`)

// fields returns a configuration's numbers and booleans, with its Geometry's.
func fields(config reflect.Value) (all []field) {
	for i := range config.NumField() {
		f, v := config.Type().Field(i), config.Field(i)
		if !f.IsExported() {
			continue
		}
		if f.Name == "Geometry" {
			all = append(all, fields(v)...)
		}
		switch v.Interface().(type) {
		case int, float64, bool:
			all = append(all, field{strings.ToLower(words.ReplaceAllString(f.Name, "$1-$2")), v})
		}
	}
	return all
}

// set reads a value. What it may be the strategy's package knows.
func (f field) set(text string) (err error) {
	want := ""
	switch v := f.value.Addr().Interface().(type) {
	case *bool:
		want = "true or false"
		*v, err = strconv.ParseBool(text)
	case *float64:
		want = "a number"
		*v, err = usage.Rate(text)
	case *int:
		want = "a whole number"
		*v, err = usage.Count(text)
	}
	if err != nil {
		return fmt.Errorf("%s is %q, want %s", f.key, text, want)
	}
	return nil
}
