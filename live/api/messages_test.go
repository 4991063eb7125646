package api

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// The descriptor is that of exposure.proto.
func TestDescriptor(t *testing.T) {
	source := strategytest.Value(os.ReadFile("exposure/v1/exposure.proto"))
	var want, got []string
	field := regexp.MustCompile(`^  (repeated )?(\w+) (\w+) = (\d+);|^message (\w+)`)
	for line := range strings.Lines(string(source)) {
		if m := field.FindStringSubmatch(line); m != nil {
			want = append(want, fmt.Sprintf("%s%s%s %s %s", m[5], m[1], m[2], m[3], m[4]))
		}
	}
	messages := infos[reflect.TypeFor[Layout]()].Desc.ParentFile().Messages()
	for i := range messages.Len() {
		m := messages.Get(i)
		got = append(got, string(m.Name())+"  ")
		for i := range m.Fields().Len() {
			f := m.Fields().Get(i)
			kind := f.Kind().String()
			if f.Message() != nil {
				kind = string(f.Message().Name())
			}
			if f.IsList() {
				kind = "repeated " + kind
			}
			got = append(got, fmt.Sprintf("%s %s %d", kind, f.Name(), f.Number()))
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("exposure.binpb has\n%q\nexposure.proto\n%q", got, want)
	}
}

// The bytes and the JSON of every message are those that existing callers send and expect.
func TestWire(t *testing.T) {
	l := &Layout{Strategy: "s", Window: 2, Fpr: 0.5, Digest: 3, SecretFingerprint: 4}
	const layout = "0a0173100219000000000000e03f210300000000000000290400000000000000"
	const inJSON = `{"strategy":"s","window":2,"fpr":0.5,"digest":"3","secretFingerprint":"4"}`
	for _, c := range []struct {
		proto.Message
		wire, json string
	}{
		{
			&ShowAllRequest{Requests: []*ShowRequest{{User: "a", Candidates: []strategies.ID{1, 2}, Limit: 3, RequestId: 4}}},
			"0a200a01611210010000000000000002000000000000001803210400000000000000",
			`{"requests":[{"user":"a","candidates":["1","2"],"limit":3,"requestId":"4"}]}`,
		},
		{
			&ShowAllResponse{Responses: []*ShowResponse{{Shown: []strategies.ID{5}}}},
			"0a0a0a080500000000000000", `{"responses":[{"shown":["5"]}]}`,
		},
		{&SeenRequest{"b", []strategies.ID{6}}, "0a016212080600000000000000", `{"user":"b","candidates":["6"]}`},
		{&SeenResponse{Seen: []bool{true, false}}, "0a020100", `{"seen":[true,false]}`},
		{
			&RecordRequest{User: "c", Articles: []strategies.ID{7}, RequestId: 8},
			"0a016312080700000000000000190800000000000000", `{"user":"c","articles":["7"],"requestId":"8"}`,
		},
		{&UserRequest{User: "d"}, "0a0164", `{"user":"d"}`},
		{&VectorResponse{History: []byte{9}, Layout: l}, "0a01091220" + layout, `{"history":"CQ==","layout":` + inJSON + `}`},
		{
			&DescribeResponse{
				Layout: l, MostCandidates: 1, MostLimit: 2, MostRequests: 3, MostUserBytes: 4, Partitions: 5,
				Here: []uint32{6, 700}, AllHere: true,
			},
			"0a20" + layout + "100118022003280430053a0306bc054001",
			`{"layout":` + inJSON + `,"mostCandidates":1,"mostLimit":2,"mostRequests":3,"mostUserBytes":4,` +
				`"partitions":5,"here":[6,700],"allHere":true}`,
		},
	} {
		wire, err := proto.Marshal(c.Message)
		if err != nil || fmt.Sprintf("%x", wire) != c.wire {
			t.Errorf("%T: %x, %v, want %s", c.Message, wire, err, c.wire)
		}
		text, err := protojson.Marshal(c.Message)
		if got := strings.ReplaceAll(string(text), ", ", ","); err != nil || got != c.json {
			t.Errorf("%s, %v, want %s", got, err, c.json)
		}
		for kind, err := range map[string]func(proto.Message) error{
			"bytes": func(m proto.Message) error { return proto.Unmarshal(wire, m) },
			"JSON":  func(m proto.Message) error { return protojson.Unmarshal(text, m) },
		} {
			again := c.ProtoReflect().New().Interface()
			if err := err(again); err != nil || !proto.Equal(again, c.Message) {
				t.Errorf("%T of its %s: %v, %v", c.Message, kind, again, err)
			}
		}
	}
}
