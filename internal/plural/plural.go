// Package plural writes numbers with their nouns.
package plural

import "fmt"

// Of returns a number and its noun: "1 line", "0 lines".
func Of[N int | int64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
