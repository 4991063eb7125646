package servers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
)

// ErrNoRedis is a machine that has none.
var ErrNoRedis = errors.New("no redis-server here")

// StartRedis starts a Redis in a folder, with what it keeps lost when it ends.
func StartRedis(ctx context.Context, dir string) (*Process, error) {
	program, err := exec.LookPath("redis-server")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoRedis, err)
	}
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	p := &Process{
		Address: address, name: "redis", dir: dir, log: filepath.Join(dir, "redis.log"),
		command: []string{program, "--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", dir},
	}
	if err := p.Start(); err != nil {
		return nil, err
	}
	if err := p.AwaitListens(ctx); err != nil {
		_ = p.Kill()
		return nil, err
	}
	return p, nil
}
