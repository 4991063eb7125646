package service_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"connectrpc.com/grpchealth"
	"connectrpc.com/grpcreflect"

	"dejavu/live/api"
	"dejavu/live/exposure"
	"dejavu/strategies/strategytest"
)

// What gRPC's tools ask: health without a token, the calls with one.
func TestStandard(t *testing.T) {
	p, h := made(t, token)
	address, by, name := "http://"+served(t, h, limits(""), nil), http2(t, false), strings.Trim(api.Path, "/")
	check := func(service string) string {
		r := grpchealth.CheckRequest{Service: service}
		is, err := grpchealth.NewClient(by, address, connect.WithGRPC()).Check(t.Context(), &r)
		if err != nil {
			return connect.CodeOf(err).String()
		}
		return is.Status.String()
	}
	strategytest.Equal(t, check("")+check(name)+check("x"), "servingservingnot_found", "health")
	p.err = exposure.ErrElsewhere
	strategytest.Equal(t, check(""), "not_serving", "health")
	for token, want := range map[string]string{token: "[" + name + " grpc.health.v1.Health] true", "": "[] false"} {
		asked := grpcreflect.NewClient(by, address, connect.WithGRPC()).NewStream(t.Context(),
			grpcreflect.WithRequestHeaders(http.Header{"Authorization": {"Bearer " + token}}))
		services, _ := asked.ListServices()
		files, _ := asked.FileContainingSymbol("dejavu.exposure.v1.ShowRequest")
		strategytest.Equal(t, fmt.Sprint(services, len(files) > 0), want, "with token %q", token)
		_, _ = asked.Close()
	}
}

// The OpenAPI description has every call, and every field of its messages.
func TestOpenAPI(t *testing.T) {
	_, h := made(t, token)
	var described struct {
		Paths      map[string]map[string]any
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}
	strategytest.Must(t, json.Unmarshal(ask(h, "GET", "/openapi.json", "").Body.Bytes(), &described))
	file := new(api.Layout).ProtoReflect().Descriptor().ParentFile()
	for calls, i := file.Services().Get(0).Methods(), 0; i < calls.Len(); i++ {
		path := api.Path + string(calls.Get(i).Name())
		strategytest.Equal(t, described.Paths[path]["post"] != nil, true, "%s is described", path)
	}
	for i := range file.Messages().Len() {
		message := file.Messages().Get(i)
		for j := range message.Fields().Len() {
			field := message.Fields().Get(j).JSONName()
			is := described.Components.Schemas[string(message.FullName())].Properties[field]
			strategytest.Equal(t, is != nil, true, "%s.%s is described", message.Name(), field)
		}
	}
}
