package proof

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"testing"

	"dejavu/live/config"
	"dejavu/live/instance"
)

// TestMain is the service where the proof starts it as one.
func TestMain(m *testing.M) {
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

// A short one of the proof, on the embedded log. A graceful stop needs the program's
// signals, so that the instance dies of SIGTERM here, as of a kill.
func TestEmbedded(t *testing.T) {
	var out strings.Builder
	err := Run(t.Context(), Options{
		Users: 300, Kills: 4, Seed: 1, Strategy: "chain", Dir: t.TempDir(), Program: os.Args[0], Out: &out,
	})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "4 kills of instances") {
		t.Error(out.String())
	}
}
