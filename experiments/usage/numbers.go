package usage

import (
	"fmt"
	"reflect"

	"github.com/alecthomas/kong"

	"dejavu/experiments/quantity"
)

// Numbers has every flag of type int and float64 read as package quantity reads counts
// and rates: --users 1e6, --fpr 2%. Every program of ours that has such flags takes it.
func Numbers() kong.Option {
	return kong.OptionFunc(func(k *kong.Kong) error {
		err := kong.KindMapper(reflect.Int, number(func(to reflect.Value, text string) error {
			v, err := quantity.Count(text)
			to.SetInt(int64(v))
			return err
		})).Apply(k)
		if err != nil {
			return err
		}
		return kong.KindMapper(reflect.Float64, number(func(to reflect.Value, text string) error {
			v, err := quantity.Rate(text)
			to.SetFloat(v)
			return err
		})).Apply(k)
	})
}

// number reads the next word of the command line.
func number(read func(to reflect.Value, text string) error) kong.MapperFunc {
	return func(ctx *kong.DecodeContext, to reflect.Value) error {
		t, err := ctx.Scan.PopValue("number")
		if err != nil {
			return err
		}
		return read(to, fmt.Sprint(t.Value))
	}
}
