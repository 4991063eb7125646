// Package layout names what the bytes of a history mean: strategy, size and secret. Log, snapshots and clients carry
// the name, so that no history is read as another's.
package layout

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cespare/xxhash/v2"

	"dejavu/experiments/catalogue"
	"dejavu/internal/mix"
	"dejavu/strategies"
)

// A Choice is a strategy of the catalogue, as a configuration says it.
type Choice struct {
	Name   string  // as the catalogue has it
	Window int     // articles that it certainly remembers; 0: the catalogue's own parameters
	FPR    float64 // false positive rate at worst; 0 with a Window of 0
	// Earlier is for histories that were begun when strategies took IDs as they are, and salts mixed less.
	Earlier bool
}

// A Layout is a strategy made, with its name.
type Layout struct {
	Choice
	strategies.Strategy
	Digest uint64 // of the bytes of histories that it makes
}

// Make makes the strategy of a choice. The error says what would have worked.
func Make(c Choice) (Layout, error) {
	entry, err := catalogue.Find(c.Name)
	if err != nil {
		return Layout{}, err
	}
	var s strategies.Strategy
	switch {
	case c.Window == 0 && c.FPR == 0:
		s, err = entry.Make()
	case entry.Sized == nil:
		err = errors.New("cannot be sized for a window and a rate: leave both at 0")
	default:
		s, err = entry.Sized(c.Window, c.FPR)
	}
	if err != nil {
		return Layout{}, fmt.Errorf("strategy %s: %w", c.Name, err)
	}
	c.Name = entry.Name
	return Layout{c, s, digest(s, c.Earlier)}, nil
}

// Hint says what to do about histories that have another name than this layout, where they are those of Earlier.
func (l Layout) Hint(is func(earlier Layout) bool) string {
	earlier := l
	earlier.Earlier, earlier.Digest = true, digest(l.Strategy, true)
	if l.Earlier || !is(earlier) {
		return ""
	}
	return " (they were begun when IDs were not yet mixed: the setting \"earlier: true\" goes on with them)"
}

// Salt is a user's, of histories outside a store.
func (l Layout) Salt(secret strategies.Secret, user uint64) strategies.Salt {
	if l.Earlier {
		return secret.EarlierSalt(user)
	}
	return secret.Salt(user)
}

// digest is of the histories that a strategy makes of fixed articles, at several lengths of life, of articles of
// fixed mixes if it is of earlier ones. Strategies of one digest read each other's histories, as far as 700 articles
// can tell.
func digest(s strategies.Strategy, earlier bool) uint64 {
	if dated, ok := s.(strategies.Dated); ok {
		s = dated.On(1)
	}
	sum, id := xxhash.New(), uint64(1)
	var history []byte
	for _, more := range []int{1, 9, 90, 200, 400} {
		shown := make([]strategies.ID, more)
		for i := range shown {
			id = id*0x5851f42d4c957f2d + 0x14057b7ef767814f
			if shown[i] = strategies.ID(id ^ id>>29); earlier {
				shown[i] = strategies.ID(mix.Unmix(uint64(shown[i])))
			}
		}
		history = s.Record(history, shown)
		_, _ = sum.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(history)))) // never fails
		_, _ = sum.Write(history)
	}
	return sum.Sum64()
}

// About is what snapshots say of the layout.
func (l Layout) About() string {
	return fmt.Sprintf("strategy %s, window %d, fpr %g, layout %016x", l.Name, l.Window, l.FPR, l.Digest)
}

// Check is what every record of the log carries: a digest of the layout and of the secret.
func (l Layout) Check(secret strategies.Secret) uint32 {
	b := binary.LittleEndian.AppendUint64(nil, l.Digest)
	b = binary.LittleEndian.AppendUint64(b, secret.Fingerprint())
	return uint32(xxhash.Sum64(b))
}
