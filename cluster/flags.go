package main

import (
	"errors"
	"flag"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"dejavu/cluster/flink"
	"dejavu/experiments/quantity"
	"dejavu/experiments/text"
)

const outHelp = "directory for results, as the workers see it; or one in a storage (gs://bucket/dir)"

// newFlags is a set with Beam's flags, for a command to add its own.
func newFlags(command string) *flag.FlagSet {
	set := flag.NewFlagSet("cluster "+command, flag.ContinueOnError)
	set.SetOutput(flag.CommandLine.Output())
	flag.VisitAll(func(f *flag.Flag) { set.Var(f.Value, f.Name, f.Usage) })
	return set
}

// parse parses flags before and after the names, and returns the names. Beam is told
// which of its flags were set: it looks for them in a place of its own.
func parse(set *flag.FlagSet, args []string) (names []string, err error) {
	for {
		switch err := set.Parse(args); {
		case errors.Is(err, flag.ErrHelp):
			return nil, err
		case err != nil:
			return nil, usageError{err}
		}
		if set.NArg() == 0 {
			break
		}
		names, args = append(names, set.Arg(0)), set.Args()[1:]
	}
	set.Visit(func(f *flag.Flag) {
		if flag.Lookup(f.Name) != nil {
			err = errors.Join(err, flag.Set(f.Name, f.Value.String()))
		}
	})
	return names, errors.Join(err, flag.CommandLine.Parse(nil))
}

// define makes flags of the fields of a struct that the experiments program has for flags, with the names,
// defaults and help that its tags give them there, so that both command lines are one.
func define(set *flag.FlagSet, to any) {
	fields := reflect.ValueOf(to).Elem()
	for i := range fields.NumField() {
		field := fields.Type().Field(i)
		f := &tagged{fields.Field(i)}
		if value := field.Tag.Get("default"); value != "" {
			if err := f.Set(value); err != nil {
				panic(fmt.Sprintf("%s: default: %v", field.Name, err)) // a tag of ours
			}
		}
		set.Var(f, kebab(field.Name), field.Tag.Get("help"))
	}
}

var capital = regexp.MustCompile(`\B[A-Z]`)

func kebab(name string) string { return strings.ToLower(capital.ReplaceAllString(name, "-$0")) }

// asked are the flags of such structs that were given another value than they have, as the
// experiments program writes them into a manifest.
func asked(set *flag.FlagSet) string {
	var flags []string
	set.Visit(func(f *flag.Flag) { // in the order of their names
		if t, ok := f.Value.(*tagged); ok && t.String() != f.DefValue {
			flags = append(flags, fmt.Sprintf("--%s %v", f.Name, t))
		}
	})
	return strings.Join(flags, " ")
}

// A tagged flag sets a field of such a struct.
type tagged struct{ field reflect.Value }

// IsBoolFlag is whether it may stand without a value.
func (f *tagged) IsBoolFlag() bool { return f.field.Kind() == reflect.Bool }

// String is the value as Set takes it.
func (f *tagged) String() string {
	if !f.field.IsValid() || f.field.IsZero() { // flag asks a flag that is none, and shows no default like it
		return ""
	}
	switch v := f.field.Interface().(type) {
	case []string:
		return strings.Join(v, ",")
	case map[string]string:
		return flink.Options(v).String()
	case time.Duration:
		return text.Duration(v)
	default:
		return fmt.Sprint(v)
	}
}

// Set sets the field. Lists and maps, with commas between their elements, grow with each flag.
func (f *tagged) Set(text string) error {
	switch to := f.field.Addr().Interface().(type) {
	case *string:
		*to = text
	case *bool:
		return set(to, text, strconv.ParseBool)
	case *int:
		return set(to, text, quantity.Count)
	case *float64:
		return set(to, text, quantity.Rate)
	case *time.Duration:
		return set(to, text, time.ParseDuration)
	case *[]string:
		*to = append(*to, strings.Split(text, ",")...)
	case *map[string]string:
		if *to == nil {
			*to = map[string]string{}
		}
		return flink.Options(*to).Set(text)
	default:
		panic(fmt.Sprintf("a flag of type %T", to))
	}
	return nil
}

func set[T any](to *T, text string, parse func(string) (T, error)) error {
	v, err := parse(text)
	if err == nil {
		*to = v
	}
	return err
}
