package proof

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

// A process is one that is started, killed and started again.
type process struct {
	name    string
	command []string
	dir     string
	log     string // of what it prints
	cmd     *exec.Cmd
	ended   chan struct{}
}

func (p *process) start() error {
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

// signal sends a signal, and where that ends the process waits for it.
func (p *process) signal(s os.Signal, wait time.Duration) error {
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

func (p *process) kill() error { return p.signal(syscall.SIGKILL, 20*time.Second) }

// running reports whether it has not ended by itself.
func (p *process) running() error {
	select {
	case <-p.ended:
		return fmt.Errorf("%s has ended by itself\n%s", p.name, p.tail())
	default:
		return nil
	}
}

// tail is the last of what it printed.
func (p *process) tail() string {
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

// newInstance is an instance of the service with a configuration beside its address.
func newInstance(program, dir, name, address, config string) (*process, error) {
	path := filepath.Join(dir, name+".yaml")
	config = fmt.Sprintf("listen: %s\n%s", address, config)
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		return nil, err
	}
	return &process{
		name: name, command: []string{program, "serve", "--config", path}, dir: dir, log: filepath.Join(dir, name+".log"),
	}, nil
}

// awaitReady returns when /readyz says so.
func awaitReady(ctx context.Context, p *process, address string) error {
	for {
		r, err := http.Get("http://" + address + "/readyz")
		if err == nil {
			_, _ = io.Copy(&bytes.Buffer{}, io.LimitReader(r.Body, 1<<16))
			r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return nil
			}
		}
		if err := p.running(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w\n%s", p.name, ctx.Err(), p.tail())
		case <-time.After(2 * time.Millisecond):
		}
	}
}
