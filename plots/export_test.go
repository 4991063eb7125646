package plots

// Known are the strategies that have a look of their own.
func Known() (names []string) {
	for _, s := range looks {
		names = append(names, s.strategy)
	}
	return names
}
