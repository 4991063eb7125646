package measure

import (
	"context"
	"crypto/rand"
	_ "embed"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"dejavu/live/layout"
	"dejavu/strategies"
)

// A fleet is the servers that a measurement has started, with one secret.
type fleet struct {
	dir       string // for everything that is written
	layout    layout.Layout
	secret    strategies.Secret
	processes []*Process
}

func newFleet() (f *fleet, err error) {
	f = &fleet{}
	if f.dir, err = os.MkdirTemp("", "dejavu-live-"); err != nil {
		return nil, err
	}
	if f.layout, err = layout.Make(layout.Default); err != nil {
		return nil, err
	}
	key := []byte(rand.Text())
	if err = os.WriteFile(filepath.Join(f.dir, "secret"), key, 0o600); err == nil {
		f.secret, err = strategies.NewSecret(key)
	}
	return f, err
}

func (f *fleet) kill() {
	for _, p := range f.processes {
		_ = p.Kill()
	}
}

// A Process is a server that one goroutine kills and restarts.
type Process struct {
	Address        string // where it listens
	other, door    string // where an instance has its pages, and Redis's protocol; a broker takes other
	name, dir, log string
	command        []string
	cmd            *exec.Cmd
	ended          chan struct{}
}

// server writes a configuration, and returns the process that command starts with the file as its last argument. In the
// text, ADDRESS and PORT are a free place to listen, OTHER and DOOR are others, DIR is the fleet's folder.
func (f *fleet) server(name, config string, command ...string) (*Process, error) {
	var at [3]string
	for i := range at {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close() // when all are known, so that they differ
		at[i] = l.Addr().String()
	}
	_, port, _ := net.SplitHostPort(at[0])
	words := strings.NewReplacer("ADDRESS", at[0], "PORT", port, "OTHER", at[1], "DOOR", at[2], "DIR", f.dir)
	path := filepath.Join(f.dir, name+".conf")
	if err := os.WriteFile(path, []byte(words.Replace(config)), 0o600); err != nil {
		return nil, err
	}
	p := &Process{
		Address: at[0], other: at[1], door: at[2], name: name, dir: f.dir, log: filepath.Join(f.dir, name+".log"),
		command: append(slices.Clip(command), path),
	}
	f.processes = append(f.processes, p)
	return p, nil
}

// instance starts this program as an instance with a configuration, beside what all have, and with flags.
func (f *fleet) instance(name, config string, flags ...string) (*Process, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	const of = "listen: ADDRESS\nmetrics: OTHER\nresp: DOOR\ndata: DIR/%s\nsecret_file: DIR/secret\n%s"
	command := append(append([]string{program, "serve"}, flags...), "--config")
	p, err := f.server(name, fmt.Sprintf(of, name, config), command...)
	if err != nil {
		return nil, err
	}
	return p, p.start()
}

// redis starts a Redis, and returns its address.
func (f *fleet) redis(ctx context.Context) (string, error) {
	p, err := f.server("redis", "port PORT\nbind 127.0.0.1\ndir \"DIR\"\n", "redis-server")
	if err != nil {
		return "", err
	}
	return p.Address, p.startListening(ctx)
}

//go:embed kafka/pom.xml
var pom []byte

//go:embed kafka/server.properties
var properties string // of a broker of one node, controller and all

// StartKafka starts a broker in a folder, with more properties. Without Java or Maven it returns exec.ErrNotFound.
func StartKafka(ctx context.Context, dir, more string) (p *Process, err error) {
	f, project, paths := &fleet{dir: dir}, filepath.Join(dir, "pom.xml"), filepath.Join(dir, "classes")
	if err := os.WriteFile(project, pom, 0o600); err != nil {
		return nil, err
	}
	fetch := []string{"-q", "-B", "-f", project, "dependency:build-classpath", "-Dmdep.outputFile=" + paths}
	if b, err := exec.CommandContext(ctx, "mvn", fetch...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("maven: %w\n%s", err, b)
	}
	classes, err := os.ReadFile(paths)
	if err != nil {
		return nil, err
	}
	java := []string{
		"java", "-Xmx512m", "-XX:+UseSerialGC", "-cp", string(classes), "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
	}
	if p, err = f.server("kafka", properties+more, append(slices.Clip(java), "kafka.Kafka")...); err != nil {
		return nil, err
	}
	path := p.command[len(p.command)-1]
	format := append(java[1:], "kafka.tools.StorageTool", "format", "-t", "ZGVqYXZ1LXByb29mLTAwMQ", "-c", path)
	if b, err := exec.CommandContext(ctx, java[0], format...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("kafka: format: %w\n%s", err, b)
	}
	return p, p.startListening(ctx)
}

// start starts the process, again or for the first time.
func (p *Process) start() error {
	f, err := os.OpenFile(p.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
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

// startListening starts the process, and returns when it accepts connections.
func (p *Process) startListening(ctx context.Context) error {
	if err := p.start(); err != nil {
		return err
	}
	err := await(ctx, p.name+" listens", func() bool {
		conn, err := net.DialTimeout("tcp", p.Address, time.Second)
		if err == nil {
			conn.Close()
		}
		return err == nil
	}, p)
	if err != nil {
		_ = p.Kill()
	}
	return err
}

// end sends a signal that ends the process, and waits for the end. A process that has already ended is an error.
func (p *Process) end(by os.Signal) error {
	if p.cmd == nil {
		return nil
	}
	if err := p.cmd.Process.Signal(by); err != nil {
		return fmt.Errorf("%s: %w\n%s", p.name, err, p.tail())
	}
	select {
	case <-p.ended:
		return nil
	case <-time.After(time.Minute):
		return fmt.Errorf("%s has not ended a minute after %v\n%s", p.name, by, p.tail())
	}
}

// Kill kills the process.
func (p *Process) Kill() error { return p.end(syscall.SIGKILL) }

func (p *Process) tail() string {
	b, _ := os.ReadFile(p.log)
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return strings.Join(lines[max(0, len(lines)-8):], "\n")
}

// await polls every few milliseconds for two minutes until is returns true, while the processes run.
func await(ctx context.Context, wanted string, is func() bool, processes ...*Process) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	for !is() {
		for _, p := range processes {
			select {
			case <-p.ended:
				return fmt.Errorf("%s has ended by itself\n%s", p.name, p.tail())
			default:
			}
		}
		if err := sleep(ctx, 5*time.Millisecond); err != nil {
			return fmt.Errorf("%s: not in time: %w\n%s", wanted, err, processes[0].tail())
		}
	}
	return nil
}

func (p *Process) awaitReady(ctx context.Context) error {
	return await(ctx, p.name+" is ready", func() bool {
		_, err := page(p.Address + "/readyz")
		return err == nil
	}, p)
}

// page returns a page of a healthy instance. It times out before a silent connection is closed.
func page(at string) (string, error) {
	r, err := (&http.Client{Timeout: 4 * time.Second}).Get("http://" + at)
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err == nil && r.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %s", at, r.Status, b)
	}
	return string(b), err
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
