package main

import (
	"errors"
	"flag"
	"io"
	"strings"
	"testing"
)

// A command line that is wrong is told so before anything is built or begun.
func TestUsage(t *testing.T) {
	flag.CommandLine.SetOutput(io.Discard)
	for _, c := range []struct{ args, want string }{
		{"", "want simulate"},
		{"simulat", "want simulate"},
		{"simulate --users many", `invalid value "many" for flag -users`},
		{"simulate --users 0", "users is 0, want 1 to "},
		{"simulate table1 --users 10 --shards 20000", "shards is 20000, want 1 to 10000"},
		{"simulate --shards 1 --workers 2000", "workers is 2000, want 0 to 1024"},
		{"simulate --workers 1 --runner flink --endpoint localhost:1", "--program says where they find the experiments program"},
	} {
		err := run(t.Context(), strings.Fields(c.args))
		if !errors.As(err, &usageError{}) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.args, err, c.want)
		}
	}
	if err := run(t.Context(), []string{"simulate", "--help"}); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("--help: %v", err)
	}
}
