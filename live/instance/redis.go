package instance

import (
	"context"
	"crypto/tls"
	"fmt"
	"os"
	"strings"

	"dejavu/live/config"
	"dejavu/live/elsewhere"
	"dejavu/live/exposure"
	"dejavu/live/layout"
	"dejavu/strategies"
)

func keepInRedis(ctx context.Context, c config.Config, l layout.Layout, secret strategies.Secret) (exposure.Keeper, starter, error) {
	o := elsewhere.Options{Address: c.Redis.Address, Histories: elsewhere.Histories{Layout: l, Secret: secret, Idle: c.Idle, Clock: clock}}
	if c.Redis.PasswordFile != "" {
		b, err := os.ReadFile(c.Redis.PasswordFile)
		if err != nil {
			return nil, nil, fmt.Errorf("redis.password_file: %w", err)
		}
		o.Password = strings.TrimSpace(string(b))
	}
	if c.Redis.TLS {
		o.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	r, err := elsewhere.NewRedis(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	return r, func(context.Context, func(error)) func(context.Context) error {
		return func(context.Context) error { return r.Close() }
	}, nil
}
