package strategies

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A Layout describes a strategy: name, configuration and possible lengths of histories. Strategies embed it.
type Layout struct {
	strategy string
	config   any // a struct
	header   int
	sizes    []int
}

// NewLayout returns a layout. The arrays are the lengths of histories in bytes, ascending, without their header.
func NewLayout(strategy string, config any, header int, arrays ...int) Layout {
	sizes := make([]int, len(arrays))
	for i, bytes := range arrays {
		sizes[i] = bytes + header
	}
	return Layout{strategy, config, header, sizes}
}

// Sizes returns the possible lengths of a history, header included, ascending.
func (l Layout) Sizes() []int { return l.sizes }

// SizeAt returns the i-th of Sizes, or 0 if no article was read. It helps to implement Theory.Bytes.
func (l Layout) SizeAt(read, i int) int {
	if read <= 0 {
		return 0
	}
	return l.sizes[i]
}

// HeaderBytes returns the length of the header, which the paper does not count.
func (l Layout) HeaderBytes() int { return l.header }

// CheckLength returns an error if the history is neither empty nor as long as one of Sizes.
func (l Layout) CheckLength(history []byte) error {
	if _, found := slices.BinarySearch(l.sizes, len(history)); found || len(history) == 0 {
		return nil
	}
	return fmt.Errorf("%s: history of %d bytes, want 0 or one of %d", l.strategy, len(history), l.sizes)
}

// Index returns the index of the largest size up to len(history), or 0. Unlike a header, a length cannot be forged.
func (l *Layout) Index(history []byte) int {
	i := len(l.sizes) - 1
	for i > 0 && l.sizes[i] > len(history) {
		i--
	}
	return i
}

// A Fixed is the Layout of a strategy whose histories all have one length.
type Fixed struct{ Layout }

// NewFixed returns the layout of histories of the given number of bytes, without a header.
func NewFixed(strategy string, config any, array int) Fixed {
	return Fixed{NewLayout(strategy, config, 0, array)}
}

// Bytes returns the length of a history, or 0 if no article was read.
func (f Fixed) Bytes(read int) int { return f.SizeAt(read, 0) }

// Grow lengthens a shorter history to size bytes, in place if it can. The new bytes are 0.
func Grow(history []byte, size int) []byte {
	if len(history) >= size {
		return history
	}
	return grow(history, size)
}

// grow is separate so that Grow is inlined.
func grow(history []byte, size int) []byte {
	old := len(history)
	history = slices.Grow(history, size-old)[:size]
	clear(history[old:])
	return history
}

// Within returns an error if a field of a configuration is out of range: "chain: Links is 1, want 2 to 57". The field
// includes the strategy's name. If most is math.MaxInt, there is no upper end.
func Within(field string, value, least, most int) error {
	switch {
	case value >= least && value <= most:
		return nil
	case most == math.MaxInt:
		return fmt.Errorf("%s is %d, want at least %d", field, value, least)
	default:
		return fmt.Errorf("%s is %d, want %d to %d", field, value, least, most)
	}
}

// In prefixes err with the strategy's name. It returns nil if err is nil.
func In(strategy string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", strategy, err)
}

// ValidShare returns an error if a rate or factor is not in (0, 1).
func ValidShare(field string, value float64) error {
	if !(value > 0 && value < 1) { // also if it is NaN
		return fmt.Errorf("%s is %v, want it between 0 and 1, both excluded", field, value)
	}
	return nil
}

// ValidTarget returns an error if window is not 1 to most, or fpr not in (0, 1).
func ValidTarget(strategy string, window, most int, fpr float64) error {
	return cmp.Or(Within(strategy+": window", window, 1, most), ValidShare(strategy+": fpr", fpr))
}

// Unmet returns the error for a valid target that no configuration reaches. It names the least reachable rate.
func Unmet(strategy string, articles int, fpr, least float64) error {
	least = max(1.05*least, 1e-300)
	return fmt.Errorf("%s: fpr is %v, want at least %.2g for %d articles", strategy, fpr, least, articles)
}

// Fingerprint names a strategy with all its parameters: "chain{Capacity:100 Geometry:{Bits:812 Hashes:6} Links:5}".
// Strategies with the same fingerprint read each other's histories, so a snapshot stores it.
//
// It returns s.Fingerprint() if the strategy has that method, as every strategy that embeds a Layout has. Otherwise it
// returns the Go type alone ("tags.Tags"), which does not distinguish parameters. The text is the same in every
// release, on every machine. Fields are sorted by name and left out if zero.
func Fingerprint(s Strategy) string {
	if f, ok := s.(interface{ Fingerprint() string }); ok {
		return f.Fingerprint()
	}
	return strings.TrimPrefix(reflect.TypeOf(s).String(), "*")
}

// Fingerprint implements the function Fingerprint.
func (l Layout) Fingerprint() string {
	if l.config == nil {
		return l.strategy + "{}"
	}
	return l.strategy + parameter(reflect.ValueOf(l.config))
}

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
