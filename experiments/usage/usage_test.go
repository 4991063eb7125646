package usage

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"dejavu/strategies/strategytest"
	"github.com/alecthomas/kong"
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

// Counts, rates and times are read as people write them, behind a pointer or not.
func TestNumbers(t *testing.T) {
	var c struct {
		Users *int
		Parts int `default:"1e3"`
		FPR   float64
		For   time.Duration
	}
	parser := strategytest.Value(kong.New(&c, Numbers()))
	strategytest.Must(t, strategytest.ErrorOf(parser.Parse(strings.Fields("--users 10M --fpr 2% --for 2s"))))
	if *c.Users != 10_000_000 || c.Parts != 1000 || c.FPR != 0.02 || c.For != 2*time.Second {
		t.Errorf("read %d, %d, %v, %v", *c.Users, c.Parts, c.FPR, c.For)
	}
	for arg, want := range map[string]string{
		"--users=many": `--users: "many" is not a number, want one like 1000000, 1e6 or 10M`,
		"--fpr=few":    `--fpr: "few" is not a rate, want one like 0.02 or 2%`,
		"--users":      "--users",
		"--for=24":     `--for: "24" is not a time, want a number with a unit, such as 90s, 30m or 24h`,
		"--for=2d":     `--for: "2d" is not a time`,
	} {
		strategytest.ErrorSays(t, arg, strategytest.ErrorOf(parser.Parse([]string{arg})), want)
	}
}
