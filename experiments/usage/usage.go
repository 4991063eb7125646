// Package usage is the error of a command line that is wrong, which the user mends:
// a program exits with another status for it than for what failed.
package usage

import "fmt"

// An Error is the user's to mend.
type Error struct{ error }

// Errorf is an Error with a text, as fmt.Errorf makes it.
func Errorf(format string, args ...any) error { return Error{fmt.Errorf(format, args...)} }

// Of makes an error the user's to mend; nil stays nil.
func Of(err error) error {
	if err == nil {
		return nil
	}
	return Error{err}
}

// Unwrap is the error beneath.
func (e Error) Unwrap() error { return e.error }
