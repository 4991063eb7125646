//go:build unix

package atomicfile

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"dejavu/strategies/strategytest"
)

// A file that is replaced keeps its mode, even one that its owner can neither read nor write, and a new file has the
// given mode whatever mode a killed process left its bytes with.
func TestModes(t *testing.T) {
	for mode := os.FileMode(0); mode <= 0o777; mode += 0o111 {
		for _, mode := range []os.FileMode{mode, mode &^ 0o400, mode | 0o200} {
			dir := t.TempDir()
			old, made := filepath.Join(dir, "old"), filepath.Join(dir, "made")
			strategytest.Must(t, os.WriteFile(old, nil, 0o600))
			strategytest.Must(t, os.Chmod(old, mode))
			strategytest.Must(t, os.WriteFile(made+aside, []byte("more than what comes"), 0o666))
			for path, given := range map[string]os.FileMode{old: 0o640, made: mode} {
				strategytest.Must(t, Replace(context.Background(), path, given, func(w io.Writer) error {
					is := strategytest.Value(os.Stat(path + aside))
					strategytest.Equal(t, is.Mode(), 0o600, "%s meanwhile", path)
					_, err := io.WriteString(w, "new")
					return err
				}))
				is := strategytest.Value(os.Stat(path))
				strategytest.Equal(t, is.Mode(), mode, "%s", path)
				strategytest.Equal(t, is.Size(), 3, "%s, bytes", path)
			}
		}
	}
}
