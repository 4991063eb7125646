package plots

import (
	"slices"
	"strings"
	"testing"
)

// A line ends before a number, not between it and its per cent, and lines joined are the text.
func TestWrapKeepsPerCent(t *testing.T) {
	sty := textStyle(noteSize, mute)
	const s = "Whiskers: 95 %. Of all users 12 % come back, and the rest at 100 %"
	cut := 0
	for width := sty.Width("Whiskers:"); width < sty.Width(s); width++ {
		lines := wrap(s, sty, width)
		if got := strings.Join(lines, " "); got != s {
			t.Fatalf("at %v: %q, want the words of %q", width, got, s)
		}
		if slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, "%") }) {
			t.Errorf("at %v: %q, want no line that begins with its per cent", width, lines)
		}
		cut = max(cut, len(lines))
	}
	if cut < 4 {
		t.Errorf("at most %d lines: nothing was broken", cut)
	}
}
