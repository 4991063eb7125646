package api

import (
	"fmt"
	"testing"

	"google.golang.org/protobuf/proto"

	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// The bytes of every message are those that existing callers send and expect.
func TestWire(t *testing.T) {
	l := &Layout{Strategy: "s", Window: 2, Fpr: 0.5, Digest: 3, SecretFingerprint: 4}
	const layout = "0a0173100219000000000000e03f210300000000000000290400000000000000"
	ids := Numbers([]strategies.ID{5})
	for want, m := range map[string]proto.Message{
		"0a180a016112080500000000000000" + "1803210400000000000000": &ShowAllRequest{
			Requests: []*ShowRequest{{User: "a", Candidates: ids, Limit: 3, RequestId: 4}},
		},
		"0a0a0a080500000000000000":   &ShowAllResponse{Responses: []*ShowResponse{{Shown: ids}}},
		"0a016212080500000000000000": &SeenRequest{User: "b", Candidates: ids},
		"0a020100":                   &SeenResponse{Seen: []bool{true, false}},
		"0a01631208050000000000000019" + "0800000000000000": &RecordRequest{User: "c", Articles: ids, RequestId: 8},
		"0a0164":              &UserRequest{User: "d"},
		"0a01091220" + layout: &VectorResponse{History: []byte{9}, Layout: l},
		"0a20" + layout + "100118022003280430053a0306bc054001": &DescribeResponse{
			Layout: l, MostCandidates: 1, MostLimit: 2, MostRequests: 3, MostUserBytes: 4, Partitions: 5,
			Here: []uint32{6, 700}, AllHere: true,
		},
	} {
		strategytest.Equal(t, fmt.Sprintf("%x", strategytest.Value(proto.Marshal(m))), want, "%T", m)
	}
	strategytest.Equal(t, fmt.Sprint(IDs(ids)), "[5]", "articles of numbers")
}
