package ship

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"

	"dejavu/experiments/ship/wire"
)

// seedVariable is where a process finds the seed that is to be the exposure service.
const seedVariable = "DEJAVU_EXPOSURE_SEED"

// ServeIfAsked makes this process the exposure service, and reports that it was one,
// where it was started as such: times are taken between two processes of one
// program. A program that runs this experiment calls it before anything else.
func ServeIfAsked() (asked bool, err error) {
	text, asked := os.LookupEnv(seedVariable)
	if !asked {
		return false, nil
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return true, fmt.Errorf("%s: %w", seedVariable, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { // until standard input ends, as it does with the process that started this one
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	addresses, wait, err := serve(ctx, seed)
	if err != nil {
		return true, err
	}
	for _, address := range addresses {
		fmt.Println(address)
	}
	wait()
	return true, nil
}

// serve serves the histories of every shipping, each at an address of its own, until
// the context is done, which wait waits for. After an error the caller ends the context.
func serve(ctx context.Context, seed uint64) (addresses []string, wait func(), err error) {
	all, err := shippings()
	if err != nil {
		return nil, nil, err
	}
	var serving sync.WaitGroup
	for _, s := range all {
		service, err := Exposures(s.Strategy, s.shown, seed)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, nil, err
		}
		context.AfterFunc(ctx, func() { listener.Close() })
		serving.Go(func() { accept(ctx, listener, service) })
		addresses = append(addresses, listener.Addr().String())
	}
	return addresses, serving.Wait, nil
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

// A service is a running exposure service, and a route over a connection to it for
// each shipping.
type service struct {
	ctx    context.Context
	routes []*Route
	stop   func()          // ends the service, and waits for it; a second time it does nothing
	said   strings.Builder // on standard error; to be read once it has ended
}

// connect starts a service and connects to it.
func connect(ctx context.Context, seed uint64, start func(ctx context.Context, seed uint64, n int) (*service, []string, error)) (s *service, err error) {
	all, err := shippings()
	if err != nil {
		return nil, err
	}
	s, addresses, err := start(ctx, seed, len(all))
	if err != nil {
		return nil, fmt.Errorf("starting the exposure service: %w", err)
	}
	for i, shipping := range all {
		if i >= len(addresses) {
			return nil, s.why(fmt.Errorf("it named %d addresses, want %d", len(addresses), len(all)))
		}
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", addresses[i])
		if err != nil {
			return nil, s.why(err)
		}
		wakes := context.AfterFunc(ctx, func() { conn.Close() }) // the one who waits for an answer
		stop := s.stop
		s.stop = func() { wakes(); conn.Close(); stop() }
		route, err := NewRoute(wire.NewClient(conn), shipping.Subject, shipping.shown, slices.Max(sizes), seed)
		if err != nil {
			return nil, s.why(err)
		}
		s.routes = append(s.routes, route)
	}
	return s, nil
}

// inProcess starts the service in this process.
func inProcess(ctx context.Context, seed uint64, _ int) (*service, []string, error) {
	within, cancel := context.WithCancel(ctx)
	addresses, wait, err := serve(within, seed)
	if err != nil {
		cancel()
		return nil, nil, err
	}
	return &service{ctx: ctx, stop: func() { cancel(); wait() }}, addresses, nil
}

// startProcess starts this program again, to be the service.
func startProcess(ctx context.Context, seed uint64, n int) (*service, []string, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	s := &service{ctx: ctx}
	cmd := exec.CommandContext(ctx, path)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", seedVariable, seed))
	cmd.Stderr = &s.said
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	s.stop = sync.OnceFunc(func() {
		stdin.Close()
		_ = cmd.Wait() // how it ended tells nothing that the connections did not
	})
	var all []string
	for lines := bufio.NewScanner(stdout); len(all) < n && lines.Scan(); {
		all = append(all, lines.Text())
	}
	return s, all, nil
}

// why is an error of the service, which has ended then, with what its process said.
// Where the run was interrupted that is the error.
func (s *service) why(err error) error {
	if err == nil {
		return nil
	}
	s.stop()
	switch said := strings.TrimSpace(s.said.String()); {
	case s.ctx.Err() != nil:
		return s.ctx.Err()
	case said != "":
		return fmt.Errorf("exposure service: %w; it said: %s", err, said)
	}
	return fmt.Errorf("exposure service: %w", err)
}
