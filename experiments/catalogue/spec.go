package catalogue

import (
	"cmp"
	"errors"
	"fmt"
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
	given, err := pairs(list)
	if err == nil {
		if sizes(given) && e.sizer().Sized != nil && !e.whole(given) {
			e, err = e.sized(given)
		} else {
			e, err = e.shaped(given)
		}
	}
	if err != nil {
		return Entry{}, fmt.Errorf("strategy %q: %w", spec, err)
	}
	return e, nil
}

// A pair is a parameter.
type pair struct{ key, value string }

// pairs reads KEY=VALUE,KEY=VALUE.
func pairs(list string) (all []pair, err error) {
	for part := range strings.SplitSeq(list, ",") {
		key, value, ok := strings.Cut(part, "=")
		p := pair{strings.TrimSpace(key), strings.TrimSpace(value)}
		switch {
		case !ok || p.key == "" || p.value == "":
			return nil, fmt.Errorf("%q is not a parameter, want KEY=VALUE", part)
		case slices.ContainsFunc(all, func(other pair) bool { return other.key == p.key }):
			return nil, fmt.Errorf("%s is given twice", p.key)
		}
		all = append(all, p)
	}
	return all, nil
}

// sizes is whether all parameters are those of Sized.
func sizes(given []pair) bool {
	return !slices.ContainsFunc(given, func(p pair) bool { return p.key != specWindow && p.key != specFPR })
}

// whole is whether the parameters are all that the configuration has, as a queue's window is.
func (e Entry) whole(given []pair) bool {
	if e.With == nil {
		return false
	}
	keys := map[string]bool{}
	_, _ = e.With(func(config any) error {
		for _, f := range fields(reflect.ValueOf(config).Elem()) {
			keys[f.key] = true
		}
		return errors.New("looked at") // and nothing made
	})
	return len(given) == len(keys) && !slices.ContainsFunc(given, func(p pair) bool { return !keys[p.key] })
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
func (e Entry) sized(given []pair) (Entry, error) {
	window, rate := SizedWindow, SizedFPR
	for _, p := range given {
		var err error
		if p.key == specWindow {
			window, err = quantity.Count(p.value)
		} else {
			rate, err = quantity.Rate(p.value)
		}
		switch {
		case p.key == specWindow && (err != nil || window < 1):
			return e, fmt.Errorf("window is %q, want a whole number of articles, 1 or more", p.value)
		case p.key == specFPR && (err != nil || !(rate > 0 && rate < 1)):
			return e, fmt.Errorf("fpr is %q, want a rate above 0 and below 1", p.value)
		}
	}
	made, err := e.sizer().Sized(window, rate)
	if err != nil {
		return e, err
	}
	name := fmt.Sprintf("%s:%s=%d,%s=%s", e.Name, specWindow, window, specFPR, strconv.FormatFloat(rate, 'g', -1, 64))
	return e.as(name, made), nil
}

// shaped is the entry with fields of its configuration set.
func (e Entry) shaped(given []pair) (Entry, error) {
	if e.With == nil {
		return e, errors.New("it has no parameters to set")
	}
	name := ""
	made, err := e.With(func(config any) error {
		all := fields(reflect.ValueOf(config).Elem())
		// What nobody knows is told before what cannot stand together.
		slices.SortStableFunc(given, func(a, b pair) int { return cmp.Compare(known(all, a), known(all, b)) })
		for _, p := range given {
			i := slices.IndexFunc(all, func(f field) bool { return f.key == p.key })
			switch {
			case i < 0 && sizes([]pair{p}) && e.sizer().Sized != nil:
				return fmt.Errorf("%s: only %s and %s can be set together", p.key, specWindow, specFPR)
			case i < 0:
				return fmt.Errorf("unknown parameter %s, want %s", p.key, e.takes(all))
			}
			if err := all[i].set(p.value); err != nil {
				return err
			}
		}
		all = slices.DeleteFunc(all, func(f field) bool {
			return !slices.ContainsFunc(given, func(p pair) bool { return p.key == f.key })
		})
		name = spelt(e.Name, all)
		return nil
	})
	if err != nil {
		return e, err
	}
	return e.as(name, made), nil
}

// known is 0 for a parameter that nobody knows.
func known(all []field, p pair) int {
	if sizes([]pair{p}) || slices.ContainsFunc(all, func(f field) bool { return f.key == p.key }) {
		return 1
	}
	return 0
}

// takes says which parameters there are.
func (e Entry) takes(all []field) string {
	var keys []string
	for _, f := range all {
		keys = append(keys, f.key)
	}
	some := "some of " + strings.Join(keys, ", ")
	if e.sizer().Sized != nil {
		some = fmt.Sprintf("%s and %s, or %s", specWindow, specFPR, some)
	}
	return some
}

// as is the entry by another name, making what was made.
func (e Entry) as(name string, made Strategy) Entry {
	return Entry{
		Name: name, About: e.About, Share: e.Share, Lives: e.Lives, Set: e.Set, SizeOf: cmp.Or(e.SizeOf, e.Name),
		Make: func() (Strategy, error) { return made, nil },
	}
}

// spelt is a name with parameters.
func spelt(name string, all []field) string {
	for i, f := range all {
		name += string(":,"[min(i, 1)]) + f.key + "=" + fmt.Sprint(f.value.Interface())
	}
	return name
}

// A field of a configuration has a key, and a value that can be set.
type field struct {
	key   string
	value reflect.Value
}

// fields are those of a configuration that are numbers or true or false, those of its
// Geometry among them.
func fields(config reflect.Value) (all []field) {
	for i := range config.NumField() {
		f, v := config.Type().Field(i), config.Field(i)
		switch {
		case !f.IsExported():
		case f.Name == "Geometry":
			all = append(all, fields(v)...)
		case slices.Contains([]reflect.Type{reflect.TypeFor[int](), reflect.TypeFor[float64](), reflect.TypeFor[bool]()}, f.Type):
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
