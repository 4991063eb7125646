#!/usr/bin/env bash
# Makes the Go code of the .proto: go generate ./api. It needs protoc (Debian:
# protobuf-compiler); the plugins are those of the versions in go.mod.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
go build -o "$bin" google.golang.org/protobuf/cmd/protoc-gen-go connectrpc.com/connect/cmd/protoc-gen-connect-go
PATH="$bin:$PATH" protoc --go_out=. --go_opt=paths=source_relative \
  --connect-go_out=. --connect-go_opt=paths=source_relative,simple exposure/v1/exposure.proto
