// Package exposure defines an exposure service, however it keeps its histories. Package keeper keeps them.
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
	// Shown is the answer: the first candidates, up to Limit, that the user has not seen.
	Shown []strategies.ID
}

// A Keeper keeps histories, safe for concurrent use. A call answered without an error is durable. A call with a request
// number that the keeper remembers for that user gets the same answer again, and records nothing.
type Keeper interface {
	// ShowAll answers requests as if one by one. After an error some of them may have been recorded.
	ShowAll(ctx context.Context, requests []Show) error
	// Seen sets seen[i] to whether the user's history remembers candidates[i].
	Seen(ctx context.Context, user string, candidates []strategies.ID, seen []bool) error
	// Record adds articles that the user was shown, oldest first.
	Record(ctx context.Context, user string, request uint64, articles []strategies.ID) error
	// Forget makes the user a newcomer.
	Forget(ctx context.Context, user string) error
	// Clear makes all users newcomers. It fails if some are served elsewhere.
	Clear(ctx context.Context) error
	// Users returns how many users have a history here. Some may have been away for long enough to be forgotten.
	Users() int
	// History returns a copy of the user's history, nil for a newcomer. Articles in it are salted under the service's
	// secret.
	History(ctx context.Context, user string) ([]byte, error)
	// Partitions returns the number of partitions of all users, and those that this process serves now.
	Partitions() (of int, here []int)
	// Ready returns nil if all partitions to be served here are.
	Ready() error
}

// Errors that callers tell apart, by errors.Is.
var (
	// ErrElsewhere means that another instance serves the user's partition, or this one will soon.
	ErrElsewhere = errors.New("not served here")
	// ErrRefused means that a call recorded nothing, because nothing can be made durable now.
	ErrRefused = errors.New("nothing is recorded now, reads go on")
	// ErrUnavailable means that a call could not be made durable. It may have been recorded.
	ErrUnavailable = errors.New("unavailable")
)

// Partition returns a user's partition, 0 to of-1. It is no secret, so that callers know whom to ask.
func Partition(user string, of int) int { return int(xxhash.Sum64String(user) % uint64(of)) }
