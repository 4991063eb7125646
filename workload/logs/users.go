package logs

import (
	"fmt"
	"math"
)

// MaxUsers bounds how many users a Users numbers: by 31 bits, as a store does.
const MaxUsers = math.MaxInt32

// Users numbers users densely, from 0 in the order in which they first come, so that what a replay keeps for
// each lies in arrays, or in a store. It takes 20 to 40 bytes a user. One goroutine may use it.
type Users struct {
	numbers map[uint64]uint32
	limit   int
}

// NewUsers returns an empty numbering of at most limit users, 1 to MaxUsers.
func NewUsers(limit int) (*Users, error) {
	if limit < 1 || limit > MaxUsers {
		return nil, fmt.Errorf("logs: a limit of %d users, want 1 to %d", limit, MaxUsers)
	}
	return &Users{map[uint64]uint32{}, limit}, nil
}

// Number is the user's number, Len() before the call where the user is new. It
// is false where a new user would be one more than the limit.
func (u *Users) Number(key uint64) (number uint32, ok bool) {
	if number, ok = u.numbers[key]; ok || len(u.numbers) == u.limit {
		return number, ok
	}
	number = uint32(len(u.numbers))
	u.numbers[key] = number
	return number, true
}

// Len is how many users have a number.
func (u *Users) Len() int { return len(u.numbers) }
