package simulate

import (
	"context"
	"errors"
	"fmt"

	"dejavu/cluster/internal/storage"
	"dejavu/results"
)

// Outcome reads what a run has left in its directory: nil where all experiments
// have rows, and otherwise what went wrong. The directory is as Config.Out has it,
// and has to be one that this machine sees.
func Outcome(ctx context.Context, out string) error {
	m, err := storage.Manifest(ctx, out)
	if err != nil {
		return err
	}
	var failed []error
	for _, x := range m.Experiments {
		if x.Status != results.Done {
			failed = append(failed, fmt.Errorf("%s %s: %s", x.Name, x.Status, x.Error))
		}
	}
	return errors.Join(failed...)
}
