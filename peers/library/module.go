package library

import "runtime/debug"

// module is a module's path and the version that this program is built with,
// where the build tells: a test binary does not.
func module(path string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return path
	}
	for _, m := range info.Deps {
		if m.Path == path {
			return path + " " + m.Version
		}
	}
	return path
}
