// Package servers starts the processes that the proof, the measurements and the tests
// need: instances of the service, a Kafka, a Redis. They can be killed and started again.
package servers

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A Process is one that is started, killed and started again. Its methods are called by
// one goroutine at a time.
type Process struct {
	Address string // where it listens

	name    string
	command []string
	dir     string
	log     string // of what it prints
	cmd     *exec.Cmd
	ended   chan struct{}
}

// Start starts the process, again or for the first time.
func (p *Process) Start() error {
	f, err := os.OpenFile(p.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	p.cmd = exec.Command(p.command[0], p.command[1:]...)
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = p.dir, f, f
	if err := p.cmd.Start(); err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	p.ended = make(chan struct{})
	go func(cmd *exec.Cmd, ended chan struct{}) {
		_ = cmd.Wait() // killed
		close(ended)
	}(p.cmd, p.ended)
	return nil
}

// Signal sends a signal, and waits so long for the process to end; 0: it does not end.
func (p *Process) Signal(s os.Signal, wait time.Duration) error {
	if p.cmd == nil {
		return nil
	}
	if err := p.cmd.Process.Signal(s); err != nil {
		return fmt.Errorf("%s: %w\n%s", p.name, err, p.Tail())
	}
	if wait == 0 {
		return nil
	}
	select {
	case <-p.ended:
		return nil
	case <-time.After(wait):
		return fmt.Errorf("%s has not ended %v after %v\n%s", p.name, wait, s, p.Tail())
	}
}

// Kill kills it. One that has ended by itself is an error.
func (p *Process) Kill() error {
	return p.Signal(syscall.SIGKILL, 20*time.Second)
}

// Running is nil unless it has ended.
func (p *Process) Running() error {
	select {
	case <-p.ended:
		return fmt.Errorf("%s has ended by itself\n%s", p.name, p.Tail())
	default:
		return nil
	}
}

// Tail is the last of what it printed.
func (p *Process) Tail() string {
	b, _ := os.ReadFile(p.log)
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return strings.Join(lines[max(0, len(lines)-8):], "\n")
}

// freeAddress is a loopback address that nobody listens at.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// NewInstance is an instance of the service on loopback with a configuration beside its
// address. It is not started.
func NewInstance(program, dir, name, config string) (*Process, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, name+".yaml")
	config = fmt.Sprintf("listen: %s\n%s", address, config)
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		return nil, err
	}
	return &Process{
		Address: address, name: name, command: []string{program, "serve", "--config", path}, dir: dir, log: filepath.Join(dir, name+".log"),
	}, nil
}

// AwaitReady returns when an instance's /readyz says so.
func (p *Process) AwaitReady(ctx context.Context) error {
	for {
		r, err := http.Get("http://" + p.Address + "/readyz")
		if err == nil {
			_, _ = io.Copy(&bytes.Buffer{}, io.LimitReader(r.Body, 1<<16))
			r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return nil
			}
		}
		if err := p.Running(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w\n%s", p.name, ctx.Err(), p.Tail())
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// AwaitListens returns when something listens at the process's address.
func (p *Process) AwaitListens(ctx context.Context) error {
	for {
		conn, err := net.DialTimeout("tcp", p.Address, time.Second)
		if err == nil {
			return conn.Close()
		}
		if err := p.Running(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s does not listen: %w\n%s", p.name, ctx.Err(), p.Tail())
		case <-time.After(20 * time.Millisecond):
		}
	}
}
