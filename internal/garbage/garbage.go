// Package garbage lets tests overwrite reused memory (Fill), to find code that reads what an earlier call left.
package garbage

import (
	"reflect"
	"sync/atomic"
	"unsafe"

	"dejavu/internal/mix"
)

var (
	on    bool
	drawn atomic.Uint64 // random numbers so far
)

// On makes Fill overwrite memory until off is called. It is for tests, and not safe beside other calls of On.
func On() (off func()) {
	was := on
	on = true
	drawn.Store(0)
	return func() { on = was }
}

// Fill overwrites all numbers and bools at p, if On was called, and returns p. Otherwise it costs one comparison.
func Fill[T any](p *T) *T {
	if on {
		fill(reflect.TypeFor[T](), unsafe.Pointer(p))
	}
	return p
}

func fill(t reflect.Type, p unsafe.Pointer) {
	each := func(elem reflect.Type, first unsafe.Pointer, n int) {
		for i := range n {
			fill(elem, unsafe.Add(first, uintptr(i)*elem.Size()))
		}
	}
	switch kind := t.Kind(); {
	case kind == reflect.Struct:
		for i := range t.NumField() {
			fill(t.Field(i).Type, unsafe.Add(p, t.Field(i).Offset))
		}
	case kind == reflect.Array:
		each(t.Elem(), p, t.Len())
	case kind == reflect.Slice:
		s := reflect.NewAt(t, p).Elem()
		each(t.Elem(), s.UnsafePointer(), s.Len())
	case kind == reflect.Bool:
		*(*bool)(p) = mix.Mix(drawn.Add(1))&1 != 0
	case kind >= reflect.Int && kind <= reflect.Uintptr:
		random := mix.Mix(drawn.Add(1))
		copy(unsafe.Slice((*byte)(p), t.Size()), unsafe.Slice((*byte)(unsafe.Pointer(&random)), t.Size()))
	}
}
