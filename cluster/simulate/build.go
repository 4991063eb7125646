package simulate

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Build builds the experiments program from the source beside this module, with
// the versions that are pinned there, and returns what removes it.
func Build(ctx context.Context) (program string, remove func(), err error) {
	source, err := output(ctx, "list", "-m", "-f", "{{.Dir}}", "dejavu")
	if err != nil {
		return "", nil, fmt.Errorf("building the experiments program, for want of --program: %w", err)
	}
	dir, err := os.MkdirTemp("", "dejavu-program-*")
	if err != nil {
		return "", nil, err
	}
	remove = func() { os.RemoveAll(dir) }
	program = filepath.Join(dir, "experiments")
	if _, err := output(ctx, "build", "-C", strings.TrimSpace(source), "-trimpath", "-o", program, "./experiments"); err != nil {
		remove()
		return "", nil, fmt.Errorf("building the experiments program, for want of --program: %w", err)
	}
	return program, remove, nil
}

// output is what a go command prints.
func output(ctx context.Context, args ...string) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("go %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), nil
}
