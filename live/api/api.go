// Package api is the service's interface, generated from exposure.proto for Connect, gRPC and JSON.
package api

//go:generate -command connect protoc --connect-go_out=. --connect-go_opt=package_suffix=,simple
//go:generate connect --connect-go_opt=Mexposure/v1/exposure.proto=./;api exposure/v1/exposure.proto
//go:generate protoc --go_out=. --go_opt=Mexposure/v1/exposure.proto=./;api exposure/v1/exposure.proto
//go:generate protoc --connect-openapi_out=. --connect-openapi_opt=format=json exposure/v1/exposure.proto

import (
	_ "embed"
	"unsafe"

	"dejavu/strategies"
)

// Path begins the path of every call.
const Path = "/" + ExposuresName + "/"

// OpenAPI describes the calls by JSON. protoc-gen-connect-openapi makes it of exposure.proto.
//
//go:embed exposure/v1/exposure.openapi.json
var OpenAPI []byte

// IDs returns the articles that a message has as numbers, in the same memory.
func IDs(numbers []uint64) []strategies.ID {
	return unsafe.Slice((*strategies.ID)(unsafe.SliceData(numbers)), len(numbers))
}

// Numbers returns articles as a message has them, in the same memory.
func Numbers(ids []strategies.ID) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.SliceData(ids)), len(ids))
}
