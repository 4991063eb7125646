package shown

import (
	"strings"
	"testing"

	"dejavu/strategies/strategytest"
)

// Up to forty bytes are shown, and of more the first forty; what is no text stays one line.
func TestValue(t *testing.T) {
	forty := strings.Repeat("a", 40)
	for value, want := range map[string]string{
		"":              `""`,
		"soon":          `"soon"`,
		"\n\x00":        `"\n\x00"`,
		forty:           `"` + forty + `"`,
		forty + "b":     `"` + forty + `"...`,
		forty[1:] + "é": `"` + forty[1:] + `\xc3"...`,
	} {
		strategytest.Equal(t, Value([]byte(value)), want, "%q is shown as", value)
	}
}
