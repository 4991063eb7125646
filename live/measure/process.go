package measure

import (
	"context"
	"errors"
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

// A Process is a server that can be killed and started again. Its methods are called by
// one goroutine at a time.
type Process struct {
	Address string // where it listens

	name    string
	dir     string
	command []string
	cmd     *exec.Cmd
	ended   chan struct{}
}

// newProcess is a process of a program that listens at an address. It is not started.
func newProcess(address, name, dir string, command ...string) *Process {
	return &Process{Address: address, name: name, dir: dir, command: command}
}

func (p *Process) logFile() string { return filepath.Join(p.dir, p.name+".log") }

// Start starts the process, again or for the first time.
func (p *Process) Start() error {
	f, err := os.OpenFile(p.logFile(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	cmd, ended := exec.Command(p.command[0], p.command[1:]...), make(chan struct{})
	cmd.Dir, cmd.Stdout, cmd.Stderr = p.dir, f, f
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	p.cmd, p.ended = cmd, ended
	go func() {
		_ = cmd.Wait() // killed
		close(ended)
	}()
	return nil
}

// startListening starts a process, and returns when something listens at its address.
func startListening(ctx context.Context, p *Process) (*Process, error) {
	if err := p.Start(); err != nil {
		return nil, err
	}
	if err := p.awaitListens(ctx); err != nil {
		_ = p.Kill()
		return nil, err
	}
	return p, nil
}

// signal sends a signal, and waits so long for the process to end; 0: it does not end.
func (p *Process) signal(s os.Signal, wait time.Duration) error {
	if p.cmd == nil {
		return nil
	}
	if err := p.cmd.Process.Signal(s); err != nil {
		return fmt.Errorf("%s: %w\n%s", p.name, err, p.tail())
	}
	if wait == 0 {
		return nil
	}
	select {
	case <-p.ended:
		return nil
	case <-time.After(wait):
		return fmt.Errorf("%s has not ended %v after %v\n%s", p.name, wait, s, p.tail())
	}
}

// Kill kills it. One that has ended by itself is an error.
func (p *Process) Kill() error { return p.signal(syscall.SIGKILL, 20*time.Second) }

// running is nil unless it has ended.
func (p *Process) running() error {
	select {
	case <-p.ended:
		return fmt.Errorf("%s has ended by itself\n%s", p.name, p.tail())
	default:
		return nil
	}
}

// tail is the last of what it printed.
func (p *Process) tail() string {
	b, _ := os.ReadFile(p.logFile())
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

// await looks every few milliseconds until the process is as wanted.
func (p *Process) await(ctx context.Context, wanted string, is func() bool) error {
	for !is() {
		if err := p.running(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s %s not: %w\n%s", p.name, wanted, ctx.Err(), p.tail())
		case <-time.After(5 * time.Millisecond):
		}
	}
	return nil
}

// awaitReady returns when an instance's /readyz says so.
func (p *Process) awaitReady(ctx context.Context) error {
	return p.await(ctx, "is ready", func() bool {
		r, err := http.Get("http://" + p.Address + "/readyz")
		if err != nil {
			return false
		}
		defer r.Body.Close()
		_, _ = io.Copy(io.Discard, io.LimitReader(r.Body, 1<<16))
		return r.StatusCode == http.StatusOK
	})
}

// awaitListens returns when something listens at the process's address.
func (p *Process) awaitListens(ctx context.Context) error {
	return p.await(ctx, "listens", func() bool {
		conn, err := net.DialTimeout("tcp", p.Address, time.Second)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
}

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
	return startListening(ctx, newProcess(address, "redis", dir,
		program, "--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", dir))
}
