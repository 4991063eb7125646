package service

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"connectrpc.com/connect"
	"connectrpc.com/grpchealth"
	"connectrpc.com/grpcreflect"

	"dejavu/live/api"
)

var name = strings.Trim(api.Path, "/") // of the service, as gRPC has it

// health answers gRPC's health checks as /readyz does.
type health struct{ *Service }

// Check implements grpchealth.Checker.
func (h health) Check(_ context.Context, r *grpchealth.CheckRequest) (*grpchealth.CheckResponse, error) {
	if r.Service != "" && r.Service != name {
		return nil, connect.NewError(connect.CodeNotFound, fmt.Errorf("service %.40q, want %s or none", r.Service, name))
	}
	if h.Keeper.Ready() != nil {
		return &grpchealth.CheckResponse{Status: grpchealth.StatusNotServing}, nil
	}
	return &grpchealth.CheckResponse{Status: grpchealth.StatusServing}, nil
}

// reflection tells gRPC's tools what the calls and their messages are.
func (s *Service) reflection() http.Handler {
	mux, of := http.NewServeMux(), grpcreflect.NewStaticReflector(name, grpchealth.HealthV1ServiceName)
	mux.Handle(grpcreflect.NewHandlerV1(of, connect.WithReadMaxBytes(4096)))
	mux.Handle(grpcreflect.NewHandlerV1Alpha(of, connect.WithReadMaxBytes(4096)))
	return s.token(mux)
}
