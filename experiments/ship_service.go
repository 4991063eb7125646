package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"

	"dejavu/measure"
	"dejavu/measure/wire"
)

// exposureCommand is the exposure service of experiment ship: a process of its own,
// which the program starts and ends itself.
type exposureCommand struct {
	Seed uint64 `default:"2016"`
}

// exposureName is how the program is told to be the service.
const exposureName = "exposure"

// run serves the histories of every shipping until standard input ends, as it does
// with whoever started the service. It prints the address of each, a line for each.
func (c *exposureCommand) run(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	all, err := (&suite{made: map[string]any{}}).shippings()
	if err != nil {
		return err
	}
	var serving sync.WaitGroup
	defer serving.Wait()
	for _, s := range all {
		service, err := measure.Exposures(s.Strategy, s.shown, c.Seed)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		context.AfterFunc(ctx, func() { listener.Close() })
		defer cancel() // before waiting for those who serve
		serving.Go(func() { accept(ctx, listener, service) })
		fmt.Fprintln(stdout, listener.Addr())
	}
	ended := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, stdin)
		ended <- err
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// accept serves the connections of one listener until it is closed.
func accept(ctx context.Context, listener net.Listener, service wire.Service) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			defer context.AfterFunc(ctx, func() { conn.Close() })()
			_ = service.Serve(conn) // the other end is told
		}()
	}
}

// A service is the exposure service's process, and a connection for each shipping.
type service struct {
	ctx   context.Context
	cmd   *exec.Cmd
	stdin io.Closer
	said  *strings.Builder // on standard error
	conns []net.Conn
}

// startService starts the process, and connects to it.
func startService(ctx context.Context, seed uint64, all []shipping) (s *service, err error) {
	path, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("starting the exposure service: %w", err)
	}
	s = &service{ctx: ctx, said: new(strings.Builder)}
	s.cmd = exec.CommandContext(ctx, path, exposureName, "--seed", fmt.Sprint(seed))
	s.cmd.Args[0] = "experiments" // whatever the file is called
	s.cmd.Stderr = s.said
	stdin, err := s.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the exposure service: %w", err)
	}
	s.stdin = stdin
	defer func() {
		if err != nil {
			err = s.why(err)
		}
	}()
	addresses := bufio.NewScanner(stdout)
	for range all {
		if !addresses.Scan() {
			return s, fmt.Errorf("it named %d addresses, want %d", len(s.conns), len(all))
		}
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", addresses.Text())
		if err != nil {
			return s, err
		}
		context.AfterFunc(ctx, func() { conn.Close() }) // wakes who waits for an answer
		s.conns = append(s.conns, conn)
	}
	return s, nil
}

// stop ends the process, and waits for it. A second time it does nothing.
func (s *service) stop() {
	for _, conn := range s.conns {
		conn.Close()
	}
	s.stdin.Close()
	_ = s.cmd.Wait() // how it ended tells nothing that the connections did not
}

// why is an error of the service, with what its process said of it, which has ended
// then. Where the run was interrupted that is the error.
func (s *service) why(err error) error {
	if err == nil {
		return nil
	}
	s.stop()
	switch {
	case s.ctx.Err() != nil:
		return s.ctx.Err()
	case s.said.Len() > 0:
		return fmt.Errorf("exposure service: %w; it said: %s", err, strings.TrimSpace(s.said.String()))
	}
	return fmt.Errorf("exposure service: %w", err)
}
