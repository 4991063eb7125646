package results

import "fmt"

// A Shard is a share of a run's users: the Index-th, from 0, of Of consecutive
// ranges of their numbers. The zero Shard stands for all users, a whole run.
type Shard struct {
	Index int `json:"index"`
	Of    int `json:"of"`
}

// String is the shard as the command line has it, "2/7".
func (s Shard) String() string {
	if s == (Shard{}) {
		return "none"
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Of)
}
