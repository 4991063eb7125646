// Command live is the exposure service: which articles has a user been shown?
//
//	go run . serve     on 127.0.0.1, ports 7701 (Redis's protocol) and 7700 (HTTP), with its files in ./dejavu-data
//	go run . --help    the other verbs
//
// docs/live.md says when to take it and how to run it, docs/live-inside.md how it works.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"

	"dejavu/experiments/usage"
	"dejavu/internal/sysinfo"
	"dejavu/live/config"
	"dejavu/live/instance"
	"dejavu/live/measure"
)

type program struct {
	Version kong.VersionFlag `help:"Print the release and the commit."`

	Serve       serve           `cmd:"" help:"Run the service until it is interrupted."`
	PrintConfig printConfig     `cmd:"" help:"Print a configuration file with all defaults."`
	Compare     measure.Compare `cmd:"" help:"Measure the service beside Redis, if that is installed."`
	Prove       measure.Prove   `cmd:"" help:"Disturb the service while users refresh; compare its answers with a model."`
}

type serve struct {
	Config string `help:"Configuration file (defaults: see print-config)." type:"existingfile" placeholder:"FILE"`

	Keys keys `embed:""`

	Log string `help:"Format of the events on the standard error: ${enum}." enum:"text,json" default:"text"`

	NewLog     bool `help:"If the embedded log is missing, begin a new one: what no snapshot has is lost."`
	TrustClock bool `help:"Trust the clock, even if it is far from the time of the histories."`

	ClockFile string `help:"File of the seconds that the clock is taken to be ahead; prove writes it." hidden:""`
}

// keys are keys of the configuration that are flags too; nil if not given.
type keys struct {
	Window *int           `help:"The last articles of a user that are always recognised; with --fpr." placeholder:"400"`
	FPR    *float64       `help:"At most this share of unseen articles is reported as seen." name:"fpr" placeholder:"2%"`
	Idle   *time.Duration `help:"A user who was shown nothing for this long is forgotten." placeholder:"24h"`
	Data   *string        `help:"Folder for everything that the service keeps." type:"path" placeholder:"dejavu-data"`
}

type printConfig struct{}

// read returns the configuration of the file and the flags.
func (s *serve) read() (c config.Config, err error) {
	if w, fpr := s.Keys.Window, s.Keys.FPR; w != nil && *w == 0 || fpr != nil && *fpr == 0 {
		return c, errors.New("--window or --fpr is 0: give both, such as --window 400 --fpr 2%, or neither")
	}
	over, err := yaml.Marshal(s.Keys)
	if err == nil {
		c, err = config.ReadFile(s.Config, over)
	}
	c.NewLog, c.TrustClock, c.ClockFile = s.NewLog, s.TrustClock, s.ClockFile
	return c, err
}

// Run runs the service.
func (s *serve) Run(ctx context.Context) error {
	c, err := s.read()
	if err != nil {
		return err
	}
	logger := slog.New(slog.NewTextHandler(os.Stderr, nil))
	if s.Log == "json" {
		logger = slog.New(slog.NewJSONHandler(os.Stderr, nil))
	}
	slog.SetDefault(logger)
	return instance.Run(ctx, c, logger)
}

// Run prints the defaults.
func (*printConfig) Run(out io.Writer) error {
	_, err := out.Write(config.Default)
	return err
}

func (p *program) parser(out io.Writer, options ...kong.Option) *kong.Kong {
	return kong.Must(p, append(options, kong.Name("dejavu-live"), usage.Numbers(),
		kong.Vars{"version": sysinfo.Version()},
		kong.Description("The exposure service: which articles has a user been shown?"),
		kong.BindTo(out, (*io.Writer)(nil)))...)
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	parser := new(program).parser(os.Stdout, kong.BindTo(ctx, (*context.Context)(nil)))
	command, err := parser.Parse(os.Args[1:])
	if err != nil {
		fmt.Fprintf(os.Stderr, "live: %v (see --help)\n", err)
		os.Exit(2)
	}
	if err := command.Run(); err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "live:", err)
		os.Exit(1)
	}
}
