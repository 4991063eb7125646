// Package flink runs pipelines on Flink through Beam's job server. It adds options of Flink's runner to the job that
// Beam prepares, which Beam's own runner for Go cannot do, and cancels the job when the context ends. A stream needs
// some options: Stream is a set that works (see README.md).
package flink

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
)

// Name is this runner's name in the flag --runner. Beam's own is "flink", which Run replaces.
const Name = "flink-options"

// Run runs a pipeline on the runner that --runner names: Flink through this package, Beam's universal runner, or Prism,
// the default.
func Run(ctx context.Context, p *beam.Pipeline) error {
	switch *runners.Runner {
	case Name, "flink", "FlinkRunner":
		_, err := Execute(ctx, p)
		return err
	}
	if len(set) > 0 {
		return fmt.Errorf("flink: options %s are for --runner flink, and it is %q", set, *runners.Runner)
	}
	_, err := beam.Run(ctx, cmp.Or(*runners.Runner, "prism"), p)
	return err
}

type job struct {
	until context.Context // it is cancelled when that ends
	over  func() bool     // it need not be cancelled any more
}

type jobKey struct{}

// Execute runs a pipeline on Flink, as Beam's flags and --flink say. When the context ends it cancels the job and
// returns the context's error. Cancelling is certain only if --flink_rest names Flink's REST interface.
func Execute(ctx context.Context, p *beam.Pipeline) (beam.PipelineResult, error) {
	j := &job{until: ctx, over: func() bool { return false }}
	defer func() { j.over() }()
	// Beam's runner would leave the job alone: it waits until the job has been cancelled.
	result, err := universal.Execute(context.WithValue(context.WithoutCancel(ctx), jobKey{}, j), p)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return result, err
}

// patience limits the wait for a job server. Beam would wait for two minutes.
var patience = 10 * time.Second

// dial connects as Beam's grpcx.DefaultDial does, but to a job's server within the job's time.
func dial(ctx context.Context, endpoint string, timeout time.Duration) (*grpc.ClientConn, error) {
	advice := ""
	if j, ok := ctx.Value(jobKey{}).(*job); ok {
		ctx, timeout = j.until, min(timeout, patience)
		advice = ": flink/start.sh starts one here, --endpoint names another"
	}
	waits, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	//lint:ignore SA1019 as Beam's own: it waits for the server, which NewClient does not
	connection, err := grpc.DialContext(waits, endpoint, grpc.WithBlock(), grpc.WithUnaryInterceptor(intercept),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32)))
	if err != nil {
		return nil, fmt.Errorf("flink: no job server answers at %s in %v%s: %w", endpoint, timeout, advice, err)
	}
	return connection, nil
}

// intercept adds the options to a job that is prepared, and cancels a started job in time.
func intercept(ctx context.Context, method string, question, answer any, connection *grpc.ClientConn,
	call grpc.UnaryInvoker, opts ...grpc.CallOption,
) error {
	j, _ := ctx.Value(jobKey{}).(*job)
	if j == nil {
		return call(ctx, method, question, answer, connection, opts...)
	}
	client := jobpb.NewJobServiceClient(connection)
	if prepared, ok := question.(*jobpb.PrepareJobRequest); ok {
		if err := set.add(j.until, client, prepared.GetPipelineOptions().GetFields()); err != nil {
			return err
		}
		steady(prepared.GetPipeline())
	}
	err := call(ctx, method, question, answer, connection, opts...)
	if started, ok := answer.(*jobpb.RunJobResponse); ok && err == nil {
		j.over = context.AfterFunc(j.until, func() {
			id := started.GetJobId()
			if err := stop(ctx, *rest, id); err != nil {
				_, told := client.Cancel(ctx, &jobpb.CancelJobRequest{JobId: id})
				log.Warnf(ctx, "flink: job %s may go on, as Flink did not end it. Look at --flink_rest, which is %q: %v",
					id, *rest, errors.Join(err, told))
			}
		})
	}
	return err
}

// stop cancels a job, by the job server's ID, in the Flink at an address. A job server asked to cancel a job stops
// waiting, reports it as cancelled, and lets it go on in its cluster.
func stop(ctx context.Context, address, id string) error {
	jobs, name := "http://"+address+"/jobs/", strings.Split(id, "_")[0]
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, jobs+"overview", nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	var all struct{ Jobs []struct{ JID, Name string } }
	err = json.NewDecoder(answer.Body).Decode(&all)
	for _, job := range all.Jobs {
		if job.Name == name {
			request, _ := http.NewRequestWithContext(ctx, http.MethodPatch, jobs+job.JID, nil)
			answer, err := http.DefaultClient.Do(request)
			if err == nil && answer.StatusCode != http.StatusAccepted {
				err = fmt.Errorf("%s%s: %s", jobs, job.JID, answer.Status)
			}
			return err
		}
	}
	return cmp.Or(err, fmt.Errorf("%soverview has no job %s", jobs, name))
}

