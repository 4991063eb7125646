// Package paper holds the experiments on the paper's own subjects, a file or two each: Table 1, the false positive
// rate, the window, fill, sizes, times, memory, the store under load, extension and hashes.
package paper
