package catalogue

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"dejavu/experiments/quantity"
)

// The parameters that any entry takes that can be sized. They have the names of the flags of
// choose.
const (
	specWindow = "window"
	specFPR    = "fpr"
)

var sizes = []string{specWindow, specFPR}

// Parse returns the entry that a specification says: a name that Find knows, or such a name
// with parameters behind it, as
//
//	chain:window=500,fpr=0.01
//	chain:links=10
//	queue:window=1000
//
// Either window and fpr, as Sized takes them (SizedWindow and SizedFPR where one is
// missing), or fields of the configuration, in lower case with hyphens, where what is
// missing is as it is measured: chain is the paper's five links. A strategy that is measured in a size of
// its own stands for the first that can be sized (Entry.SizeOf).
//
// The entry's name is the specification in one spelling, with the parameters in order,
// and it makes what the parameters say, once. An error names the parameter, its
// value, and what would have worked.
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
		keys := e.keys()
		whole := len(given) == len(keys) && len(unknown(given, keys)) == 0 // as a queue's window is
		if e.sizer().Sized != nil && len(unknown(given, sizes)) == 0 && !whole {
			e, err = e.sized(given)
		} else {
			e, err = e.shaped(given, keys)
		}
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

// unknown are the parameters that are none of the keys.
func unknown(given map[string]string, keys []string) []string {
	others := slices.Sorted(maps.Keys(given))
	return slices.DeleteFunc(others, func(key string) bool { return slices.Contains(keys, key) })
}

// sizer is the entry, or the first that is another size of it, which can be made for a window.
func (e Entry) sizer() Entry {
	if e.Sized != nil {
		return e
	}
	for _, other := range All() {
		if other.SizeOf == e.Name {
			return other
		}
	}
	return e
}

// sized is the entry, made for a window and a rate.
func (e Entry) sized(given map[string]string) (Entry, error) {
	window, rate := SizedWindow, SizedFPR
	var err error
	if text := given[specWindow]; text != "" {
		if window, err = quantity.Count(text); err != nil || window < 1 {
			return e, fmt.Errorf("window is %q, want a whole number of articles, 1 or more", text)
		}
	}
	if text := given[specFPR]; text != "" {
		if rate, err = quantity.Rate(text); err != nil || !(rate > 0 && rate < 1) {
			return e, fmt.Errorf("fpr is %q, want a rate above 0 and below 1", text)
		}
	}
	made, err := e.sizer().Sized(window, rate)
	if err != nil {
		return e, err
	}
	text := strconv.FormatFloat(rate, 'g', -1, 64)
	return e.as(fmt.Sprintf("%s:%s=%d,%s=%s", e.Name, specWindow, window, specFPR, text), made), nil
}

// shaped is the entry with fields of its configuration set.
func (e Entry) shaped(given map[string]string, keys []string) (Entry, error) {
	if e.With == nil {
		return e, errors.New("it has no parameters to set")
	}
	takes := "some of " + strings.Join(keys, ", ")
	known := keys
	if e.sizer().Sized != nil {
		takes = fmt.Sprintf("%s and %s, or %s", specWindow, specFPR, takes)
		known = slices.Concat(keys, sizes)
	}
	// What nobody knows is told before what cannot stand together.
	if others := unknown(given, known); len(others) > 0 {
		return e, fmt.Errorf("unknown parameter %s, want %s", others[0], takes)
	}
	if others := unknown(given, keys); len(others) > 0 {
		return e, fmt.Errorf("%s: only %s and %s can be set together", others[0], specWindow, specFPR)
	}
	var spelt []string
	made, err := e.With(func(config any) error {
		for _, f := range fields(reflect.ValueOf(config).Elem()) {
			if given[f.key] == "" {
				continue
			}
			if err := f.set(given[f.key]); err != nil {
				return err
			}
			spelt = append(spelt, f.key+"="+fmt.Sprint(f.value.Interface()))
		}
		return nil
	})
	if err != nil {
		return e, err
	}
	return e.as(e.Name+":"+strings.Join(spelt, ","), made), nil
}

// as is the entry by another name, making what was made.
func (e Entry) as(name string, made Strategy) Entry {
	return Entry{
		Name: name, About: e.About, Share: e.Share, Lives: e.Lives, Set: e.Set, SizeOf: cmp.Or(e.SizeOf, e.Name),
		Make: func() (Strategy, error) { return made, nil },
	}
}

// keys are the parameters that the configuration has.
func (e Entry) keys() (keys []string) {
	if e.With == nil {
		return nil
	}
	_, _ = e.With(func(config any) error {
		for _, f := range fields(reflect.ValueOf(config).Elem()) {
			keys = append(keys, f.key)
		}
		return errors.New("looked at") // and nothing made
	})
	return keys
}

// A field of a configuration has a key, and a value that can be set.
type field struct {
	key   string
	value reflect.Value
}

// settable are the types of the fields that a parameter sets.
var settable = []reflect.Type{reflect.TypeFor[int](), reflect.TypeFor[float64](), reflect.TypeFor[bool]()}

// fields are those of a configuration that are numbers or true or false, those of its
// Geometry among them.
func fields(config reflect.Value) (all []field) {
	for i := range config.NumField() {
		f, v := config.Type().Field(i), config.Field(i)
		switch {
		case !f.IsExported():
		case f.Name == "Geometry":
			all = append(all, fields(v)...)
		case slices.Contains(settable, f.Type):
			all = append(all, field{kebab(f.Name), v})
		}
	}
	return all
}

// set reads a value. What it may be the strategy's package knows.
func (f field) set(text string) error {
	switch f.value.Kind() {
	case reflect.Bool:
		v, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("%s is %q, want true or false", f.key, text)
		}
		f.value.SetBool(v)
	case reflect.Float64:
		v, err := quantity.Rate(text)
		if err != nil {
			return fmt.Errorf("%s is %q, want a number", f.key, text)
		}
		f.value.SetFloat(v)
	default:
		v, err := quantity.Count(text)
		if err != nil {
			return fmt.Errorf("%s is %q, want a whole number", f.key, text)
		}
		f.value.SetInt(int64(v))
	}
	return nil
}

// kebab is a field's name as a parameter has it: ClearAhead is clear-ahead, FPR is fpr.
func kebab(name string) string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		if unicode.IsUpper(r) && lower {
			b.WriteByte('-')
		}
		lower = unicode.IsLower(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
