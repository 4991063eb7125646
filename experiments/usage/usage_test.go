package usage

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"
)

// An error stays the user's to mend, and what it was, when more is said around it.
func TestErrors(t *testing.T) {
	mine := fmt.Errorf("choosing: %w", Of(fs.ErrNotExist))
	if !errors.As(mine, new(Error)) || !errors.Is(mine, fs.ErrNotExist) {
		t.Errorf("%v is not the user's to mend, or no longer what it was", mine)
	}
	if err := Errorf("--users %d", -1); !errors.As(err, new(Error)) || err.Error() != "--users -1" {
		t.Errorf("%v", err)
	}
	if Of(nil) != nil {
		t.Error("no error is one")
	}
	if errors.As(fs.ErrNotExist, new(Error)) {
		t.Error("every error is the user's to mend")
	}
}
