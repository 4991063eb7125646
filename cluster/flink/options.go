package flink

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"google.golang.org/protobuf/types/known/structpb"
)

// set are the options of this process's flags.
var set = Options{}

func init() {
	flag.Var(set, "flink", "option of Flink's runner, NAME=VALUE as Beam's documentation of Java has it, "+
		"such as checkpointing_interval=1000; several with commas, or the flag again")
}

// Stream are options for a stream with state: a checkpoint a second, and bundles that end before they hold
// more timers than the runner takes. They end before a checkpoint, too: what comes out of a bundle that ends
// during one waits for the next bundle, that is for somebody's next request.
var Stream = Options{
	"finish_bundle_before_checkpointing": "true",
	"streaming":                          "true",
	"checkpointing_interval":             "1000",
	"max_bundle_size":                    "50",
	"max_bundle_time_mills":              "200", // its real spelling
}

// Use has options apply to this process's jobs, but for those that flags have set. Call it after flag.Parse.
func Use(o Options) {
	for name, value := range o {
		if _, ok := set[name]; !ok {
			set[name] = value
		}
	}
}

// Options are options of Flink's runner, by name: checkpointing_interval, max_bundle_size. They are flag values.
type Options map[string]string

// String is what Set takes.
func (o Options) String() string {
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(o)) {
		pairs = append(pairs, name+"="+o[name])
	}
	return strings.Join(pairs, ",")
}

// Set adds options, NAME=VALUE with commas between them.
func (o Options) Set(text string) error {
	for pair := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return fmt.Errorf("%q is not NAME=VALUE", pair)
		}
		o[name] = value
	}
	return nil
}

// values are options as a job server takes them, by their full names.
type values = map[string]*structpb.Value

// values are the options as a job server takes them, checked by what it says that it
// knows: it would pass over the others without a word.
func (o Options) values(known []*jobpb.PipelineOptionDescriptor) (values, error) {
	types := map[string]jobpb.PipelineOptionType_Enum{}
	for _, d := range known {
		types[d.GetName()] = d.GetType()
	}
	all := values{}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(o)) {
		kind, ok := types[name]
		if !ok {
			names := strings.Join(slices.Sorted(maps.Keys(types)), ", ")
			errs = append(errs, fmt.Errorf("flink: option %q is not one of the job server's, which are %s", name, names))
			continue
		}
		value, err := convert(o[name], kind)
		if err != nil {
			errs = append(errs, fmt.Errorf("flink: option %s is %q, want %w", name, o[name], err))
			continue
		}
		all["beam:option:"+name+":v1"] = value
	}
	return all, errors.Join(errs...)
}

// convert makes a value of the type that an option has. The error is what it wants.
func convert(text string, kind jobpb.PipelineOptionType_Enum) (*structpb.Value, error) {
	wanted := func(err error, what string) error {
		if err != nil {
			return errors.New(what)
		}
		return nil
	}
	switch kind {
	case jobpb.PipelineOptionType_BOOLEAN:
		b, err := strconv.ParseBool(text)
		return structpb.NewBoolValue(b), wanted(err, "true or false")
	case jobpb.PipelineOptionType_INTEGER: // as text, as a double does not hold all of them
		n, err := strconv.ParseInt(text, 10, 64)
		return structpb.NewStringValue(strconv.FormatInt(n, 10)), wanted(err, "a whole number")
	case jobpb.PipelineOptionType_NUMBER:
		x, err := strconv.ParseFloat(text, 64)
		return structpb.NewNumberValue(x), wanted(err, "a number")
	case jobpb.PipelineOptionType_ARRAY, jobpb.PipelineOptionType_OBJECT:
		v := &structpb.Value{}
		if err := v.UnmarshalJSON([]byte(text)); err != nil {
			return nil, fmt.Errorf("JSON: %w", err)
		}
		return v, nil
	default:
		return structpb.NewStringValue(text), nil
	}
}
