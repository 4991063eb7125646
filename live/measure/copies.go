package measure

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"dejavu/live/client"
)

// settled returns the model's histories of one user in of, leaving out users with a call under way.
func (p *proof) settled(of int) map[string][]byte {
	histories := map[string][]byte{}
	for _, c := range p.crowds {
		c.mu.Lock()
		for _, one := range c.persons {
			if !slices.Contains(c.asked, one) && p.random.IntN(of) == 0 {
				histories[one.name] = bytes.Clone(one.history)
			}
		}
		c.mu.Unlock()
	}
	return histories
}

// spoil damages a file of an instance.
func spoil(random *rand.Rand, dir string) (what string, err error) {
	of := []string{"*/*", "log/*"}[random.IntN(2)] // snapshots are most of the files
	files, _ := fs.Glob(os.DirFS(dir), of)         // fails for other patterns only
	name := files[random.IntN(len(files))]
	b, err := os.ReadFile(filepath.Join(dir, name))
	n := len(bytes.TrimRight(b, "\x00")) // behind which the log has room
	if err != nil || n == 0 {
		return name + " is empty", err
	}
	at := n - 1 - random.IntN([]int{n, min(n, 4096)}[random.IntN(2)])
	if what = fmt.Sprintf("%s: a bit of byte %d is flipped", name, at); random.IntN(2) == 0 {
		b[at] ^= 1 << random.IntN(8)
	} else {
		what = fmt.Sprintf("%s: cut at byte %d", name, at)
		b = b[:at]
	}
	return what, os.WriteFile(filepath.Join(dir, name), b, 0o600)
}

// startDamaged starts an instance on a damaged copy. It must have all that was answered, or end with a helpful line.
func (p *proof) startDamaged(ctx context.Context, name string, histories map[string][]byte) error {
	dir := filepath.Join(p.dir, name)
	what, err := spoil(p.random, dir)
	if err != nil {
		return err
	}
	one, err := p.instance(name, p.config)
	if err != nil {
		return err
	}
	waiting, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	of, err := client.New(client.Options{Addresses: []string{one.Address}})
	if err = cmp.Or(err, one.awaitReady(waiting)); err == nil {
		err = compareWith(waiting, histories, of)
	}
	said, _ := os.ReadFile(one.log)
	select {
	case <-one.ended:
		p.refused++
		err = refusal(string(said), dir)
	default:
		if bytes.Contains(said, []byte("mended")) || bytes.Contains(said, []byte("passed over")) {
			p.mended++
		}
		_ = one.Kill()
	}
	if err != nil {
		return fmt.Errorf("%s, %s: %w\n%s", dir, what, err, said)
	}
	return os.RemoveAll(dir)
}

// refusal returns an error unless an ended instance said, beside its logged events, one helpful line.
func refusal(said, dir string) error {
	var lines []string
	for line := range strings.Lines(said) {
		if !strings.HasPrefix(line, "time=") {
			lines = append(lines, line)
		}
	}
	if len(lines) != 1 || !strings.Contains(lines[0], dir) ||
		!strings.Contains(lines[0], "restore") && !strings.Contains(lines[0], "set it") {
		return fmt.Errorf("refused with %q", lines)
	}
	return nil
}

// compareWith compares a service's histories with others.
func compareWith(ctx context.Context, histories map[string][]byte, of *client.Client) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for user, want := range histories {
		group.Go(func() error { return vector(ctx, of, user, want) })
	}
	return group.Wait()
}
