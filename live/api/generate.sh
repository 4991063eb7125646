#!/usr/bin/env bash
# Makes the Go code of the .proto: go generate ./api. It needs protoc (Debian:
# protobuf-compiler and libprotobuf-dev); the plugin is that of the version in go.mod.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
go build -o "$bin" google.golang.org/protobuf/cmd/protoc-gen-go
PATH="$bin:$PATH" protoc --go_out=. --go_opt=paths=source_relative exposure/v1/exposure.proto
