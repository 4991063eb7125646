// Package flink runs pipelines on Flink, by Beam's job server, and hands Flink's
// runner its options: how often it takes checkpoints, how large a bundle grows,
// whether the pipeline is a stream. Beam's own runner for Go has no way to.
//
// A stream needs them. Without checkpointing_interval there are no checkpoints, and a
// job that loses a machine starts anew, with no state. Without streaming,
// max_bundle_size and max_bundle_time_mills a bundle takes a million elements or ten
// seconds; and as each timer that a step of Go sets is a message, of which the runner
// holds a hundred until the bundle ends, many newcomers at once can stop the job for
// good. Stream is a set that works.
//
// What is left of a runner is Beam's: this one prepares, stages and submits a job by
// the parts of Beam's universal runner, and cancels the job where the context ends.
package flink

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/metricsx"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/xlangx"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/runnerlib"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
	"google.golang.org/grpc"
)

// Name is the runner's in the flag --runner; "flink" alone is Beam's, which Run
// replaces.
const Name = "flink-options"

func init() { beam.RegisterRunner(Name, Execute) }

// Run runs a pipeline on the runner of the flag --runner, on Flink by this package's.
func Run(ctx context.Context, p *beam.Pipeline) error {
	switch *runners.Runner {
	case Name, "flink", "FlinkRunner":
		_, err := Execute(ctx, p)
		return err
	}
	if len(set) > 0 {
		return fmt.Errorf("flink: options %s are for --runner flink, and it is %q", set, *runners.Runner)
	}
	return beamx.Run(ctx, p)
}

// Execute runs a pipeline on Flink, as Beam's flags and --flink say. When the context
// ends it cancels the job, and returns the context's error.
func Execute(ctx context.Context, p *beam.Pipeline) (beam.PipelineResult, error) {
	if !beam.Initialized() {
		return nil, errors.New("flink: beam.Init must be called before a pipeline is made")
	}
	endpoint, err := jobopts.GetEndpoint()
	if err != nil {
		return nil, err
	}
	connection, err := grpcx.Dial(ctx, endpoint, 2*time.Minute)
	if err != nil {
		return nil, fmt.Errorf("flink: no job server at %s: %w", endpoint, err)
	}
	defer connection.Close()
	client := jobpb.NewJobServiceClient(connection)
	values, err := ask(ctx, client, set)
	if err != nil {
		return nil, err
	}
	configuration := jobopts.GetEnvironmentConfig
	if jobopts.IsLoopback() {
		workers, err := extworker.StartLoopback(ctx, 0)
		if err != nil {
			return nil, err
		}
		defer workers.Stop(context.WithoutCancel(ctx))
		configuration = workers.EnvironmentConfig
	}
	pipeline, err := marshal(ctx, p, configuration)
	if err != nil {
		return nil, err
	}
	return submit(ctx, optioned{client, values}, pipeline)
}

// ask checks options by what a job server knows.
func ask(ctx context.Context, client jobpb.JobServiceClient, o Options) (values, error) {
	if len(o) == 0 {
		return nil, nil
	}
	known, err := client.DescribePipelineOptions(ctx, &jobpb.DescribePipelineOptionsRequest{})
	if err != nil {
		return nil, fmt.Errorf("flink: asking the job server which options it knows: %w", err)
	}
	return o.values(known.GetOptions())
}

// marshal is a pipeline as a job server takes it.
func marshal(ctx context.Context, p *beam.Pipeline, config func(context.Context) string) (*pipepb.Pipeline, error) {
	edges, _, err := p.Build()
	if err != nil {
		return nil, err
	}
	xlangx.ResolveArtifacts(ctx, edges, nil)
	environment, err := graphx.CreateEnvironment(ctx, jobopts.GetEnvironmentUrn(ctx), config)
	if err != nil {
		return nil, err
	}
	hints := jobopts.GetPipelineResourceHints()
	return graphx.Marshal(edges, &graphx.Options{Environment: environment, PipelineResourceHints: hints})
}

// optioned is a client that adds options to the jobs it prepares.
type optioned struct {
	jobpb.JobServiceClient
	values values
}

// Prepare prepares a job.
func (c optioned) Prepare(
	ctx context.Context, in *jobpb.PrepareJobRequest, opts ...grpc.CallOption,
) (*jobpb.PrepareJobResponse, error) {
	maps.Copy(in.GetPipelineOptions().GetFields(), c.values)
	return c.JobServiceClient.Prepare(ctx, in, opts...)
}

// submit stages what workers need, starts the job, and waits for it.
func submit(ctx context.Context, client jobpb.JobServiceClient, p *pipepb.Pipeline) (beam.PipelineResult, error) {
	worker, remove, err := binary(ctx)
	if err != nil {
		return nil, err
	}
	defer remove()
	if err := runnerlib.UpdateGoEnvironmentWorker(worker, p); err != nil {
		return nil, err
	}
	id, staging, token, err := runnerlib.Prepare(ctx, client, p, &runnerlib.JobOptions{
		Name: jobopts.GetJobName(), Experiments: jobopts.GetExperiments(), Worker: worker,
		RetainDocker: *jobopts.RetainDockerContainers, Parallelism: *jobopts.Parallelism, Loopback: jobopts.IsLoopback(),
	})
	if err != nil {
		return nil, err
	}
	if token, err = runnerlib.Stage(ctx, id, staging, worker, token); err != nil {
		return nil, err
	}
	job, err := runnerlib.Submit(ctx, client, id, token)
	if err != nil {
		return nil, err
	}
	log.Infof(ctx, "Flink's job of the job server: %s", job)
	if *jobopts.Async {
		return result{job: job}, nil
	}
	always := context.WithoutCancel(ctx)
	stop := context.AfterFunc(ctx, func() {
		if _, err := client.Cancel(always, &jobpb.CancelJobRequest{JobId: job}); err != nil {
			log.Errorf(always, "flink: cancelling job %s: %v", job, err)
		}
	})
	defer stop()
	if err := runnerlib.WaitForCompletion(always, client, job); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	counted, err := client.GetJobMetrics(ctx, &jobpb.GetJobMetricsRequest{JobId: job})
	if err != nil {
		return nil, fmt.Errorf("flink: metrics of job %s: %w", job, err)
	}
	r := metricsx.FromMonitoringInfos(p, counted.GetMetrics().GetAttempted(), counted.GetMetrics().GetCommitted())
	return result{job, *r}, nil
}

// binary is the program that workers are staged with, and what removes it where it was
// made for that.
func binary(ctx context.Context) (path string, remove func(), err error) {
	switch {
	case *jobopts.WorkerBinary != "":
		return *jobopts.WorkerBinary, func() {}, nil
	case jobopts.IsLoopback(): // this process works, and what is staged nobody starts
		f, err := os.CreateTemp("", "dejavu-worker-")
		if err != nil {
			return "", nil, err
		}
		path = f.Name()
		return path, func() { os.Remove(path) }, f.Close()
	}
	if path, err = runnerlib.BuildTempWorkerBinary(ctx, runnerlib.CompileOpts{}); err != nil {
		return "", nil, err
	}
	return path, func() { os.Remove(path) }, nil
}

// A result is what a job has counted.
type result struct {
	job     string
	counted metrics.Results
}

// Metrics are the counters of the steps.
func (r result) Metrics() metrics.Results { return r.counted }

// JobID is the job's name at the job server.
func (r result) JobID() string { return r.job }
