package main

import (
	"dejavu/experiments/catalogue"
	"dejavu/measure"
)

// entries are the strategies that run: all of the catalogue.
var entries = catalogue.All()

// fullEntries lists those that live in the full population.
func fullEntries() (full []catalogue.Entry) {
	for _, e := range entries {
		if e.Lives == "" {
			full = append(full, e)
		}
	}
	return full
}

// entryNames lists their names.
func entryNames() (names []string) {
	for _, e := range entries {
		names = append(names, e.Name)
	}
	return names
}

// subject constructs an entry's strategy for measuring, once in a run.
func (s *suite) subject(e catalogue.Entry) (measure.Subject, error) {
	key := "subject-" + e.Name
	if made, ok := s.made[key]; ok {
		return made.(measure.Subject), nil
	}
	subject, err := e.Subject()
	if err != nil {
		return measure.Subject{}, err
	}
	s.made[key] = subject
	return subject, nil
}
