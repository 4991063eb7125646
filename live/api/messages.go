package api

//go:generate protoc --descriptor_set_out=exposure/v1/exposure.binpb exposure/v1/exposure.proto

import (
	_ "embed"
	"reflect"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/runtime/protoimpl"
	"google.golang.org/protobuf/types/descriptorpb"
)

// The messages of exposure.proto, which says what they mean. A field's tag is its number there; what else protobuf
// has to know is in exposure.binpb, which protoc makes of the file (go generate ./api).
type (
	// ShowRequest asks for articles to show a user.
	ShowRequest struct {
		User       string   `protobuf:"1"`
		Candidates []uint64 `protobuf:"2"`
		Limit      uint32   `protobuf:"3"`
		RequestId  uint64   `protobuf:"4"`
	}

	// ShowResponse is its answer.
	ShowResponse struct {
		Shown []uint64 `protobuf:"1"`
	}

	// ShowAllRequest is several requests in one.
	ShowAllRequest struct {
		Requests []*ShowRequest `protobuf:"1"`
	}

	// ShowAllResponse has an answer for each, in their order.
	ShowAllResponse struct {
		Responses []*ShowResponse `protobuf:"1"`
	}

	// SeenRequest asks which of the candidates a user has been shown.
	SeenRequest struct {
		User       string   `protobuf:"1"`
		Candidates []uint64 `protobuf:"2"`
	}

	// SeenResponse is its answer.
	SeenResponse struct {
		Seen []bool `protobuf:"1"`
	}

	// RecordRequest is articles that the caller has shown a user.
	RecordRequest struct {
		User      string   `protobuf:"1"`
		Articles  []uint64 `protobuf:"2"`
		RequestId uint64   `protobuf:"3"`
	}

	// UserRequest names a user, to be forgotten or fetched.
	UserRequest struct {
		User string `protobuf:"1"`
	}

	// VectorResponse is a user's history.
	VectorResponse struct {
		History []byte  `protobuf:"1"`
		Layout  *Layout `protobuf:"2"`
	}

	// Layout is what the bytes of a history mean.
	Layout struct {
		Strategy          string  `protobuf:"1"`
		Window            uint32  `protobuf:"2"`
		Fpr               float64 `protobuf:"3"`
		Digest            uint64  `protobuf:"4"`
		SecretFingerprint uint64  `protobuf:"5"`
	}

	// DescribeResponse says what an instance is.
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

//go:embed exposure/v1/exposure.binpb
var described []byte

// infos tie the structs to their messages.
var infos = describe(
	ShowRequest{}, ShowResponse{}, ShowAllRequest{}, ShowAllResponse{}, SeenRequest{}, SeenResponse{}, RecordRequest{},
	UserRequest{}, VectorResponse{}, Layout{}, DescribeResponse{},
)

func describe(structs ...any) map[reflect.Type]*protoimpl.MessageInfo {
	var set descriptorpb.FileDescriptorSet
	err := proto.Unmarshal(described, &set)
	if err != nil {
		panic(err)
	}
	file, err := protodesc.NewFile(set.File[0], protoregistry.GlobalFiles)
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
