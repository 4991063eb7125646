package measure

import (
	"fmt"
	"reflect"
)

// Sum adds every number of more to its place in to, down through structs, arrays and
// slices, of which to may lack some. A field's tag says where that is not what becomes of
// it: sum:"most" keeps the larger, sum:"least" the smaller, and sum:"same" is no count, and
// more's. It serves for totals, not in loops: 4000 numbers take some 50 µs.
func Sum[T any](to *T, more T) { sum(reflect.ValueOf(to).Elem(), reflect.ValueOf(more), "") }

func sum(to, more reflect.Value, how string) {
	switch to.Kind() {
	case reflect.Struct:
		for i := range to.NumField() {
			sum(to.Field(i), more.Field(i), to.Type().Field(i).Tag.Get("sum"))
		}
		return
	case reflect.Slice:
		if n := more.Len() - to.Len(); n > 0 {
			to.Set(reflect.AppendSlice(to, reflect.MakeSlice(to.Type(), n, n)))
		}
		if a, ok := to.Interface().([]int64); ok && how == "" { // as good as all numbers there are
			for i, n := range more.Interface().([]int64) {
				a[i] += n
			}
			return
		}
		fallthrough
	case reflect.Array:
		for i := range more.Len() {
			sum(to.Index(i), more.Index(i), how)
		}
		return
	}
	switch {
	case how == "same":
		to.Set(more)
	case to.CanFloat():
		to.SetFloat(to.Float() + more.Float())
	case !to.CanInt():
		panic(fmt.Sprintf("measure: %v does not add up", to.Type()))
	case how == "most":
		to.SetInt(max(to.Int(), more.Int()))
	case how == "least":
		to.SetInt(min(to.Int(), more.Int()))
	default:
		to.SetInt(to.Int() + more.Int())
	}
}