// numbered finds a step's number, as Beam writes it in the names of a shuffle's parts.
var numbered = regexp.MustCompile(`\be\d+_`)

// steady gives a pipeline names that stay the same when a step is added. Flink finds the state of a stage by the name
// of the collection that the stage takes in, and its timers by the ID of their step. Beam numbers both. Here a step's
// name is its ID and names its output; the input of a step with state is named after it.
func steady(p *pipepb.Pipeline) {
	c, steps := p.GetComponents(), map[string]*pipepb.PTransform{}
	rename := func(ids []string) {
		for i, id := range ids {
			ids[i] = c.Transforms[id].GetUniqueName()
		}
	}
	rename(p.GetRootTransformIds())
	for _, t := range c.GetTransforms() {
		steps[t.GetUniqueName()] = t
		rename(t.GetSubtransforms())
		for tag, made := range t.GetOutputs() {
			if len(t.GetSubtransforms()) == 0 {
				c.Pcollections[made].UniqueName = numbered.ReplaceAllString(t.GetUniqueName(), "") + "." + tag
			}
		}
	}
	c.Transforms = steps
	for _, name := range slices.Sorted(maps.Keys(steps)) {
		var step pipepb.ParDoPayload
		spec := steps[name].GetSpec()
		isStep := spec.GetUrn() == graphx.URNParDo && proto.Unmarshal(spec.GetPayload(), &step) == nil
		if isStep && len(step.GetStateSpecs()) > 0 {
			c.Pcollections[steps[name].GetInputs()["i0"]].UniqueName = name
		}
	}
}

var (
	set  = Options{}
	rest = flag.String("flink_rest", "", "HOST:PORT of Flink's REST interface, where a job is cancelled when its program "+
		"is interrupted")
)

func init() {
	beam.RegisterRunner(Name, Execute)
	grpcx.Dial = dial
	flag.Var(set, "flink", "option of Flink's runner, NAME=VALUE as Beam's documentation of Java has it, "+
		"such as checkpointing_interval=1000; several with commas, or the flag again")
}

// Stream holds options for a stream with state: a checkpoint a second, and bundles that end before a checkpoint and
// before they hold more timers than the runner takes.
var Stream = Options{
	"finish_bundle_before_checkpointing": "true",
	"streaming":                          "true",
	"checkpointing_interval":             "1000",
	"max_bundle_size":                    "50",
	"max_bundle_time_mills":              "200", // its real spelling
}

// Use applies options to this process's jobs, except those that flags set. Call it after flag.Parse.
func Use(o Options) {
	given := maps.Clone(set)
	maps.Copy(set, o)
	maps.Copy(set, given)
}

// Options are the Flink runner's options by name: checkpointing_interval, max_bundle_size. They are flag values.
type Options map[string]string

// String returns the options as Set takes them.
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

// add adds the options to a job's options. An option that the job server does not know is an error: the server would
// ignore it.
func (o Options) add(ctx context.Context, client jobpb.JobServiceClient, to map[string]*structpb.Value) error {
	known, err := client.DescribePipelineOptions(ctx, &jobpb.DescribePipelineOptionsRequest{})
	if err != nil {
		return fmt.Errorf("flink: asking the job server which options it knows: %w", err)
	}
	types := map[string]jobpb.PipelineOptionType_Enum{}
	for _, d := range known.GetOptions() {
		types[d.GetName()] = d.GetType()
	}
	for _, name := range slices.Sorted(maps.Keys(o)) {
		kind, ok := types[name]
		if !ok {
			names := strings.Join(slices.Sorted(maps.Keys(types)), ", ")
			return fmt.Errorf("flink: option %q is not one of the job server's, which are %s", name, names)
		}
		if to["beam:option:"+name+":v1"], err = convert(o[name], kind); err != nil {
			return fmt.Errorf("flink: option %s is %q, want %w", name, o[name], err)
		}
	}
	return nil
}

// convert makes a value of an option's type. The error is what it wants.
func convert(text string, kind jobpb.PipelineOptionType_Enum) (*structpb.Value, error) {
	switch kind {
	case jobpb.PipelineOptionType_BOOLEAN:
		if b, err := strconv.ParseBool(text); err == nil {
			return structpb.NewBoolValue(b), nil
		}
		return nil, errors.New("true or false")
	case jobpb.PipelineOptionType_INTEGER:
		if _, err := strconv.ParseInt(text, 10, 64); err != nil {
			return nil, errors.New("a whole number")
		} // and as text: a double does not hold all of them
	case jobpb.PipelineOptionType_NUMBER, jobpb.PipelineOptionType_ARRAY, jobpb.PipelineOptionType_OBJECT:
		v := &structpb.Value{}
		if err := v.UnmarshalJSON([]byte(text)); err != nil {
			return nil, fmt.Errorf("JSON: %w", err)
		}
		return v, nil
	}
	return structpb.NewStringValue(text), nil
}
