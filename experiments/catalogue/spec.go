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

	"dejavu/experiments/quantity"
)

// sizes are the parameters that any entry takes that can be sized. They have the names of the flags of choose.
var sizes = []string{"window", "fpr"}

// Parse returns the entry that a specification says: a name that Find knows, or such a name with parameters
// behind it, as
//
//	chain:window=500,fpr=0.01
//	chain:links=10
//	queue:window=1000
//
// Either window and fpr, as Sized takes them (SizedWindow and SizedFPR where one is missing), or fields of the
// configuration, in lower case with hyphens, where what is missing is as it is measured: chain is the paper's five
// links. A strategy that is measured in a size of its own stands for the first that can be sized (Entry.SizeOf).
//
// The entry's name is the specification in one spelling, with the parameters in order, and it makes what the
// parameters say, once. An error names the parameter, its value, and what would have worked.
func Parse(spec string) (Entry, error) {
	name, list, parameters := strings.Cut(spec, ":")
	if !parameters && strings.Contains(name, "=") {
		return Entry{}, fmt.Errorf("parameters %q without a strategy, want them behind a colon, as chain:window=500", spec)
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
	// What nobody knows is told before what cannot stand together.
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
		if window, err = quantity.Count(text); err != nil || window < 1 {
			return e, fmt.Errorf("window is %q, want a whole number of articles, 1 or more", text)
		}
	}
	if text := given["fpr"]; text != "" {
		if rate, err = quantity.Rate(text); err != nil || !(rate > 0 && rate < 1) {
			return e, fmt.Errorf("fpr is %q, want a rate above 0 and below 1", text)
		}
	}
	made, err := size(window, rate)
	return e.as(fmt.Sprintf("window=%d,fpr=%s", window, strconv.FormatFloat(rate, 'g', -1, 64)), made), err
}

// as is the entry with parameters in its name, making what was made of them.
func (e Entry) as(parameters string, made Strategy) Entry {
	return Entry{
		Name: e.Name + ":" + parameters, About: e.About, Share: e.Share, Lives: e.Lives, Set: e.Set,
		SizeOf: cmp.Or(e.SizeOf, e.Name), Make: func() (Strategy, error) { return made, nil },
	}
}

// A field of a configuration has a key, and a value that can be set.
type field struct {
	key   string
	value reflect.Value
}

// words is where a word of a field's name begins: ClearAhead is clear-ahead as a parameter, FPR is fpr.
var words = regexp.MustCompile(`(\p{Ll})(\p{Lu})`)

// fields are those of a configuration that are numbers or true or false, those of its Geometry among them.
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
		*v, err = quantity.Rate(text)
	case *int:
		want = "a whole number"
		*v, err = quantity.Count(text)
	}
	if err != nil {
		return fmt.Errorf("%s is %q, want %s", f.key, text, want)
	}
	return nil
}
