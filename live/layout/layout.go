// Package layout identifies the format of a history, so that no history is read as another's.
package layout

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/cespare/xxhash/v2"

	"dejavu/experiments/catalogue"
	"dejavu/strategies"
)

// A Choice is a strategy of the catalogue, as a configuration says it.
type Choice struct {
	Name   string  // as the catalogue has it
	Window int     // articles that it certainly remembers; 0: the catalogue's own parameters
	FPR    float64 // false positive rate at worst; 0 with a Window of 0
}

// Default is the strategy of a service whose configuration names none and whose folder has no histories.
var Default = Choice{Name: "beyond/matrix", Window: 400, FPR: 0.02}

// String returns the choice as Scan reads it.
func (c Choice) String() string { return fmt.Sprintf("%s window %d fpr %g", c.Name, c.Window, c.FPR) }

// Scan reads what String returns.
func (c *Choice) Scan(text string) error {
	_, err := fmt.Sscanf(text, "%s window %d fpr %g", &c.Name, &c.Window, &c.FPR)
	return err
}

// A Layout is a strategy made, with its name.
type Layout struct {
	Choice
	strategies.Strategy
	Theory strategies.Theory // of the strategy
	Digest uint64            // of the bytes of histories that it makes

	// Promised is the number of a user's last articles that are always recognised in the long run. Worst is the highest
	// false positive rate then.
	Promised int
	Worst    float64
}

// Make makes the strategy of a choice. The error says what would have worked.
func Make(c Choice) (Layout, error) {
	name, _, sized := strings.Cut(c.Name, ":")
	base, err := catalogue.Find(name)
	if err != nil {
		return Layout{}, err
	}
	spec := c.Name
	if c.Window != 0 || c.FPR != 0 {
		if sized {
			return Layout{}, fmt.Errorf("strategy %s has parameters, and there are window %d and fpr %g: leave either out",
				c.Name, c.Window, c.FPR)
		}
		spec = fmt.Sprintf("%s:window=%d,fpr=%g", name, c.Window, c.FPR)
	}
	entry, err := catalogue.Parse(spec)
	var s catalogue.Strategy
	if err == nil {
		s, err = entry.Make()
	}
	if err != nil && spec != c.Name {
		err = fmt.Errorf("%w; window and fpr need a strategy that can be sized, such as %s", err, Default.Name)
	}
	if err != nil {
		return Layout{}, fmt.Errorf("strategy %s: %w", c.Name, err)
	}
	// One choice has one name, however it is written.
	_, parameters, sized := strings.Cut(entry.Name, ":")
	if _, err := fmt.Sscanf(parameters, "window=%d,fpr=%g\n", &c.Window, &c.FPR); err == nil || !sized {
		c.Name = base.Name
	} else {
		c.Name, c.Window, c.FPR = entry.Name, 0, 0
	}
	l := Layout{Choice: c, Strategy: s, Theory: s, Digest: digest(s)}
	l.Promised, l.Worst = promise(s)
	return l, nil
}

// promise returns Promised and Worst of a Layout.
func promise(s strategies.Theory) (window int, rate float64) {
	const long = 1 << 20 // articles shown
	window = s.Window(long)
	end, step := long+2*window, 1+window/5000 // a full rotation, at least
	for read := long; read < end; read++ {
		window = min(window, s.Window(read))
		if read%step == 0 {
			rate = max(rate, s.FPR(read))
		}
	}
	return window, rate
}

// digest returns a digest of the histories that a strategy makes of 700 fixed articles.
func digest(s strategies.Strategy) uint64 {
	if dated, ok := s.(strategies.Dated); ok {
		s = dated.On(1)
	}
	sum, id := xxhash.New(), uint64(1)
	var history []byte
	for _, more := range []int{1, 9, 90, 200, 400} {
		shown := make([]strategies.ID, more)
		for i := range shown {
			id = id*0x5851f42d4c957f2d + 0x14057b7ef767814f
			shown[i] = strategies.ID(id ^ id>>29)
		}
		history = s.Record(history, shown)
		_, _ = sum.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(history)))) // never fails
		_, _ = sum.Write(history)
	}
	return sum.Sum64()
}

// About returns the layout as snapshots state it.
func (l Layout) About() string {
	return fmt.Sprintf("strategy %s, window %d, fpr %g, layout %016x", l.Name, l.Window, l.FPR, l.Digest)
}

// Check returns what every record of the log carries: a digest of the layout and of the secret.
func (l Layout) Check(secret strategies.Secret) uint32 {
	b := binary.LittleEndian.AppendUint64(nil, l.Digest)
	b = binary.LittleEndian.AppendUint64(b, secret.Fingerprint())
	return uint32(xxhash.Sum64(b))
}
