package instance

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"

	"golang.org/x/sync/errgroup"

	"dejavu/live/resp"
	"dejavu/live/service"
)

// doors maps the configuration's keys to the listeners.
type doors map[string]net.Listener

// open opens the doors before histories are loaded, so that a door that fails is known early.
func (i *instance) open(guarded bool) (doors, error) {
	all := doors{}
	for key, address := range map[string]string{"listen": i.Listen, "resp": i.RESP, "metrics": i.Metrics} {
		if address == "" {
			continue
		}
		l, err := net.Listen("tcp", address)
		if err != nil {
			all.close()
			return nil, fmt.Errorf("%s: %w; set %[1]s to an address that is free", key, err)
		}
		all[key] = l
		if a, ok := l.Addr().(*net.TCPAddr); ok && !a.IP.IsLoopback() && !guarded {
			i.logger.Warn("the service listens beyond this machine without a token or without TLS", "key", key, "address", a)
		}
	}
	return all, nil
}

func (d doors) close() {
	for _, l := range d {
		l.Close()
	}
}

// serve answers at all doors until the context is done, or one of them fails.
func (d doors) serve(ctx context.Context, s *service.Service, secure *tls.Config) error {
	group, ctx := errgroup.WithContext(ctx)
	pages := secure.Clone()
	if pages != nil { // those who watch the service have no certificates of callers
		pages.ClientAuth = tls.NoClientCert
	}
	group.Go(func() error { return service.Serve(ctx, d["listen"], s.Handler(), s.Traffic, secure) })
	if l := d["metrics"]; l != nil {
		group.Go(func() error { return service.Serve(ctx, l, s.Pages(), s.Traffic, pages) })
	}
	if l := d["resp"]; l != nil {
		r := &resp.Server{Keeper: s.Keeper, Layout: s.Layout, Secret: s.Secret, Traffic: s.Traffic}
		group.Go(func() error { return r.Serve(ctx, l, secure) })
	}
	return group.Wait()
}
