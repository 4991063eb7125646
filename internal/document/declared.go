package document

import "strings"

// Declared is a table of lines of text: its title, its headers, and its rows, in cells that " | " parts.
func Declared(lines []string) Table {
	t := Table{Title: lines[0], Header: strings.Split(lines[1], " | ")}
	for _, line := range lines[2:] {
		if line != "" {
			t.Rows = append(t.Rows, strings.Split(line, " | "))
		}
	}
	return t
}
