package decision

import (
	"slices"
	"strings"
	"unicode"

	"dejavu/workload/logs/clock"
)

// suggest is a command line's part that would be accepted, as far as that can be told: the columns
// that are named, then those of known names, then one that has times, then any that is left.
func (s *Sample) suggest(c Columns) string {
	few := &Sample{s.Names[:min(len(s.Names), 100)], s.values[:min(len(s.values), 100)]} // enough for a guess
	columns, what := c.wanted()
	at := [3]int{-1, -1, -1}
	for i, column := range columns {
		if *column != "" {
			at[i], _ = s.Find(*column)
		}
	}
	take := func(i int, fits func(column int) bool) {
		for j := range few.Names {
			if at[i] < 0 && !slices.Contains(at[:], j) && fits(j) {
				at[i] = j
			}
		}
	}
	for i := range at {
		take(i, func(j int) bool { return slices.Contains(known[i], Bare(few.Names[j])) })
	}
	take(2, few.dated)
	take(2, func(j int) bool { return few.clock(j) != "" })
	take(0, func(int) bool { return true })
	take(1, func(int) bool { return true })
	parts := make([]string, 3)
	for i := range at {
		name := strings.ToUpper(what[i])
		if at[i] >= 0 && len(s.Names[at[i]]) <= 100 && !strings.ContainsFunc(s.Names[at[i]], unicode.IsControl) {
			name = s.Names[at[i]]
		}
		parts[i] = what[i] + "=" + name
	}
	value := strings.Join(parts, ",")
	if strings.ContainsAny(value, " |<>;&'\"()$*?`\\") {
		value = "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
	}
	return "name them, perhaps so: --columns " + value
}

// clock is how the column's values are times, "" where they are none.
func (s *Sample) clock(column int) clock.Clock {
	told, err := clock.Of(s.of(column))
	if err != nil {
		return ""
	}
	return told
}

// dated is whether the column has times that can hardly be anything else: dates, or seconds since
// 1973 or later.
func (s *Sample) dated(column int) bool {
	told := s.clock(column)
	if told != clock.Seconds {
		return told != ""
	}
	for _, text := range s.of(column) {
		if seconds, _, reason := clock.Seconds.Read(text); reason == "" && seconds < 1e8 {
			return false
		}
	}
	return true
}
