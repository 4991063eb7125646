package measure

import (
	"math/bits"

	"dejavu/store"
)

const (
	HeldMost     = 16383 // the longest life the daily counts tell apart; longer ones count as it
	heldEnd      = 1000  // where the live order's curve ends
	activityBins = 15    // powers of two among articles recorded
)

// A Regime is the daily population under one rule of forgetting, the same on every machine.
type Regime struct {
	Requests int64  `json:"requests"`
	Shown    int64  `json:"shown"`   // articles shown, repeats included
	Repeats  int64  `json:"repeats"` // of those, shown before
	Fresh    Rate   `json:"fresh"`   // false positives among fresh candidates
	ByHeld   []Rate `json:"by_held"` // Fresh when i*GridStep articles had been recorded since the history was empty

	WindowChecks int64 `json:"window_checks"` // repeats recalled of articles inside the guaranteed window,
	WindowMisses int64 `json:"window_misses"` // and those not recognised

	// By articles recorded in all the user's days: bin b is users of 2^b ... 2^(b+1)-1 of them.
	Users      [activityBins]int64 `json:"users"`
	ByActivity [activityBins]Rate  `json:"by_activity"`
	Bytes      [activityBins]int64 `json:"bytes"` // of histories at the end, summed

	Alive   int64   `json:"alive"`   // users with a history at the end
	Payload int64   `json:"payload"` // its lengths, summed
	Held    []int64 `json:"held"`    // Held[n] is users whose history at the end had seen n articles
}

// NewRegime is a Regime of no users.
func NewRegime() Regime {
	return Regime{Held: make([]int64, HeldMost+1), ByHeld: make([]Rate, heldEnd/GridStep+1)}
}

// A Life is what one user's days came to.
type Life struct {
	Requests int
	Shown    int // articles recorded
	Repeats  int // of those, shown before
	Fresh    int // fresh candidates
	Hits     int // of those, false positives
	Checks   int // repeats inside the guaranteed window
	Misses   int // of those, not recognised
	Held     int // articles recorded since the history was last empty
	Bytes    int // the history's length at the end

	last    store.Timestamp // when an article was last recorded
	expired bool            // whether the history was cleared on the way
}

func (l *Life) plus(part Life) {
	l.Requests += part.Requests
	l.Shown += part.Shown
	l.Repeats += part.Repeats
	l.Fresh += part.Fresh
	l.Hits += part.Hits
	l.Checks += part.Checks
	l.Misses += part.Misses
}

// Count adds a user's life, but for Alive and Payload.
func (r *Regime) Count(l Life) {
	r.Requests += int64(l.Requests)
	r.Shown += int64(l.Shown)
	r.Repeats += int64(l.Repeats)
	r.WindowChecks += int64(l.Checks)
	r.WindowMisses += int64(l.Misses)
	r.Held[min(l.Held, HeldMost)]++
	if l.Shown == 0 {
		return
	}
	r.Fresh.Add(l.Fresh, l.Hits)
	bin := min(bits.Len(uint(l.Shown)), activityBins) - 1
	r.Users[bin]++
	r.ByActivity[bin].Add(l.Fresh, l.Hits)
	r.Bytes[bin] += int64(l.Bytes)
}
