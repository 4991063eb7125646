package instance

import (
	"context"
	"crypto/tls"

	"dejavu/live/config"
	"dejavu/live/elsewhere"
	"dejavu/live/exposure"
	"dejavu/live/layout"
	"dejavu/strategies"
)

func keepInRedis(ctx context.Context, c config.Config, l layout.Layout, secret strategies.Secret) (exposure.Keeper, starter, error) {
	o := elsewhere.Options{Address: c.Redis.Address, Histories: elsewhere.Histories{Layout: l, Secret: secret, Idle: c.Idle, Clock: clock}}
	if c.Redis.PasswordFile != "" {
		var err error
		if o.Password, err = readPassword("redis.password_file", c.Redis.PasswordFile); err != nil {
			return nil, nil, err
		}
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
