package local_test

import (
	"fmt"
	"testing"

	"dejavu/live/api"
	"dejavu/live/client"
	"dejavu/live/client/local"
	"dejavu/live/layout"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// A vector is asked as the service would. One of another strategy or secret, or a damaged one, is refused.
func TestReader(t *testing.T) {
	l, _ := layout.Make(layout.Choice{Name: "chain"})
	other, _ := layout.Make(layout.Choice{Name: "single"})
	secret := strategies.RandomSecret()
	salt := secret.Salt(uint64(secret.DigestString("bob")))
	of := &api.Layout{Strategy: "chain", Digest: l.Digest, SecretFingerprint: secret.Fingerprint()}
	whole := client.Vector{User: "bob", History: l.Record(nil, salt.Append(nil, []strategies.ID{1, 9})), Layout: of}
	newcomer := client.Vector{User: "ann", Layout: of}
	seen := make([]bool, 3)
	reader := local.New(l, secret)
	strategytest.Must(t, reader.Seen(whole, []strategies.ID{2, 1, 9}, seen))
	strategytest.Equal(t, fmt.Sprint(seen), "[false true true]", "seen")
	strategytest.Must(t, reader.Seen(newcomer, []strategies.ID{2, 1, 9}, seen))
	strategytest.Equal(t, fmt.Sprint(seen), "[false false false]", "seen by a newcomer")
	cut, unnamed := whole, whole
	cut.History, unnamed.Layout = cut.History[1:], nil
	for want, err := range map[string]error{
		"it is of the strategy chain": local.New(other, secret).Seen(whole, nil, nil),
		"it is of the secret":         local.New(l, strategies.RandomSecret()).Seen(whole, nil, nil),
		"history of 105 bytes":        reader.Seen(cut, nil, nil),
		"does not say its layout":     reader.Seen(unnamed, nil, nil),
	} {
		strategytest.ErrorSays(t, "a vector", err, want)
	}
}
