package main

import "dejavu/results"

const shipName = "ship"

type shipResult struct{}

func (r shipResult) plus(shipResult) shipResult { return r }

func (s *suite) shipped() (shipResult, error) {
	return measured(s, shipName, func() (r shipResult, err error) { return r, nil })
}

func ship(s *suite) (rows, timing []results.Row, err error) { return nil, nil, nil }
