package flink

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"dejavu/cluster/remember"
	"dejavu/strategies/strategytest"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"google.golang.org/grpc"
)

func TestMain(m *testing.M) {
	flag.Parse()
	beam.Init()
	os.Exit(m.Run())
}

// A server is a job server that knows some options, and takes no job, or one that runs until it is cancelled.
type server struct {
	jobpb.UnimplementedJobServiceServer
	jobpb.UnimplementedArtifactStagingServiceServer

	got       map[string]any // the options of the job that it was to prepare
	pipeline  *pipepb.Pipeline
	job       string // its ID, and in the end what was cancelled
	runs      func() // is called when it does
	cancelled chan string
}

// The types are from Beam's job server 2.62.
func (s *server) DescribePipelineOptions(
	context.Context, *jobpb.DescribePipelineOptionsRequest,
) (*jobpb.DescribePipelineOptionsResponse, error) {
	r := &jobpb.DescribePipelineOptionsResponse{}
	for name, kind := range map[string]jobpb.PipelineOptionType_Enum{
		"streaming":                          jobpb.PipelineOptionType_BOOLEAN,
		"finish_bundle_before_checkpointing": jobpb.PipelineOptionType_BOOLEAN,
		"checkpointing_interval":             jobpb.PipelineOptionType_INTEGER,
		"checkpoint_timeout_millis":          jobpb.PipelineOptionType_INTEGER,
		"max_bundle_size":                    jobpb.PipelineOptionType_INTEGER,
		"max_bundle_time_mills":              jobpb.PipelineOptionType_INTEGER,
		"state_backend":                      jobpb.PipelineOptionType_STRING,
		"flink_master":                       jobpb.PipelineOptionType_STRING,
		"files_to_stage":                     jobpb.PipelineOptionType_ARRAY,
	} {
		long := strings.Repeat("What it does. ", 1<<16) // an answer may be larger than gRPC's default
		r.Options = append(r.Options, &jobpb.PipelineOptionDescriptor{Name: name, Type: kind, Description: long})
	}
	return r, nil
}

func (s *server) Prepare(_ context.Context, r *jobpb.PrepareJobRequest) (*jobpb.PrepareJobResponse, error) {
	s.got, s.pipeline = r.GetPipelineOptions().AsMap(), r.GetPipeline()
	if s.job == "" {
		return nil, errors.New("no job is taken here")
	}
	return &jobpb.PrepareJobResponse{ArtifactStagingEndpoint: &pipepb.ApiServiceDescriptor{Url: *jobopts.Endpoint}}, nil
}

type retrieval = jobpb.ArtifactStagingService_ReverseArtifactRetrievalServiceServer

func (s *server) ReverseArtifactRetrievalService(retrieval) error { return nil }

func (s *server) Run(context.Context, *jobpb.RunJobRequest) (*jobpb.RunJobResponse, error) {
	return &jobpb.RunJobResponse{JobId: s.job}, nil
}

func (s *server) GetMessageStream(*jobpb.JobMessagesRequest, jobpb.JobService_GetMessageStreamServer) error {
	s.runs()
	defer time.AfterFunc(10*time.Second, func() { s.cancelled <- "no job" }).Stop()
	s.job = <-s.cancelled
	return nil
}

func (s *server) Cancel(_ context.Context, r *jobpb.CancelJobRequest) (*jobpb.CancelJobResponse, error) {
	s.cancelled <- r.GetJobId()
	return &jobpb.CancelJobResponse{}, nil
}

// serve starts a server, and has this process's flags name it and some options.
func serve(t *testing.T, o Options) *server {
	t.Helper()
	s := &server{cancelled: make(chan string, 99)}
	listener := strategytest.Value(net.Listen("tcp", "localhost:0"))
	g := grpc.NewServer()
	jobpb.RegisterJobServiceServer(g, s)
	jobpb.RegisterArtifactStagingServiceServer(g, s)
	go g.Serve(listener)
	endpoint, environment, runner, before := *jobopts.Endpoint, *jobopts.EnvironmentType, *runners.Runner, set
	*jobopts.Endpoint, *jobopts.EnvironmentType, *runners.Runner, set = listener.Addr().String(), "LOOPBACK", "flink", o
	t.Cleanup(func() {
		g.Stop()
		*jobopts.Endpoint, *jobopts.EnvironmentType, *runners.Runner, set = endpoint, environment, runner, before
	})
	return s
}

func run(ctx context.Context) error {
	p, s := beam.NewPipelineWithRoot()
	beam.Impulse(s)
	return Run(ctx, p)
}

// Options reach the job server with their types, and flags override a program's options.
func TestOptionsReachTheJobServer(t *testing.T) {
	s := serve(t, Options{})
	Use(Stream)
	strategytest.ErrorSays(t, "a job", run(t.Context()), "no job is taken here")
	strategytest.Equal[any](t, s.got["beam:option:max_bundle_size:v1"], "50", "without a flag a bundle holds")
	s = serve(t, Options{"max_bundle_size": "20", "state_backend": "rocksdb", "files_to_stage": `["a"]`})
	Use(Stream)
	strategytest.ErrorSays(t, "a job", run(t.Context()), "no job is taken here")
	for name, want := range map[string]any{
		"streaming": true, "checkpointing_interval": "1000", "max_bundle_size": "20", "max_bundle_time_mills": "200",
		"finish_bundle_before_checkpointing": true, "state_backend": "rocksdb",
	} {
		strategytest.Equal(t, s.got["beam:option:"+name+":v1"], want, "%s is", name)
	}
	if files, ok := s.got["beam:option:files_to_stage:v1"].([]any); !ok || len(files) != 1 {
		t.Errorf("files_to_stage is %v", s.got["beam:option:files_to_stage:v1"])
	}
}

