//go:build race

package sysinfo

// RaceDetector is whether the program was built with the race detector, which makes it slow and large.
const RaceDetector = true
