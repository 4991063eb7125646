// Package measure is everything that the service is measured and proven by: Load counts
// requests a second, Prove kills the service while an exact model watches, and Rows takes
// for real what experiments of the suite simulate. They are verbs of the program.
package measure

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"dejavu/live/client"
	"dejavu/live/instance"
	"dejavu/live/layout"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/workload"
)

// What a user asks for at a refresh, as the suite's experiment pipeline has it: a page of
// ten out of forty.
const (
	perRequest = 40
	perPage    = 10
)

func userName(n int) string { return fmt.Sprintf("user-%d", n) }

func clock() store.Timestamp { return store.Timestamp(time.Now().Unix()) }

// articles are some of a user's own order, from one on.
func articles(population workload.Full, user, from, n int) []strategies.ID {
	ids := make([]strategies.ID, n)
	population.Reader(user).IDs(ids, from)
	return ids
}

// caller is a caller of an instance, over HTTP/1.1.
func caller(address string) (*client.Client, error) {
	return client.New(client.Options{Addresses: []string{address}, HTTP1: true})
}

// A fleet is the servers that a measurement has started: instances of the service with one
// strategy and secret, and what they need.
type fleet struct {
	dir       string // for everything that is written
	strategy  string
	layout    layout.Layout
	secret    strategies.Secret
	processes []*Process
}

func newFleet(dir, strategy string) (f *fleet, err error) {
	f = &fleet{dir: dir, strategy: strategy}
	if f.layout, err = layout.Make(layout.Choice{Name: strategy}); err != nil {
		return nil, err
	}
	f.secret, err = instance.Secret(f.secretFile())
	return f, err
}

func (f *fleet) secretFile() string { return filepath.Join(f.dir, "secret") }

// add notes a process that was started, so that kill ends it.
func (f *fleet) add(p *Process) *Process {
	f.processes = append(f.processes, p)
	return p
}

// instance starts this program as an instance with a configuration, beside what all have.
func (f *fleet) instance(name, config string) (*Process, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(f.dir, name+".yaml")
	config = fmt.Sprintf("listen: %s\ndata: %s\nstrategy: %s\nsecret_file: %s\n%s",
		address, filepath.Join(f.dir, name), f.strategy, f.secretFile(), config)
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		return nil, err
	}
	p := newProcess(address, name, f.dir, program, "serve", "--config", path)
	return f.add(p), p.Start()
}

// kill ends all.
func (f *fleet) kill() {
	for _, p := range f.processes {
		_ = p.Kill()
	}
}
