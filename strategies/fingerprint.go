package strategies

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Fingerprint names a strategy with all its parameters: "chain{Capacity:100 Geometry:{Bits:812 Hashes:6} Links:5}".
// Strategies with the same fingerprint read each other's histories, so a snapshot stores it.
//
// It returns s.Fingerprint() if the strategy has that method, as every strategy that embeds a Layout has. Otherwise it
// returns the Go type alone ("tags.Tags"), which does not distinguish parameters.
//
// The text is the same in every release, on every machine. Fields are sorted by name, without those that are zero.
func Fingerprint(s Strategy) string {
	if f, ok := s.(interface{ Fingerprint() string }); ok {
		return f.Fingerprint()
	}
	return strings.TrimPrefix(reflect.TypeOf(s).String(), "*")
}

// Fingerprint returns the strategy's name and configuration (the function Fingerprint).
func (l Layout) Fingerprint() string {
	if l.config == nil {
		return l.strategy + "{}"
	}
	return l.strategy + parameter(reflect.ValueOf(l.config))
}

// parameter returns a value of a configuration as text.
func parameter(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Struct:
		var fields []string
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !v.Field(i).IsZero() {
				fields = append(fields, f.Name+":"+parameter(v.Field(i)))
			}
		}
		slices.Sort(fields)
		return "{" + strings.Join(fields, " ") + "}"
	case reflect.Slice:
		var elements []string
		for i := range v.Len() {
			elements = append(elements, parameter(v.Index(i)))
		}
		return "[" + strings.Join(elements, " ") + "]"
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Int:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	}
	if s, ok := v.Interface().(Strategy); ok {
		return Fingerprint(s)
	}
	panic(fmt.Sprintf("strategies: a parameter of type %v has no fingerprint", v.Type()))
}
