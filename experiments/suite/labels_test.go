package suite

import (
	"regexp"
	"strconv"

	"dejavu/strategies/strategytest"
)

var (
	level = regexp.MustCompile(`<g transform="translate\(([-0-9.]+), [-0-9.]+\)">\n<g transform="rotate\(0\)">\n` +
		`<text x="([-0-9.]+)"[^>]* textLength="([0-9.]+)"[^>]*>([^<]*)<`)
	boxed = regexp.MustCompile(`viewBox="0 0 ([0-9.]+) `)
)

// cut returns the labels that begin or end outside a figure.
func cut(svg string) (labels []string) {
	number := func(s string) float64 { return strategytest.Value(strconv.ParseFloat(s, 64)) }
	width := number(boxed.FindStringSubmatch(svg)[1])
	for _, m := range level.FindAllStringSubmatch(svg, -1) {
		if from := number(m[1]) + number(m[2]); from < 0 || from+number(m[3]) > width {
			labels = append(labels, m[4])
		}
	}
	return labels
}
