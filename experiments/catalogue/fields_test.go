package catalogue

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// Each field of each configuration, set to what it cannot be, is refused by an error that has its name and the value.
// Nothing panics. Set to another value that it can be, it gives the strategy another fingerprint.
func TestAbsurdFields(t *testing.T) {
	fields, named := 0, 0
	for _, e := range All() {
		if e.measured == nil {
			continue
		}
		var visit func(path []int, of reflect.Type)
		try := func(path []int, name string, value any) {
			fields++
			config := e.measured()
			field := reflect.ValueOf(config).Elem().FieldByIndex(path)
			field.Set(reflect.ValueOf(value).Convert(field.Type()))
			what := fmt.Sprintf("%s with %s of %v", e.Name, name, value)
			_, err := e.build(config)
			if err == nil && (name == "Capacity" || name == "Short" && value == 0) {
				// Any positive capacity of single and counting: it only says what the geometry is for. No link of
				// matrix that lacks a column.
				return
			}
			strategytest.ErrorSays(t, what, err, name+" is "+fmt.Sprint(value))
		}
		was := strategies.Fingerprint(Must(e.build(e.measured())))
		name := func(path []int, f reflect.StructField, change func(reflect.Value)) {
			config := e.measured()
			change(reflect.ValueOf(config).Elem().FieldByIndex(path))
			if s, err := e.build(config); err == nil {
				named++
				if now := strategies.Fingerprint(s); now == was || strings.HasSuffix(now, "{}") {
					t.Errorf("%s with another %s has the same fingerprint, %s: embed strategies.Layout",
						e.Name, f.Name, now)
				}
			}
		}
		visit = func(path []int, of reflect.Type) {
			for i := range of.NumField() {
				f, at := of.Field(i), append(path[:len(path):len(path)], i)
				switch {
				case !f.IsExported():
				case f.Type.Kind() == reflect.Struct:
					visit(at, f.Type)
				case f.Type.Kind() == reflect.Bool:
					name(at, f, func(v reflect.Value) { v.SetBool(!v.Bool()) })
				case f.Type.Kind() == reflect.Int:
					name(at, f, func(v reflect.Value) { v.SetInt(v.Int() + 1) })
					name(at, f, func(v reflect.Value) { v.SetInt(v.Int() - 1) })
					for _, value := range []int{math.MinInt, -1, 0, math.MaxInt32, math.MaxInt} {
						try(at, f.Name, value)
					}
				case f.Type.Kind() == reflect.Float64:
					name(at, f, func(v reflect.Value) { v.SetFloat(v.Float() * 0.99) })
					for _, value := range []float64{math.NaN(), math.Inf(1), -1, 0, 1} {
						try(at, f.Name, value)
					}
				}
			}
		}
		visit(nil, reflect.TypeOf(e.measured()).Elem())
	}
	strategytest.AtLeast(t, fields, 200, "fields were tried")
	strategytest.AtLeast(t, named, 60, "configurations were named")
}
