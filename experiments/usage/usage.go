package usage

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"time"

	"github.com/alecthomas/kong"
)

// An Error is the user's to mend.
type Error struct{ error }

// Errorf returns an Error, formatted as by fmt.Errorf.
func Errorf(format string, args ...any) error { return Error{fmt.Errorf(format, args...)} }

// Of marks an error as the user's to mend; nil stays nil.
func Of(err error) error {
	if err == nil {
		return nil
	}
	return Error{err}
}

// Unwrap returns the error beneath.
func (e Error) Unwrap() error { return e.error }

// Numbers reads every flag of type int by Count, of type float64 by Rate (--users 1e6, --fpr 2%), of type uint64 as a
// whole number, and of type time.Duration with its unit.
func Numbers() kong.Option {
	return kong.OptionFunc(func(k *kong.Kong) error {
		mapper := kong.MapperFunc(func(ctx *kong.DecodeContext, to reflect.Value) error {
			word, err := ctx.Scan.PopValue("number")
			if err != nil {
				return err
			}
			text := fmt.Sprint(word.Value)
			switch to.Kind() {
			case reflect.Int:
				v, err := Count(text)
				to.SetInt(int64(v))
				return err
			case reflect.Uint64:
				v, err := strconv.ParseUint(text, 10, 64)
				if to.SetUint(v); err != nil {
					err = fmt.Errorf("%q is not a whole number of 0 or more", text)
				}
				return err
			case reflect.Int64:
				v, err := time.ParseDuration(text)
				if to.SetInt(int64(v)); err != nil {
					err = fmt.Errorf("%q is not a time, want a number with a unit, such as 90s, 30m or 24h", text)
				}
				return err
			}
			v, err := Rate(text)
			to.SetFloat(v)
			return err
		})
		return errors.Join(kong.KindMapper(reflect.Int, mapper).Apply(k),
			kong.TypeMapper(reflect.TypeFor[time.Duration](), mapper).Apply(k),
			kong.KindMapper(reflect.Uint64, mapper).Apply(k), kong.KindMapper(reflect.Float64, mapper).Apply(k))
	})
}
