package engine

import (
	"cmp"
	"context"
	"encoding/json"

	"dejavu/measure"
	"dejavu/results"
)

// A Measurement is of one of two kinds. Counted over the users of a population, its ranges add up
// (measure.Sum), so that a part of them may be measured anywhere. Without Users it is a timing, which depends
// on the machine: it is made once in a run, of shards by the first, and adds up with nothing.
type Measurement[T any] struct {
	Name  string          // of its file, which may lie in a folder: "full-beyond/ring"
	Users func(Scope) int // how many there are to be measured, at least 1; nil for a timing
	Cost  float64         // of a user, of a timing in all, in microseconds, about; 0 where Along has it

	// Machine is whether the machine has a say in a part of the result: bytes and seconds that add up over
	// ranges. It is then not taken over from another machine, as no timing is.
	Machine bool

	// Along, if not nil, is a measurement that makes this timing in passing (Keep), and is therefore asked for
	// first. Make is for where that was taken over.
	Along *Task

	// Make measures a range of the users, of a timing none.
	Make func(ctx context.Context, r *Run, users measure.Range) (T, error)
}

// Of returns the measurement of the run's users: made before, saved, or made now.
func (m Measurement[T]) Of(r *Run) (T, error) {
	t := m.Task()
	return obtain(r, &t, func() (T, error) { return m.make(r.ctx, r, m.share(r.Scope)) })
}

// Keep is for the measurement that Along names: it makes value this run's timing.
func (m Measurement[T]) Keep(r *Run, value T) error {
	task := m.Task()
	return r.save(&task, value, results.Cost{Name: m.Name})
}

func (m Measurement[T]) make(ctx context.Context, r *Run, users measure.Range) (T, error) {
	if m.Users != nil {
		r.Expect(users.Len())
	}
	return m.Make(ctx, r, users)
}

func (m Measurement[T]) share(s Scope) (users measure.Range) {
	if m.Users != nil {
		users = s.Share(m.Users(s))
	}
	return users
}

func (m Measurement[T]) cost(s Scope) float64 {
	switch {
	case m.Users != nil:
		return m.Cost * float64(m.share(s).Len())
	case s.Timed():
		return m.Cost
	}
	return 0
}

// Task is the measurement for those who do not know its type.
func (m Measurement[T]) Task() Task {
	t := Task{
		Name: m.Name, Users: m.Users, Machine: m.Machine || m.Users == nil, Along: m.Along, Cost: m.cost,
		Ready: func(r *Run) (err error) {
			if m.Users != nil || r.Timed() {
				_, err = m.Of(r)
			}
			return err
		},
		Make: func(ctx context.Context, r *Run, users measure.Range) (json.RawMessage, error) {
			value, err := m.make(ctx, r, users)
			if err != nil {
				return nil, err
			}
			return json.Marshal(value)
		},
	}
	if m.Users != nil {
		t.Add = func(a, b json.RawMessage) (json.RawMessage, error) {
			var sum, more T
			if err := cmp.Or(json.Unmarshal(a, &sum), json.Unmarshal(b, &more)); err != nil {
				return nil, err
			}
			measure.Sum(&sum, more)
			return json.Marshal(sum)
		}
	}
	return t
}

// A Task is a measurement with its type erased: what a plan, a shard or a cluster makes and adds
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
