package strategytest

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"dejavu/strategies"
)

// Builder returns a function that calls make, and ends the test on an error.
func Builder[C, S any](make func(C) (S, error)) func(testing.TB, C) S {
	return func(t testing.TB, c C) S {
		t.Helper()
		s, err := make(c)
		Must(t, err)
		return s
	}
}

// Layouts compares the Digest of each strategy with its key: stored histories must stay readable.
func Layouts(t testing.TB, digests map[string]strategies.Strategy) {
	t.Helper()
	for want, s := range digests {
		if got := Digest(s); got != want {
			t.Errorf("layout digest of %T is %s, want %s", s, got, want)
		}
	}
}

// Refuses checks that make returns, for each configuration, an error of its package that contains its key.
func Refuses[C, S any](t testing.TB, make func(C) (S, error), configs map[string]C) {
	t.Helper()
	for want, c := range configs {
		_, err := make(c)
		if prefix := path.Base(reflect.TypeFor[C]().PkgPath()) + ": "; !strings.HasPrefix(fmt.Sprint(err), prefix) {
			t.Errorf("%+v: error %v, want %q at its beginning", c, err, prefix)
		}
		ErrorSays(t, fmt.Sprintf("%+v", c), err, want)
	}
}

// A Case is a moment of a life, computed by hand: distinct articles shown, bytes of the history, and the window.
type Case [3]int

// RunCases compares a theory with cases computed by hand.
func RunCases(t testing.TB, theory strategies.Theory, cases []Case) {
	t.Helper()
	for _, c := range cases {
		if got := (Case{c[0], theory.Bytes(c[0]), theory.Window(c[0])}); got != c {
			t.Errorf("articles, bytes and window: theory says %d, want %d", got, c)
		}
	}
}

// A Target is a window and a false positive rate that a strategy is sized for.
type Target [2]float64

// RefusesTargets is Refuses for a function that sizes a strategy. The errors may be another package's.
func RefusesTargets[C any](t testing.TB, sized func(window int, fpr float64) (C, error), targets map[string]Target) {
	t.Helper()
	for want, target := range targets {
		_, err := sized(int(target[0]), target[1])
		if prefix, _, _ := strings.Cut(fmt.Sprint(err), " "); !strings.HasSuffix(prefix, ":") {
			t.Errorf("%v: error %v, want it to begin with a package", target, err)
		}
		ErrorSays(t, fmt.Sprint(target), err, want)
	}
}

// ErrorSays checks that an error contains want or, if want is empty, that there is none.
func ErrorSays(t testing.TB, name string, err error, want string) {
	t.Helper()
	if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		t.Errorf("%s: error %v, want %q", name, err, want)
	}
}

// ErrorOf returns the last result of a call, an error.
func ErrorOf(results ...any) error {
	err, _ := results[len(results)-1].(error)
	return err
}

// Must ends the test at the first error, if any.
func Must(t interface {
	Helper()
	Fatal(args ...any)
}, errs ...error,
) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// Value returns made, from a call that must not fail: an error panics, which ends the test.
func Value[T any](made T, err error) T {
	if err != nil {
		panic(err)
	}
	return made
}

// Equal checks that got equals want. The error begins with what.
func Equal[T comparable](t testing.TB, got, want T, what string, args ...any) {
	t.Helper()
	if got != want {
		verb := "%+v"
		if _, text := any(got).(string); text {
			verb = "%q" // which shows blanks
		}
		t.Errorf("%s: "+verb+", want "+verb, fmt.Sprintf(what, args...), got, want)
	}
}

// EqualSlices is Equal of slices.
func EqualSlices[T comparable](t testing.TB, got, want []T, what string, args ...any) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", fmt.Sprintf(what, args...), got, want)
	}
}

// DeepEqual is Equal of values that are not comparable, by reflect.DeepEqual.
func DeepEqual(t testing.TB, got, want any, what string, args ...any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %+v, want %+v", fmt.Sprintf(what, args...), got, want)
	}
}

// Contains checks that a text contains a part.
func Contains(t testing.TB, text, part, what string, args ...any) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("%s: %.2000q, want %q in it", fmt.Sprintf(what, args...), text, part)
	}
}

// Near checks that got differs from want by at most within.
func Near(t testing.TB, got, want, within float64, what string, args ...any) {
	t.Helper()
	if !(math.Abs(got-want) <= within) { // NaN is near to nothing
		t.Errorf("%s: %v, want %v within %v", fmt.Sprintf(what, args...), got, want, within)
	}
}

// Between checks that got is from least to most.
func Between[T cmp.Ordered](t testing.TB, got, least, most T, what string, args ...any) {
	t.Helper()
	if !(least <= got && got <= most) { // NaN is in no range
		t.Errorf("%s: %v, want %v to %v", fmt.Sprintf(what, args...), got, least, most)
	}
}

// AtLeast checks that got is no less.
func AtLeast[T cmp.Ordered](t testing.TB, got, least T, what string, args ...any) {
	t.Helper()
	if !(got >= least) {
		t.Errorf("%s: %v, want %v or more", fmt.Sprintf(what, args...), got, least)
	}
}

// AtMost checks that got is no more.
func AtMost[T cmp.Ordered](t testing.TB, got, most T, what string, args ...any) {
	t.Helper()
	if !(got <= most) {
		t.Errorf("%s: %v, want at most %v", fmt.Sprintf(what, args...), got, most)
	}
}
