// Package api holds the service's interface: exposure/v1/exposure.proto, and the Go code
// that is made of it.
package api

//go:generate ./generate.sh
