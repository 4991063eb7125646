//go:build !amd64 || purego || race

package kernel

const most = Plain
