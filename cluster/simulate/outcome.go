package simulate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local" // of any machine

	"dejavu/results"
)

// Outcome reads what a run has left in its directory: nil where all experiments
// have rows, and otherwise what went wrong. The directory is as Config.Out has it,
// and has to be one that this machine sees.
func Outcome(ctx context.Context, out string) error {
	fs, err := filesystem.New(ctx, out)
	if err != nil {
		return err
	}
	defer fs.Close()
	in, err := fs.OpenRead(ctx, strings.TrimSuffix(out, "/")+"/"+results.ManifestName)
	if err != nil {
		return fmt.Errorf("no run in %s: %w", out, err)
	}
	defer in.Close()
	var m results.Manifest
	data, err := io.ReadAll(in)
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if err != nil {
		return fmt.Errorf("%s in %s: %w", results.ManifestName, out, err)
	}
	var failed []error
	for _, x := range m.Experiments {
		if x.Status != results.Done {
			failed = append(failed, fmt.Errorf("%s %s: %s", x.Name, x.Status, x.Error))
		}
	}
	return errors.Join(failed...)
}
