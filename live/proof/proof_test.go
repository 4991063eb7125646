package proof

import (
	"os"
	"strings"
	"testing"

	"dejavu/live/servers/serverstest"
)

func TestMain(m *testing.M) { serverstest.Main(m) }

// A short one of the proof, on the embedded log.
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
