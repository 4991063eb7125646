// Package api is the service's interface: exposure.proto, its messages as structs, its calls by Connect, gRPC, JSON.
package api

//go:generate protoc --descriptor_set_out=exposure/v1/exposure.binpb exposure/v1/exposure.proto
//go:generate protoc --connect-openapi_out=. --connect-openapi_opt=format=json exposure/v1/exposure.proto

import (
	"context"
	_ "embed"
	"net/http"
	"net/url"
	"reflect"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/runtime/protoimpl"
	"google.golang.org/protobuf/types/descriptorpb"
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

// Handler serves calls under Path, each for so long at most.
func Handler(c Calls, most time.Duration, options ...connect.HandlerOption) http.Handler {
	all := paths{}
	serve(all, "Show", c.Show, most, options)
	serve(all, "ShowAll", c.ShowAll, most, options)
	serve(all, "Seen", c.Seen, most, options)
	serve(all, "Record", c.Record, most, options)
	serve(all, "Forget", c.Forget, most, options)
	serve(all, "Vector", c.Vector, most, options)
	serve(all, "Describe", c.Describe, most, options)
	return all
}

// paths are what is served at each, found sooner than by patterns.
type paths map[string]http.HandlerFunc

// ServeHTTP implements http.Handler.
func (p paths) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if at := p[r.URL.Path]; at != nil {
		at(w, r)
		return
	}
	http.NotFound(w, r)
}

func serve[Q, A any](all paths, name string, call Call[Q, A], most time.Duration, options []connect.HandlerOption) {
	methods := new(Layout).ProtoReflect().Descriptor().ParentFile().Services().Get(0).Methods()
	of := methods.ByName(protoreflect.Name(name)).Options().(*descriptorpb.MethodOptions)
	repeated := connect.IdempotencyLevel(of.GetIdempotencyLevel()) // numbered alike: what may be asked by GET
	options = append([]connect.HandlerOption{connect.WithIdempotency(repeated)}, options...)
	connected := connect.NewUnaryHandlerSimple(Path+name, call, options...)
	all[Path+name] = func(w http.ResponseWriter, r *http.Request) {
		if !plainly(w, r, call, most) {
			ctx, cancel := context.WithTimeout(r.Context(), most)
			defer cancel()
			connected.ServeHTTP(w, r.WithContext(ctx))
		}
	}
}

// Client are the calls of the service at a host, by http or https, with a token unless it is empty.
func Client(by http.RoundTripper, scheme, host, token string, grpc bool) Calls {
	to := target{by.RoundTrip, url.URL{Scheme: scheme, Host: host, Path: Path}, http.Header{}, grpc}
	if token != "" {
		to.header["Authorization"] = []string{"Bearer " + token}
	}
	return Calls{
		Show:     ask[ShowRequest, ShowResponse](to, "Show"),
		ShowAll:  ask[ShowAllRequest, ShowAllResponse](to, "ShowAll"),
		Seen:     ask[SeenRequest, SeenResponse](to, "Seen"),
		Record:   ask[RecordRequest, emptypb.Empty](to, "Record"),
		Forget:   ask[UserRequest, emptypb.Empty](to, "Forget"),
		Vector:   ask[UserRequest, VectorResponse](to, "Vector"),
		Describe: ask[emptypb.Empty, DescribeResponse](to, "Describe"),
	}
}

