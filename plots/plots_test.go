package plots

import (
	"os"
	"testing"
)

func TestDrawAll(t *testing.T) {
	dir := t.TempDir()
	if keep := os.Getenv("DEJAVU_FIGURES"); keep != "" {
		dir = keep
	}
	figures, err := Draw(synthetic(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range figures {
		if f.Skipped != "" {
			t.Errorf("%s: %s", f.Name, f.Skipped)
		}
	}
}
