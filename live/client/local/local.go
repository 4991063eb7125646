// Package local queries a fetched vector locally. It needs the service's strategy and secret.
package local

import (
	"fmt"

	"dejavu/live/client"
	"dejavu/live/layout"
	"dejavu/strategies"
)

// A Reader asks vectors of one layout. It is safe for concurrent use.
type Reader struct {
	layout layout.Layout
	secret strategies.Secret
}

// New returns the reader for a service with that layout and secret.
func New(l layout.Layout, secret strategies.Secret) *Reader { return &Reader{l, secret} }

// Seen sets seen[i] to whether the user was shown candidates[i] when the vector was fetched; slices of one length.
func (r *Reader) Seen(v client.Vector, candidates []strategies.ID, seen []bool) error {
	switch l := v.Layout; {
	case l == nil:
		return fmt.Errorf("vector of %q: the service does not say its layout", v.User)
	case l.SecretFingerprint != r.secret.Fingerprint():
		return fmt.Errorf("vector of %q: it is of the secret %016x, this program's is %016x",
			v.User, l.SecretFingerprint, r.secret.Fingerprint())
	case l.Digest != r.layout.Digest:
		return fmt.Errorf("vector of %q: it is of the strategy %s (window %d, fpr %g, layout %016x), this program's is %s",
			v.User, l.Strategy, l.Window, l.Fpr, l.Digest, r.layout.About())
	}
	if err := r.layout.Validate(v.History); err != nil {
		return fmt.Errorf("vector of %q: %w", v.User, err)
	}
	salt := r.secret.Salt(uint64(r.secret.DigestString(v.User)))
	r.layout.Seen(v.History, salt.Append(nil, candidates), seen)
	return nil
}
