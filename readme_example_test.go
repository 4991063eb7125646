//lint:file-ignore SA4006 The example leaves out what a program does with each error.

package dejavu_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"dejavu/beyond/matrix"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// The example of README.md and docs/library.md compiles, and keeps what they promise: a user who comes back after a
// year is shown nothing again.
func TestREADMEExample(t *testing.T) {
	key, url := make([]byte, 16), "https://news.example/a"
	var ids []strategies.ID
	// example
	config, err := matrix.Sized(400, 0.02) // package beyond/matrix; 2 % is the FPR
	memory, err := matrix.New(config)
	secret, err := strategies.NewSecret(key) // 16 bytes or more, kept secret
	users, err := store.New[string](store.Config{Strategy: memory, Secret: secret})

	ids = append(ids, strategies.XXHashString(url))                       // of each candidate
	page := users.Show("ann@example", store.At(time.Now()), ids, 10, nil) // ten she has not seen
	// end
	strategytest.Must(t, err)
	defer users.Close()
	later := store.At(time.Now().AddDate(1, 0, 0))
	again := users.Show("ann@example", later, ids, 10, nil)
	if !slices.Equal(page, []int{0}) || len(again) > 0 {
		t.Errorf("shown %v, and a year later %v, want [0] and nothing", page, again)
	}
	source := string(strategytest.Value(os.ReadFile("readme_example_test.go")))
	_, after, _ := strings.Cut(source, "\t// example\n")
	want, _, _ := strings.Cut(after, "\t// end\n")
	for _, path := range []string{"README.md", "docs/library.md"} {
		_, block, _ := strings.Cut(string(strategytest.Value(os.ReadFile(path))), "```go\n")
		block, _, _ = strings.Cut(block, "```")
		if words := strings.Join(strings.Fields(block), " "); words != strings.Join(strings.Fields(want), " ") {
			t.Errorf("%s begins its first example otherwise than this test:\n%s", path, block)
		}
	}
}
