package service_test

import (
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
	p, h := made(t, "a token of sixteen")
	address := "http://" + served(t, h, limits(t), nil)
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	by := &http.Client{Transport: &http.Transport{Protocols: &protocols}}
	defer by.CloseIdleConnections()
	name := strings.Trim(api.Path, "/")
	check := func(service string) string {
		is, err := grpchealth.NewClient(by, address, connect.WithGRPC()).Check(t.Context(),
			&grpchealth.CheckRequest{Service: service})
		if err != nil {
			return connect.CodeOf(err).String()
		}
		return is.Status.String()
	}
	strategytest.Equal(t, check("")+check(name)+check("x"), "servingservingnot_found", "health")
	p.err = exposure.ErrElsewhere
	strategytest.Equal(t, check(""), "not_serving", "health")
	for token, want := range map[string]string{"a token of sixteen": "[" + name + " grpc.health.v1.Health] true", "": "[] false"} {
		asked := grpcreflect.NewClient(by, address, connect.WithGRPC()).NewStream(t.Context(),
			grpcreflect.WithRequestHeaders(http.Header{"Authorization": {"Bearer " + token}}))
		services, err := asked.ListServices()
		files, err2 := asked.FileContainingSymbol("dejavu.exposure.v1.ShowRequest")
		if got := fmt.Sprint(services, len(files) > 0); got != want {
			t.Errorf("with token %q: %s, %v, %v, want %s", token, got, err, err2, want)
		}
		_, _ = asked.Close()
	}
}
