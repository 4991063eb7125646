// Package exposure says what an exposure service does, whatever keeps its histories, as package keeper does.
package exposure

import (
	"context"
	"errors"

	"github.com/cespare/xxhash/v2"

	"dejavu/strategies"
)

// A Show asks for articles to show one user.
type Show struct {
	User       string
	Request    uint64 // the caller's number for it; 0: it cannot be asked again
	Candidates []strategies.ID
	Limit      int
	// Shown is the answer: the first of the candidates, up to Limit, that the user has not seen.
	Shown []strategies.ID
}

// A Keeper keeps histories, safe for concurrent use. What is answered without an error is durable. A call with a
// request number that the keeper remembers for that user gets the same answer again, and nothing is recorded again.
type Keeper interface {
	// ShowAll answers several requests as if one came after the other. After an error some of them may have been recorded.
	ShowAll(ctx context.Context, requests []Show) error
	// Seen sets seen[i] to whether the user's history remembers candidates[i].
	Seen(ctx context.Context, user string, candidates []strategies.ID, seen []bool) error
	// Record adds articles that the user was shown, oldest first.
	Record(ctx context.Context, user string, request uint64, articles []strategies.ID) error
	// Forget makes the user a newcomer.
	Forget(ctx context.Context, user string) error
	// Clear makes all users newcomers. It is an error where some are served elsewhere.
	Clear(ctx context.Context) error
	// Users returns how many users have a history here. Some of them may have been away for long enough to be forgotten.
	Users() int
	// History is a copy of the user's history, nil for a newcomer. Its articles are salted under the service's secret.
	History(ctx context.Context, user string) ([]byte, error)
	// Partitions is into how many parts users are divided (Partition), and which of them this process serves now.
	Partitions() (of int, here []int)
	// Ready is nil where every partition that is to be served here is.
	Ready() error
}

// Errors that callers tell apart, by errors.Is.
var (
	// ErrElsewhere is a call for a user whose partition another instance serves, or this one in a while.
	ErrElsewhere = errors.New("not served here")
	// ErrRefused is a call that would record something while nothing can be made durable. It recorded nothing.
	ErrRefused = errors.New("nothing is recorded now, reads go on")
	// ErrUnavailable is a call that could not be made durable. It may have been recorded all the same.
	ErrUnavailable = errors.New("unavailable")
)

// Partition returns a user's partition, 0 to of-1. It is no secret, so that callers know whom to ask.
func Partition(user string, of int) int { return int(xxhash.Sum64String(user) % uint64(of)) }
