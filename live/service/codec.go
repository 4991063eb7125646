package service

import (
	"errors"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// strictJSON refuses fields that there are not, by name, where Connect's own codec passes
// them over: a candidate list under a misspelt name would be an empty one.
type strictJSON struct{}

// Name is the codec's in content types.
func (strictJSON) Name() string { return "json" }

// Marshal writes a message, which all that is called with is.
func (strictJSON) Marshal(m any) ([]byte, error) { return protojson.Marshal(m.(proto.Message)) }

// Unmarshal reads a message.
func (strictJSON) Unmarshal(b []byte, m any) error {
	if len(b) == 0 {
		return errors.New("an empty body, want a JSON object")
	}
	return protojson.Unmarshal(b, m.(proto.Message))
}
