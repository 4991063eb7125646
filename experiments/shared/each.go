package shared

import (
	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/measure"
	"dejavu/results"
)

// A Made is a measurement or a timing, of values of one type.
type Made[T any] interface {
	Of(r *engine.Run) (T, error)
	Task() engine.Task
}

// Tasks are the tasks that each entry needs.
func Tasks[M interface{ Task() engine.Task }](
	entries []catalogue.Entry, of func(catalogue.Entry) M,
) (tasks []engine.Task) {
	for _, e := range entries {
		tasks = append(tasks, of(e).Task())
	}
	return tasks
}

// Each collects the rows that every entry contributes by what was made for it.
func Each[T any, M Made[T]](r *engine.Run, entries []catalogue.Entry, of func(catalogue.Entry) M,
	rows func(r *engine.Run, e catalogue.Entry, subject measure.Subject, made T) (rows, timing []results.Row, err error),
) (all, timing []results.Row, err error) {
	for _, e := range entries {
		subject, err := r.Subject(e)
		if err != nil {
			return nil, nil, err
		}
		made, err := of(e).Of(r)
		if err != nil {
			return nil, nil, err
		}
		more, times, err := rows(r, e, subject, made)
		if err != nil {
			return nil, nil, err
		}
		all, timing = append(all, more...), append(timing, times...)
	}
	return all, timing, nil
}
