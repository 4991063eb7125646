package service

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// strictJSON refuses fields that there are not, by name, where Connect's own codec passes
// them over: a candidate list under a misspelt name would be an empty one.
type strictJSON struct{}

// Name is the codec's in content types.
func (strictJSON) Name() string { return "json" }

// Marshal writes a message.
func (strictJSON) Marshal(m any) ([]byte, error) {
	p, ok := m.(proto.Message)
	if !ok {
		return nil, fmt.Errorf("%T is not a message", m)
	}
	return protojson.Marshal(p)
}

// Unmarshal reads a message.
func (strictJSON) Unmarshal(b []byte, m any) error {
	p, ok := m.(proto.Message)
	if !ok {
		return fmt.Errorf("%T is not a message", m)
	}
	if len(b) == 0 {
		return fmt.Errorf("an empty body, want a JSON object")
	}
	return protojson.Unmarshal(b, p)
}
