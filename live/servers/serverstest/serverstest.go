// Package serverstest lets the program of a test be the service, where servers start it as
// one.
package serverstest

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"testing"

	"dejavu/live/config"
	"dejavu/live/instance"
)

// Main is a TestMain. The service dies of SIGTERM as of a kill: a graceful stop needs the
// real program's signals.
func Main(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "serve" {
		b, err := os.ReadFile(os.Args[3])
		if err == nil {
			var c config.Config
			if c, err = config.Read(b); err == nil {
				err = instance.Run(context.Background(), c, slog.New(slog.NewTextHandler(os.Stderr, nil)), func(net.Addr) {})
			}
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