func request(user string) (string, remember.Request) { return user, remember.Request{} }

// After a step is added before a step with state, that state is found again, by its ID and its input, and so are later
// steps' states.
func TestStateIsFoundAgain(t *testing.T) {
	var found [2]map[string]string
	for more := range found {
		server := serve(t, Options{})
		p, s := beam.NewPipelineWithRoot()
		users := beam.Create(s, "Ada")
		for range more {
			users = beam.Reshuffle(s.Scope("More"), users)
		}
		config := remember.Config{Strategy: "chain", Idle: remember.Day}
		answers := strategytest.Value(remember.Remember(s, config, beam.ParDo(s, request, users)))
		beam.DropKey(s, beam.Reshuffle(s, answers))
		strategytest.ErrorSays(t, "a job", Run(t.Context(), p), "no job is taken here")
		c, roots := server.pipeline.GetComponents(), server.pipeline.GetRootTransformIds()
		found[more] = map[string]string{}
		for id, step := range c.GetTransforms() {
			for _, id := range append(step.GetSubtransforms(), roots...) {
				strategytest.Equal(t, c.GetTransforms()[id].GetUniqueName(), id, "the ID of a step is its name")
			}
			if name := step.GetUniqueName(); len(step.GetSubtransforms()) == 0 && !numbered.MatchString(name) {
				found[more][id] = c.GetPcollections()[step.GetInputs()["i0"]].GetUniqueName()
			}
		}
	}
	delete(found[0], "flink.request") // it takes in what is new
	for id, want := range found[0] {
		strategytest.Equal(t, found[1][id], want, "with a step more, %s takes in", id)
	}
	strategytest.Equal(t, found[0]["Remember/timers.EventTime]"], "Remember/timers.EventTime]", "the step takes in")
}

// A started job is cancelled when its context ends: by Flink if that is named and has the job, or else by the job
// server.
func TestJobsAreCancelled(t *testing.T) {
	s := serve(t, Options{})
	flink := http.NewServeMux()
	flink.HandleFunc("GET /jobs/overview", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"jobs": [{"jid": "a", "name": "over"}, {"jid": "b", "name": "name", "state": "RUNNING"}]}`)
	})
	flink.HandleFunc("PATCH /jobs/b", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusAccepted)
		s.cancelled <- r.URL.Path
	})
	cluster := httptest.NewServer(flink)
	defer cluster.Close()
	defer func() { *rest = "" }()
	for _, c := range []struct{ flink, id, want string }{
		{"", "name_7", "name_7"},
		{cluster.Listener.Addr().String(), "name_7", "/jobs/b"},
		{cluster.Listener.Addr().String(), "nam_7", "nam_7"},
		{cluster.Listener.Addr().String(), "over_7", "over_7"},
		{"localhost:0", "name_7", "name_7"},
	} {
		ctx, end := context.WithCancelCause(t.Context())
		why := errors.New("it is enough")
		s.job, s.runs, *rest = c.id, func() { end(why) }, c.flink
		if err := run(ctx); !errors.Is(err, why) || s.job != c.want {
			t.Errorf("of the job %s in %q %s was cancelled, want %s: %v", c.id, c.flink, s.job, c.want, err)
		}
	}
	ctx, end := context.WithCancel(t.Context())
	s.job, s.runs = "name_7", func() { s.cancelled <- "nothing, it has ended" }
	*rest = cluster.Listener.Addr().String()
	strategytest.ErrorSays(t, "a job that ends, without metrics", run(ctx), "failed to get metrics")
	end()
	time.Sleep(50 * time.Millisecond)
	strategytest.Equal(t, len(s.cancelled), 0, "of jobs that have ended are cancelled")
}

// Without a job server the error comes soon, and says what to do.
func TestNoJobServer(t *testing.T) {
	serve(t, Options{})
	defer func(before time.Duration) { patience = before }(patience)
	*jobopts.Endpoint, patience = "localhost:1", 50*time.Millisecond
	const want = "flink: no job server answers at localhost:1 in 50ms: " +
		"flink/start.sh starts one here, --endpoint names another"
	strategytest.ErrorSays(t, "a job", run(t.Context()), want)
}

// The job server would silently ignore unknown options.
func TestOptionsAreChecked(t *testing.T) {
	for _, c := range []struct{ flag, want string }{
		{"checkpoint_interval=1", `is not one of the job server's, which are checkpoint_timeout_millis, `},
		{"max_bundle_size=1a", `option max_bundle_size is "1a", want a whole number`},
		{"streaming=maybe", `option streaming is "maybe", want true or false`},
		{"files_to_stage=a", `option files_to_stage is "a", want JSON`},
	} {
		o := Options{}
		strategytest.Must(t, o.Set(c.flag))
		s := serve(t, o)
		strategytest.ErrorSays(t, c.flag, run(t.Context()), c.want)
		strategytest.Equal(t, len(s.got), 0, "%s: options of a job are", c.flag)
	}
}

// On another runner the options would do nothing.
func TestOptionsAreForFlink(t *testing.T) {
	serve(t, Options{"streaming": "true"})
	*runners.Runner = "prism"
	const want = `options streaming=true are for --runner flink, and it is "prism"`
	strategytest.ErrorSays(t, "on Prism", run(t.Context()), want)
}

func TestOptionsAreFlags(t *testing.T) {
	o := Options{}
	for _, text := range []string{"a=1,b=2", "c="} {
		strategytest.Must(t, o.Set(text))
	}
	strategytest.Equal(t, o.String(), "a=1,b=2,c=", "the flags are")
	for _, text := range []string{"", "a", "=1", "a=1,"} {
		if err := (Options{}).Set(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
