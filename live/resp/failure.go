package resp

import (
	"context"
	"errors"
	"net/http"

	"dejavu/live/exposure"
	"dejavu/live/traffic"
)

var (
	errBusy = errors.New("too much at once")
	invalid = traffic.Invalid
)

// A failure is an error's first word, the code that Connect has for it, and HTTP's if it is a refusal.
type failure struct {
	prefix, code string
	status       int
	about        string
}

// failureOf returns an error's failure. A call that fails with TRYAGAIN, which clients repeat, recorded nothing.
func failureOf(err error) failure {
	switch {
	case err == nil:
		return failure{code: "ok"}
	case traffic.IsInvalid(err):
		return failure{"ERR", "invalid_argument", http.StatusBadRequest, ""}
	case errors.Is(err, errDenied):
		return failure{"NOPERM", "permission_denied", http.StatusForbidden, ""}
	case errors.Is(err, errBusy), errors.Is(err, exposure.ErrElsewhere):
		return failure{"TRYAGAIN", "unavailable", http.StatusServiceUnavailable, ""}
	case errors.Is(err, exposure.ErrRefused): // as Redis says it of a disk that it cannot write to
		return failure{"MISCONF", "unavailable", http.StatusServiceUnavailable, ""}
	case errors.Is(err, exposure.ErrUnavailable):
		return failure{"UNAVAILABLE", "unavailable", http.StatusServiceUnavailable, "it may be recorded: "}
	case errors.Is(err, context.DeadlineExceeded):
		return failure{"TIMEOUT", "deadline_exceeded", 0, "not durable in time; it may be recorded: "}
	}
	return failure{"ERR", "internal", 0, ""}
}
