package engine

import (
	"context"
	"encoding/json"

	"dejavu/measure"
	"dejavu/results"
)

// A Measurement is counted over the users of a population. Its ranges add up (measure.Sum), so that a part of
// them may be measured anywhere.
type Measurement[T any] struct {
	Name  string          // of its file, which may lie in a folder: "full-beyond/ring"
	Users func(Scope) int // how many there are to be measured, at least 1
	Cost  float64         // of a user, in microseconds, about

	// Machine is whether the machine has a say in a part of the result: bytes and seconds that add up over
	// ranges. It is then not taken over from another machine.
	Machine bool

	// Make measures a range of the users.
	Make func(ctx context.Context, r *Run, users measure.Range) (T, error)
}

// Of returns the measurement of the run's users: made before, saved, or made now.
func (m Measurement[T]) Of(r *Run) (T, error) {
	t := m.Task()
	return obtain(r, &t, func() (T, error) { return m.make(r.ctx, r, r.Share(m.Users(r.Scope))) })
}

func (m Measurement[T]) make(ctx context.Context, r *Run, users measure.Range) (T, error) {
	r.Expect(users.Len())
	return m.Make(ctx, r, users)
}

// Task is the measurement for those who do not know its type.
func (m Measurement[T]) Task() Task {
	return Task{
		Name: m.Name, Users: m.Users, Machine: m.Machine,
		Cost:  func(s Scope) float64 { return m.Cost * float64(s.Share(m.Users(s)).Len()) },
		Ready: func(r *Run) error { _, err := m.Of(r); return err },
		Make: func(ctx context.Context, r *Run, users measure.Range) (json.RawMessage, error) {
			return encoded(m.make(ctx, r, users))
		},
		Add: func(a, b json.RawMessage) (json.RawMessage, error) {
			var sum, more T
			if err := json.Unmarshal(a, &sum); err != nil {
				return nil, err
			}
			if err := json.Unmarshal(b, &more); err != nil {
				return nil, err
			}
			measure.Sum(&sum, more)
			return json.Marshal(sum)
		},
	}
}

// A Timing depends on the machine: times, above all. It is made once in a run, of shards by the first, and
// adds up with nothing.
type Timing[T any] struct {
	Name string
	Cost float64 // in all, in microseconds, about; 0 where Along has it

	// Along, if not nil, is a measurement that makes this one in passing (Keep), and is therefore asked for
	// first. Make is for where that was taken over.
	Along *Task

	Make func(ctx context.Context, r *Run) (T, error)
}

// Of returns the timing: made before, saved on this machine, or made now.
func (t Timing[T]) Of(r *Run) (T, error) {
	task := t.Task()
	return obtain(r, &task, func() (T, error) { return t.Make(r.ctx, r) })
}

// Keep is for the measurement that Along names: it makes value this run's timing.
func (t Timing[T]) Keep(r *Run, value T) error {
	task := t.Task()
	return r.save(&task, value, results.Cost{Name: t.Name})
}

// Task is the timing for those who do not know its type.
func (t Timing[T]) Task() Task {
	return Task{
		Name: t.Name, Machine: true, Along: t.Along,
		Cost: func(s Scope) float64 {
			if !s.Timed() {
				return 0
			}
			return t.Cost
		},
		Ready: func(r *Run) error {
			if !r.Timed() {
				return nil
			}
			_, err := t.Of(r)
			return err
		},
		Make: func(ctx context.Context, r *Run, _ measure.Range) (json.RawMessage, error) {
			return encoded(t.Make(ctx, r))
		},
	}
}

func encoded[T any](value T, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

// A Task is a measurement or a timing with its type erased: what a plan, a shard or a cluster makes and adds
// up. Values are the JSON of the type.
type Task struct {
	Name    string
	Users   func(Scope) int // nil for a timing: it is made once
	Machine bool            // the machine has a say in it
	Along   *Task           // makes it in passing; nil for none

	Cost  func(Scope) float64 // in microseconds, about
	Ready func(*Run) error    // makes it in a run, for later

	// Make measures some users, of a timing none. Add is nil for a timing.
	Make func(ctx context.Context, r *Run, users measure.Range) (json.RawMessage, error)
	Add  func(a, b json.RawMessage) (json.RawMessage, error)
}

// Kept is what the measurement that Along names has made of the task in this run, as Make gives it; nil where
// it has not.
func (t Task) Kept(r *Run) (json.RawMessage, error) {
	value, ok := r.made[t.Name]
	if !ok {
		return nil, nil
	}
	return json.Marshal(value)
}

// Save writes what Make and Add gave as the measurement of a whole run, which Of then takes over, with what
// it cost.
func (t Task) Save(r *Run, value json.RawMessage, cost results.Cost) error {
	return write(Path(r.Out, t.Name), r.key(&t), value, cost)
}
