// Package advice holds experiments on the sources' advice and arithmetic.
package advice