// The messages of exposure.proto, which says what they mean. A field's tag is its number there; what else protobuf
// has to know is in exposure.binpb, which protoc makes of the file (go generate ./api).
type (
	ShowRequest struct {
		User       string          `protobuf:"1"`
		Candidates []strategies.ID `protobuf:"2"`
		Limit      uint32          `protobuf:"3"`
		RequestId  uint64          `protobuf:"4"`
	}
	ShowResponse struct {
		Shown []strategies.ID `protobuf:"1"`
	}
	ShowAllRequest struct {
		Requests []*ShowRequest `protobuf:"1"`
	}
	ShowAllResponse struct {
		Responses []*ShowResponse `protobuf:"1"`
	}
	SeenRequest struct {
		User       string          `protobuf:"1"`
		Candidates []strategies.ID `protobuf:"2"`
	}
	SeenResponse struct {
		Seen []bool `protobuf:"1"`
	}
	RecordRequest struct {
		User      string          `protobuf:"1"`
		Articles  []strategies.ID `protobuf:"2"`
		RequestId uint64          `protobuf:"3"`
	}
	UserRequest struct {
		User string `protobuf:"1"`
	}
	VectorResponse struct {
		History []byte  `protobuf:"1"`
		Layout  *Layout `protobuf:"2"`
	}
	Layout struct {
		Strategy          string  `protobuf:"1"`
		Window            uint32  `protobuf:"2"`
		Fpr               float64 `protobuf:"3"`
		Digest            uint64  `protobuf:"4"`
		SecretFingerprint uint64  `protobuf:"5"`
	}
	DescribeResponse struct {
		Layout         *Layout  `protobuf:"1"`
		MostCandidates uint32   `protobuf:"2"`
		MostLimit      uint32   `protobuf:"3"`
		MostRequests   uint32   `protobuf:"4"`
		MostUserBytes  uint32   `protobuf:"5"`
		Partitions     uint32   `protobuf:"6"`
		Here           []uint32 `protobuf:"7"`
		AllHere        bool     `protobuf:"8"`
	}
)

// OpenAPI describes the calls by JSON. protoc-gen-connect-openapi makes it of exposure.proto.
//
//go:embed exposure/v1/exposure.openapi.json
var OpenAPI []byte

//go:embed exposure/v1/exposure.binpb
var described []byte

// infos tie the structs to their messages.
var infos = describe(
	ShowRequest{}, ShowResponse{}, ShowAllRequest{}, ShowAllResponse{}, SeenRequest{}, SeenResponse{}, RecordRequest{},
	UserRequest{}, VectorResponse{}, Layout{}, DescribeResponse{},
)

func describe(structs ...any) map[reflect.Type]*protoimpl.MessageInfo {
	var set descriptorpb.FileDescriptorSet
	_ = proto.Unmarshal(described, &set) // what is wrong has no file
	file, err := protodesc.NewFile(set.File[0], protoregistry.GlobalFiles)
	if err == nil {
		err = protoregistry.GlobalFiles.RegisterFile(file) // for reflection
	}
	if err != nil {
		panic(err)
	}
	infos := map[reflect.Type]*protoimpl.MessageInfo{}
	for _, s := range structs {
		t := reflect.TypeOf(s)
		infos[t] = &protoimpl.MessageInfo{
			GoReflectType: reflect.PointerTo(t), Desc: file.Messages().ByName(protoreflect.Name(t.Name())),
		}
	}
	return infos
}

func reflected[T any](m *T) protoreflect.Message { return infos[reflect.TypeFor[T]()].MessageOf(m) }

// ProtoReflect makes a proto.Message of each struct.
func (m *ShowRequest) ProtoReflect() protoreflect.Message      { return reflected(m) }
func (m *ShowResponse) ProtoReflect() protoreflect.Message     { return reflected(m) }
func (m *ShowAllRequest) ProtoReflect() protoreflect.Message   { return reflected(m) }
func (m *ShowAllResponse) ProtoReflect() protoreflect.Message  { return reflected(m) }
func (m *SeenRequest) ProtoReflect() protoreflect.Message      { return reflected(m) }
func (m *SeenResponse) ProtoReflect() protoreflect.Message     { return reflected(m) }
func (m *RecordRequest) ProtoReflect() protoreflect.Message    { return reflected(m) }
func (m *UserRequest) ProtoReflect() protoreflect.Message      { return reflected(m) }
func (m *VectorResponse) ProtoReflect() protoreflect.Message   { return reflected(m) }
func (m *Layout) ProtoReflect() protoreflect.Message           { return reflected(m) }
func (m *DescribeResponse) ProtoReflect() protoreflect.Message { return reflected(m) }
