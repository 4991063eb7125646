// Package api is the service's interface: exposure/v1/exposure.proto, the messages that
// are made of it, and its calls over Connect, gRPC, gRPC-Web and JSON.
package api

//go:generate ./generate.sh

import (
	"context"
	"net/http"
	"unsafe"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/emptypb"

	v1 "dejavu/live/api/exposure/v1"
	"dejavu/strategies"
)

// Path is what the paths of all calls begin with.
const Path = "/dejavu.exposure.v1.Exposures/"

// Calls are those of exposure.proto: a server's own, or a client's.
type Calls struct {
	Show     func(context.Context, *v1.ShowRequest) (*v1.ShowResponse, error)
	ShowAll  func(context.Context, *v1.ShowAllRequest) (*v1.ShowAllResponse, error)
	Seen     func(context.Context, *v1.SeenRequest) (*v1.SeenResponse, error)
	Record   func(context.Context, *v1.RecordRequest) (*emptypb.Empty, error)
	Forget   func(context.Context, *v1.UserRequest) (*emptypb.Empty, error)
	Vector   func(context.Context, *v1.UserRequest) (*v1.VectorResponse, error)
	Describe func(context.Context, *emptypb.Empty) (*v1.DescribeResponse, error)
}

// What may be repeated: a question at any time, also by GET, and Forget.
const (
	question   = connect.IdempotencyNoSideEffects
	idempotent = connect.IdempotencyIdempotent
	once       = connect.IdempotencyUnknown
)

// Handler serves calls under Path.
func Handler(c Calls, options ...connect.HandlerOption) http.Handler {
	mux := http.NewServeMux()
	serve(mux, "Show", c.Show, once, options)
	serve(mux, "ShowAll", c.ShowAll, once, options)
	serve(mux, "Seen", c.Seen, question, options)
	serve(mux, "Record", c.Record, once, options)
	serve(mux, "Forget", c.Forget, idempotent, options)
	serve(mux, "Vector", c.Vector, question, options)
	serve(mux, "Describe", c.Describe, question, options)
	return mux
}

func serve[Request, Answer any](mux *http.ServeMux, name string, call func(context.Context, *Request) (*Answer, error),
	repeat connect.IdempotencyLevel, options []connect.HandlerOption,
) {
	options = append([]connect.HandlerOption{connect.WithIdempotency(repeat)}, options...)
	mux.Handle(Path+name, connect.NewUnaryHandlerSimple(Path+name, call, options...))
}

// Client are the calls of the service at a URL, which has no path.
func Client(by connect.HTTPClient, url string, options ...connect.ClientOption) Calls {
	return Calls{
		Show:     ask[v1.ShowRequest, v1.ShowResponse](by, url+Path+"Show", once, options),
		ShowAll:  ask[v1.ShowAllRequest, v1.ShowAllResponse](by, url+Path+"ShowAll", once, options),
		Seen:     ask[v1.SeenRequest, v1.SeenResponse](by, url+Path+"Seen", question, options),
		Record:   ask[v1.RecordRequest, emptypb.Empty](by, url+Path+"Record", once, options),
		Forget:   ask[v1.UserRequest, emptypb.Empty](by, url+Path+"Forget", idempotent, options),
		Vector:   ask[v1.UserRequest, v1.VectorResponse](by, url+Path+"Vector", question, options),
		Describe: ask[emptypb.Empty, v1.DescribeResponse](by, url+Path+"Describe", question, options),
	}
}

func ask[Request, Answer any](by connect.HTTPClient, url string, repeat connect.IdempotencyLevel,
	options []connect.ClientOption,
) func(context.Context, *Request) (*Answer, error) {
	options = append([]connect.ClientOption{connect.WithIdempotency(repeat)}, options...)
	client := connect.NewClient[Request, Answer](by, url, options...)
	return func(ctx context.Context, r *Request) (*Answer, error) {
		answer, err := client.CallUnary(ctx, connect.NewRequest(r))
		if err != nil {
			return nil, err
		}
		return answer.Msg, nil
	}
}

// IDs is the articles of a message, in the same memory.
func IDs(articles []uint64) []strategies.ID {
	return unsafe.Slice((*strategies.ID)(unsafe.Pointer(unsafe.SliceData(articles))), len(articles))
}

// Numbers is IDs undone.
func Numbers(articles []strategies.ID) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(articles))), len(articles))
}
