// Package api is the service's interface: exposure/v1/exposure.proto, its messages as Go structs, and its calls over
// Connect, gRPC, gRPC-Web and JSON.
package api

import (
	"context"
	"net/http"
	"unsafe"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/emptypb"

	"dejavu/strategies"
)

// Path is what the paths of all calls begin with.
const Path = "/dejavu.exposure.v1.Exposures/"

// A Call is a call of a server's own, or a client's.
type Call[Request, Answer any] = func(context.Context, *Request) (*Answer, error)

// Calls are those of exposure.proto.
type Calls struct {
	Show     Call[ShowRequest, ShowResponse]
	ShowAll  Call[ShowAllRequest, ShowAllResponse]
	Seen     Call[SeenRequest, SeenResponse]
	Record   Call[RecordRequest, emptypb.Empty]
	Forget   Call[UserRequest, emptypb.Empty]
	Vector   Call[UserRequest, VectorResponse]
	Describe Call[emptypb.Empty, DescribeResponse]
}

// repeat says what may be repeated: a question at any time, also by GET, and Forget.
var repeat = map[string]connect.IdempotencyLevel{
	"Seen": connect.IdempotencyNoSideEffects, "Vector": connect.IdempotencyNoSideEffects,
	"Describe": connect.IdempotencyNoSideEffects, "Forget": connect.IdempotencyIdempotent,
}

// Handler serves calls under Path.
func Handler(c Calls, options ...connect.HandlerOption) http.Handler {
	mux := http.NewServeMux()
	serve(mux, "Show", c.Show, options)
	serve(mux, "ShowAll", c.ShowAll, options)
	serve(mux, "Seen", c.Seen, options)
	serve(mux, "Record", c.Record, options)
	serve(mux, "Forget", c.Forget, options)
	serve(mux, "Vector", c.Vector, options)
	serve(mux, "Describe", c.Describe, options)
	return mux
}

func serve[Q, A any](mux *http.ServeMux, name string, call Call[Q, A], options []connect.HandlerOption) {
	options = append([]connect.HandlerOption{connect.WithIdempotency(repeat[name])}, options...)
	mux.Handle(Path+name, connect.NewUnaryHandlerSimple(Path+name, call, options...))
}

// Client are the calls of the service at a URL, which has no path.
func Client(by connect.HTTPClient, url string, options ...connect.ClientOption) Calls {
	return Calls{
		Show:     ask[ShowRequest, ShowResponse](by, url, "Show", options),
		ShowAll:  ask[ShowAllRequest, ShowAllResponse](by, url, "ShowAll", options),
		Seen:     ask[SeenRequest, SeenResponse](by, url, "Seen", options),
		Record:   ask[RecordRequest, emptypb.Empty](by, url, "Record", options),
		Forget:   ask[UserRequest, emptypb.Empty](by, url, "Forget", options),
		Vector:   ask[UserRequest, VectorResponse](by, url, "Vector", options),
		Describe: ask[emptypb.Empty, DescribeResponse](by, url, "Describe", options),
	}
}

func ask[Q, A any](by connect.HTTPClient, url, name string, options []connect.ClientOption) Call[Q, A] {
	options = append([]connect.ClientOption{connect.WithIdempotency(repeat[name])}, options...)
	client := connect.NewClient[Q, A](by, url+Path+name, options...)
	return func(ctx context.Context, r *Q) (*A, error) {
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
